#include "simulation/own_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simulation/motion_after.h"
#include "simulation/state_reader.h"
#include "system/system.h"

namespace trammel::simulation {
namespace {

// Where the points of a part are at a state, and how they move; world axes.
struct PointsAt {
  PointsAt(const Mechanism& mechanism, const std::vector<Pose>& poses, const std::vector<UserPoint>& points) {
    for (const UserPoint& point : points) {
      x.push_back(point.at);
      v.push_back(Vec3::Zero());
      for (std::size_t b = 0; b < poses.size(); ++b) {
        if (mechanism.bodies[b].name != point.body) continue;
        const Vec3 arm = poses[b].axes * (point.at - mechanism.bodies[b].com);
        x.back() = poses[b].position + arm;
        v.back() = poses[b].velocity + poses[b].angular_velocity.cross(arm);
      }
    }
  }
  std::vector<Vec3> x, v;
};

// NaN without its sign, which means nothing.
std::string plain(double x) { return std::isnan(x) ? "nan" : fmt::format("{:.6g}", x); }

// What of a force is not finite; empty: nothing.
std::string broken(const UserForce& law, double t, const PointsAt& at) {
  const std::vector<UserPoint> points = law.points();
  std::vector<Vec3> f(points.size(), Vec3::Zero());
  law.force(t, at.x, at.v, f);
  for (std::size_t i = 0; i < f.size(); ++i)
    if (!f[i].allFinite())
      return fmt::format("is ({}, {}, {}) N on '{}'", plain(f[i].x()), plain(f[i].y()), plain(f[i].z()),
                         points[i].body);
  const auto size = static_cast<Eigen::Index>(3 * points.size());
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(size, size), C = K;
  law.derivatives(t, at.x, at.v, K, C);
  return K.allFinite() && C.allFinite() ? "" : "has derivatives that are not finite";
}

std::string broken(const UserConstraint& law, double t, const PointsAt& at) {
  if (const double value = law.value(t, at.x); !std::isfinite(value)) return "is " + plain(value);
  std::vector<Vec3> g(at.x.size(), Vec3::Zero());
  law.gradient(t, at.x, g);
  bool finite = std::isfinite(law.time_derivative(t, at.x)) && std::isfinite(law.gamma(t, at.x, at.v));
  for (const Vec3& one : g) finite = finite && one.allFinite();
  return finite ? "" : "has derivatives that are not finite";
}

}  // namespace

std::string own_part_not_finite(const Simulation& simulation) {
  const Mechanism& mechanism = simulation.mechanism();
  const system::System& system = simulation.system();
  const auto is_own = [](const Force& force) { return std::holds_alternative<UserForcePtr>(force.law); };
  if (mechanism.constraints.empty() && !std::ranges::any_of(mechanism.forces, is_own)) return {};
  for (const double later : times_to_look_at(simulation)) {
    const State state = motion_after(system, simulation.state(), later);
    const std::vector<Pose> poses = system.poses(state);
    const auto told = [&](const char* kind, const std::string& name, const auto& law) -> std::string {
      const std::string what = broken(law, state.t, PointsAt(mechanism, poses, law.points()));
      return what.empty() ? ""
                          : fmt::format("{} '{}' {} from about t = {:.6g} s on", kind, name, what, state.t);
    };
    for (const Force& force : mechanism.forces)
      if (const auto* law = std::get_if<UserForcePtr>(&force.law))
        if (std::string text = told("force", force.name, **law); !text.empty()) return text;
    for (const CustomConstraint& custom : mechanism.constraints)
      if (std::string text = told("constraint", custom.name, *custom.law); !text.empty()) return text;
  }
  return {};
}

}  // namespace trammel::simulation
