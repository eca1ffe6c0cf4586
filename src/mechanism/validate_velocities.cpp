// Joints of velocities: what moves, and on what; rolling contacts that have a point of contact; sums of
// speeds.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <set>

#include "expressions/nearest_name.h"
#include "mechanism/check_of_joint.h"
#include "mechanism/signals.h"
#include "mechanism/validate_parts.h"

namespace trammel::mechanism {
namespace {

using Kind = Joint::Kind;

// A disk leaning this near to the plane, in rad, has no point of contact to speak of.
constexpr double kFlat = 1e-3;

class VelocityCheck : CheckOfJoint {
 public:
  using CheckOfJoint::CheckOfJoint;

  void run() {
    switch (joint_.kind) {
      case Kind::knife_edge:
      case Kind::velocity_along:
        first_moves();
        return turns(false);
      case Kind::rolling:
      case Kind::rolling_disk:
        first_moves();
        turns(true);
        return rolls();
      case Kind::pursuit:
        if (!mechanism_.is_planar)
          add("", fmt::format("pursuit '{}' is in space", joint_.name),
              "tie the components of the velocity with two `velocity:` joints");
        return first_moves();
      case Kind::velocity:
        return sum();
      default:
        return;
    }
  }

 private:
  void first_moves() {
    if (joint_.markers.empty() || joint_.markers.front().body != kGround) return;
    add("", fmt::format("joint '{}' holds ground, which does not move", joint_.name),
        "name a moving body first");
  }

  // In space the bodies whose rotation counts are rigid: a slender rod has none about its own axis.
  void turns(bool first_too) {
    if (mechanism_.is_planar) return;
    for (std::size_t k = first_too ? 0 : 1; k < joint_.markers.size(); ++k) {
      const auto body = index_.bodies.find(joint_.markers[k].body);
      if (body == index_.bodies.end() || body->second->kind != Body::Kind::rod) continue;
      add("",
          fmt::format("joint '{}' needs the rotation of the rod '{}', which has none about its own axis",
                      joint_.name, body->first),
          "make it a rigid body with mass and inertia");
    }
  }

  void rolls() {
    if (joint_.kind == Kind::rolling_disk && mechanism_.is_planar)
      add("axis", fmt::format("the rolling disk '{}' is in the plane", joint_.name), "leave its axis out");
    if (!(joint_.value > 0))
      add("radius", fmt::format("the radius of '{}' is {} m", joint_.name, joint_.value),
          "give a positive radius");
    if (joint_.kind != Kind::rolling_disk || joint_.markers.size() != 2) return;
    const auto world_z = [&](const Marker& m) -> Vec3 {
      return mechanism_.placement(m.body).axes * m.frame.axes.col(2);
    };
    if (world_z(joint_.markers[0]).cross(world_z(joint_.markers[1])).norm() < kFlat)
      add("axis", fmt::format("the disk of '{}' lies flat on its plane at the start", joint_.name),
          "tilt it: a disk that lies flat does not roll");
  }

  void sum() {
    if (joint_.of.empty() || joint_.law.size() != joint_.of.size() + 1)
      return add("velocity", fmt::format("'{}' ties no speeds", joint_.name),
                 "write velocity: {hinge.rate: 2, slide.rate: 1}: speeds and their coefficients");
    std::set<std::string> names;
    for (const std::string& name : joint_.of) {
      const std::optional<Signal> signal = resolve_signal(mechanism_, name);
      if (!signal || !signal->rate) {
        add("velocity", fmt::format("'{}' of '{}' is no speed", name, joint_.name), nearest_speed(name));
      } else if (signal->kind == Signal::Kind::coordinate && is_on_ground(name)) {
        add("velocity",
            fmt::format("'{}' of '{}' is always zero: ground carries the point", name, joint_.name),
            "leave it out");
      }
      if (!names.insert(name).second)
        add("velocity", fmt::format("'{}' stands twice in '{}'", name, joint_.name),
            "give one coefficient for each speed");
    }
  }

  // P.vx of a point that ground carries.
  bool is_on_ground(const std::string& name) const {
    const Point* point = mechanism_.point(name.substr(0, name.rfind('.')));
    return point != nullptr &&
           std::any_of(point->on.begin(), point->on.end(), [](const Marker& m) { return m.body == kGround; });
  }

  std::string nearest_speed(const std::string& name) const {
    std::vector<std::string> speeds;
    for (std::string& known : signal_names(mechanism_)) {
      const auto signal = resolve_signal(mechanism_, known);
      if (signal && signal->rate) speeds.push_back(std::move(known));
    }
    const std::string nearest = expressions::nearest_name(name, speeds);
    return nearest.empty() ? "name a speed such as hinge.rate, crank.rate or P.vx"
                           : fmt::format("did you mean '{}'?", nearest);
  }
};

}  // namespace

void validate_velocity_joint(const Mechanism& mechanism, const MechanismIndex& index, const Joint& joint,
                             Issues& issues) {
  VelocityCheck(mechanism, index, joint, issues).run();
}

}  // namespace trammel::mechanism
