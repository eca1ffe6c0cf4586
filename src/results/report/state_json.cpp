#include "results/report/state_json.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

Json array(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

// A metre, or a radian, less than this is rounding.
double shown(double x) {
  constexpr double kNothing = 1e-12;
  return std::abs(x) < kNothing ? 0 : x;
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

std::string places_text(const Mechanism& mechanism, const std::vector<Pose>& poses) {
  std::string text;
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const Vec3 at = poses[b].position.unaryExpr(&shown);
    text +=
        fmt::format("  {:<16} x {:>12.6g} m   y {:>12.6g} m   ", mechanism.bodies[b].name, at.x(), at.y());
    text += mechanism.is_planar ? fmt::format("angle {:>12.6g} rad\n", shown(poses[b].angle))
                                : fmt::format("z {:>12.6g} m\n", at.z());
  }
  return text;
}

std::vector<std::string> place_head(const Mechanism& mechanism) {
  return {"body", "x [m]", "y [m]", mechanism.is_planar ? "angle [rad]" : "z [m]"};
}

std::vector<std::string> place_cells(const Mechanism& mechanism, std::size_t body, const Pose& pose) {
  const auto number = [](double x) { return fmt::format("{:.6g}", shown(x)); };
  return {mechanism.bodies[body].name, number(pose.position.x()), number(pose.position.y()),
          number(mechanism.is_planar ? pose.angle : pose.position.z())};
}

Json reactions_json(const std::map<std::string, JointReaction>& reactions) {
  Json all = Json::object();
  for (const auto& [name, reaction] : reactions) {
    Json entry = Json::object();
    for (const JointReaction::Load& load : reaction.loads)
      entry["loads"].push_back(
          {{"body", load.body}, {"force", array(load.force)}, {"torque", array(load.torque)}});
    if (!std::isnan(reaction.effort)) entry["effort"] = reaction.effort;
    entry["not_unique"] = reaction.not_unique;
    if (!reaction.examined) entry["examined"] = false;
    all[name] = std::move(entry);
  }
  return all;
}

}  // namespace trammel::results
