#include "results/report/state_json.h"

#include <Eigen/Geometry>

#include "simulation/reaction_columns.h"
#include "system/system.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

Json array(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

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

Json reactions_json(const Simulation& simulation, const State& state) {
  system::Terms terms = simulation.system().make_terms();
  Json all = Json::object();
  for (const system::Wrench& wrench : simulation.system().reactions(state, terms))
    all[wrench.joint]["loads"].push_back(
        {{"body", wrench.body}, {"force", array(wrench.force)}, {"torque", array(wrench.torque)}});
  for (const system::Reading& effort : simulation.system().efforts(state, terms))
    all[effort.object.empty() ? effort.quantity : effort.object]["effort"] = effort.value;
  for (auto& [name, entry] : all.items()) entry["not_unique"] = Json::array();
  const simulation::ReactionCheck check = simulation::check_reactions(simulation, state);
  for (const simulation::ReactionCheck::Entry& entry : check.entries)
    if (!entry.unique && all.contains(entry.joint)) all[entry.joint]["not_unique"].push_back(entry.component);
  if (!check.examined)
    for (auto& [name, entry] : all.items()) entry["examined"] = false;
  return all;
}

}  // namespace trammel::results
