#include "mechanism/validate_couplers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mechanism/check_of_joint.h"
#include "mechanism/signals.h"

namespace trammel::mechanism {
namespace {

// Shafts that come back on themselves, to within this of half a turn, have no bend in which to turn alike.
constexpr double kFoldedBack = -0.9999;  // cos of the bend

class CouplerCheck : CheckOfJoint {
 public:
  using CheckOfJoint::CheckOfJoint;

  void run() {
    if (joint_.of.empty() || joint_.law.size() != 1)
      return add("", fmt::format("coupler '{}' couples nothing", joint_.name),
                 "name the joints and give what the first one's coordinate equals");
    std::set<std::string> names;
    for (const std::string& name : joint_.of) {
      if (!index_.joints.contains(name))
        add("", fmt::format("'{}' names '{}', which is no joint", joint_.name, name), "add the joint");
      else if (!names.insert(name).second)
        add("", fmt::format("coupler '{}' names joint '{}' twice", joint_.name, name), "name it once");
    }
    if (names.size() < joint_.of.size()) return;
    const Joint& first = *index_.joints.at(joint_.of.front());
    if (has_angle(mechanism_, first) == has_displacement(mechanism_, first))
      add("",
          fmt::format("coupler '{}' needs a first joint with one coordinate, not '{}'", joint_.name,
                      first.name),
          "name a revolute or prismatic joint, or a pin of two bodies, first");
    law();
  }

 private:
  void law() {
    const auto symbols = make_symbols(mechanism_);
    const auto parsed = expressions::Expression::parse(joint_.law.front(), *symbols);
    const auto* f = std::get_if<expressions::Expression>(&parsed);
    if (f == nullptr) return;  // told with the other expressions
    for (const int slot : f->slots()) {
      const std::string& name = symbols->name(slot);
      const std::optional<Signal> signal = resolve_signal(mechanism_, name);
      const bool coordinate =
          signal && !signal->rate && !signal->acceleration &&
          (signal->kind == Signal::Kind::joint_angle || signal->kind == Signal::Kind::joint_displacement);
      if (!coordinate)
        add("equals", fmt::format("coupler '{}' depends on '{}'", joint_.name, name),
            "it may use coordinates such as hinge.angle, parameters and functions only");
      else if (std::ranges::count(joint_.of, signal->object) == 0)
        add("equals",
            fmt::format("coupler '{}' depends on '{}', but does not name the joint '{}'", joint_.name, name,
                        signal->object),
            fmt::format("add '{}' to the joints that it couples", signal->object));
    }
    const auto kinks = f->crossings(0);
    if (std::ranges::any_of(kinks, [](const auto& crossing) { return !crossing.spline; }))
      add("equals", fmt::format("'{}' of coupler '{}' has a jump or a kink", joint_.law.front(), joint_.name),
          "use a smooth expression, as a spline or step()");
  }
};

// Both sides turn: a slender rod in space does not about its own axis.
void need_rotation(const MechanismIndex& index, const Joint& joint, Issues& issues) {
  for (const Marker& marker : joint.markers) {
    const auto body = index.bodies.find(marker.body);
    if (body == index.bodies.end() || body->second->kind != Body::Kind::rod) continue;
    issues.push_back(
        {joint.where, "",
         fmt::format("joint '{}' needs the rotation of the rod '{}', which has none about its own axis",
                     joint.name, body->first),
         "make it a rigid body with mass and inertia"});
  }
}

}  // namespace

void validate_coupler(const Mechanism& mechanism, const MechanismIndex& index, const Joint& joint,
                      Issues& issues) {
  CouplerCheck(mechanism, index, joint, issues).run();
}

void validate_screw_pair(const Mechanism&, const MechanismIndex& index, const Joint& joint, Issues& issues) {
  need_rotation(index, joint, issues);
  if (joint.value == 0 || !std::isfinite(joint.value))
    issues.push_back({joint.where, "pitch", fmt::format("the pitch of '{}' is {} m", joint.name, joint.value),
                      "give the displacement per turn"});
}

void validate_constant_velocity(const Mechanism& mechanism, const MechanismIndex& index, const Joint& joint,
                                Issues& issues) {
  need_rotation(index, joint, issues);
  if (joint.markers.size() != 2) return;
  const auto shaft = [&](const Marker& m) -> Vec3 {
    return mechanism.placement(m.body).axes * m.frame.axes.col(2);
  };
  if (shaft(joint.markers[0]).dot(shaft(joint.markers[1])) < kFoldedBack)
    issues.push_back({joint.where, "axes",
                      fmt::format("the shafts of '{}' point against each other at the start", joint.name),
                      "give both axes in the sense in which the drive goes on"});
}

}  // namespace trammel::mechanism
