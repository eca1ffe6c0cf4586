#include "results/report/state_json.h"

#include <Eigen/Geometry>
#include <cmath>
#include <set>

#include "system/system.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

Json array(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

// Names in the order in which reactions are listed.
std::vector<std::string> names_of(const Simulation& simulation) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  system::Terms terms = simulation.system().make_terms();
  for (const system::Wrench& wrench : simulation.system().reactions(simulation.state(), terms))
    if (seen.insert(wrench.joint).second) names.push_back(wrench.joint);
  for (const system::Reading& effort : simulation.system().efforts(simulation.state(), terms))
    if (seen.insert(effort.object).second) names.push_back(effort.object);
  return names;
}

}  // namespace

Json bodies_json(const Mechanism& mechanism, const std::vector<Pose>& poses) {
  Json bodies = Json::object();
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const Vec3& at = poses[b].position;
    Json body = {{"x", at.x()}, {"y", at.y()}};
    if (mechanism.is_planar) {
      body["angle"] = poses[b].angle;
    } else {
      Eigen::Quaterniond q(poses[b].axes);
      if (q.w() < 0) q.coeffs() *= -1;
      body["z"] = at.z();
      body["q"] = {q.w(), q.x(), q.y(), q.z()};
    }
    bodies[mechanism.bodies[b].name] = std::move(body);
  }
  return bodies;
}

Json reactions_json(const Simulation& simulation) {
  Json all = Json::object();
  for (const std::string& name : names_of(simulation)) {
    const JointReaction reaction = simulation.reaction(name);
    Json entry = Json::object();
    Json loads = Json::array();
    for (const JointReaction::Load& load : reaction.loads)
      loads.push_back({{"body", load.body}, {"force", array(load.force)}, {"torque", array(load.torque)}});
    if (!loads.empty()) entry["loads"] = std::move(loads);
    if (!std::isnan(reaction.effort)) entry["effort"] = reaction.effort;
    entry["known"] = reaction.known;
    entry["not_unique"] = reaction.not_unique;
    if (!reaction.examined) entry["examined"] = false;
    all[name] = std::move(entry);
  }
  return all;
}

}  // namespace trammel::results
