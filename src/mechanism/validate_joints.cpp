// Joints and drivers: their bodies exist, differ, and can do what the joint asks of them.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "mechanism/joint_kinds.h"
#include "mechanism/signals.h"
#include "mechanism/validate_parts.h"

namespace trammel::mechanism {
namespace {

class JointCheck {
 public:
  JointCheck(const Mechanism& mechanism, const MechanismIndex& index, const Joint& joint, Issues& issues)
      : mechanism_(mechanism), index_(index), joint_(joint), kind_(about(joint.kind)), issues_(issues) {}

  void run() {
    if (mechanism_.is_planar && !kind_.exists.plane)
      return add(
          "", fmt::format("'{}' is a {} joint, which does not exist in the plane", joint_.name, kind_.name),
          "`trammel describe joints` tells where each kind exists");
    armature();
    if (kind_.validate != nullptr) kind_.validate(mechanism_, index_, joint_, issues_);
    if (kind_.of == JointOf::joints) return coupler();
    if (!kind_.has_markers()) return;
    const bool is_count_good =
        joint_.kind == Joint::Kind::pin ? joint_.markers.size() >= 2 : joint_.markers.size() == 2;
    if (!is_count_good)
      return add("", fmt::format("joint '{}' does not connect two bodies", joint_.name), "name two bodies");
    std::set<std::string> bodies;
    for (const Marker& marker : joint_.markers) {
      if (!bodies.insert(marker.body).second) {
        add("", fmt::format("joint '{}' connects '{}' to itself", joint_.name, marker.body),
            "name two different bodies");
      }
      side(marker);
    }
    if (joint_.kind == Joint::Kind::distance && joint_.value <= 0) {
      add("length", fmt::format("the length of '{}' is {} m", joint_.name, joint_.value),
          "give a positive length; two points in one place are a shared point");
    }
  }

 private:
  void side(const Marker& marker) {
    if (!index_.has_body(marker.body)) {
      return add("", fmt::format("joint '{}' names '{}', which is no body", joint_.name, marker.body),
                 "add the body");
    }
    if (!marker.frame.at.allFinite() || !marker.frame.axes.allFinite()) {
      return add("", fmt::format("the place of joint '{}' is not finite", joint_.name),
                 "give finite numbers");
    }
    const auto body = index_.bodies.find(marker.body);
    const bool is_point_mass = body != index_.bodies.end() && body->second->kind == Body::Kind::point_mass;
    if (is_point_mass && kind_.holds_directions(mechanism_.is_planar)) {
      add("",
          fmt::format("joint '{}' holds the direction of the point mass '{}', which has none", joint_.name,
                      marker.body),
          "use point-on-line, point-on-plane or a shared point, or make it a rigid body");
    }
  }

  void armature() {
    if (joint_.armature == 0) return;
    if (!std::isfinite(joint_.armature) || joint_.armature < 0)
      add("armature", fmt::format("the armature of '{}' is {}", joint_.name, joint_.armature),
          "give zero or a positive inertia");
    if (has_angle(mechanism_, joint_) == has_displacement(mechanism_, joint_))
      add("armature", fmt::format("'{}' has an armature, but not exactly one coordinate", joint_.name),
          "give it to a revolute or prismatic joint");
  }

  void coupler() {
    const std::size_t count = kind_.couples.size();
    if (count == 0) return;
    if (joint_.of.size() != count) {
      return add("",
                 fmt::format("'{}' does not couple {}", joint_.name, count == 1 ? "a joint" : "two joints"),
                 "name the joints it couples");
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto of = index_.joints.find(joint_.of[i]);
      if (of == index_.joints.end()) {
        add("", fmt::format("'{}' names '{}', which is no joint", joint_.name, joint_.of[i]),
            "add the joint");
        continue;
      }
      const bool angle = has_angle(mechanism_, *of->second),
                 slide = has_displacement(mechanism_, *of->second);
      const bool fits = kind_.couples[i] == CoupledCoordinate::angle          ? angle
                        : kind_.couples[i] == CoupledCoordinate::displacement ? slide
                                                                              : angle && slide;
      if (!fits) {
        add("", fmt::format("joint '{}' has not the coordinate that '{}' couples", joint_.of[i], joint_.name),
            "a gear couples two angles, a rack an angle and a displacement, a screw a cylindrical joint");
      }
    }
    if (joint_.value == 0) {
      add("", fmt::format("'{}' couples by a factor of zero", joint_.name),
          "give its ratio, pitch or radius");
    }
  }

  void add(const std::string& field, std::string message, std::string remedy) {
    issues_.push_back({joint_.where, field, std::move(message), std::move(remedy)});
  }

  const Mechanism& mechanism_;
  const MechanismIndex& index_;
  const Joint& joint_;
  const JointInfo& kind_;
  Issues& issues_;
};

void validate_driver(const Mechanism& mechanism, const MechanismIndex& index, const Driver& driver,
                     Issues& issues) {
  const auto add = [&](std::string message, std::string remedy) {
    issues.push_back({driver.where, "", std::move(message), std::move(remedy)});
  };
  const bool is_position = driver.kind == Driver::Kind::position;
  const std::size_t axes = mechanism.is_planar ? 2 : 3;
  if (driver.equals.size() != (is_position ? axes : 1)) {
    add(fmt::format("driver '{}' needs {} expression(s)", driver.name, is_position ? axes : 1),
        "give what it follows");
  }
  const bool has_speed = driver.kind == Driver::Kind::joint || driver.kind == Driver::Kind::body_angle;
  if (driver.of_speed && !has_speed) {
    add(fmt::format("driver '{}' cannot follow a speed", driver.name),
        "drive the speed of a joint or of a planar body");
  }
  if (driver.kind == Driver::Kind::joint) {
    const auto joint = index.joints.find(driver.of);
    const bool fits = joint != index.joints.end() && joint->second->kind != Joint::Kind::cam &&
                      has_angle(mechanism, *joint->second) != has_displacement(mechanism, *joint->second);
    if (!fits)
      add(fmt::format("driver '{}' needs a joint with one coordinate", driver.name), "name such a joint");
  } else if (driver.kind == Driver::Kind::body_angle) {
    const auto body = index.bodies.find(driver.of);
    const bool turns =
        body != index.bodies.end() && mechanism.is_planar && body->second->kind != Body::Kind::point_mass;
    if (!turns)
      add(fmt::format("driver '{}' needs a planar body that turns", driver.name), "name such a body");
  } else if (driver.markers.size() != (is_position ? 1 : 2)) {
    add(fmt::format("driver '{}' needs {}", driver.name, is_position ? "a point" : "two points"),
        "name its points");
  }
  for (const Marker& marker : driver.markers) {
    if (index.has_body(marker.body)) continue;
    add(fmt::format("driver '{}' names '{}', which is no body", driver.name, marker.body), "add the body");
  }
  if (!is_position && driver.markers.size() == 2 && driver.markers[0].body == driver.markers[1].body) {
    add(fmt::format("driver '{}' holds two points of the same body apart", driver.name),
        "name points of two bodies");
  }
}

}  // namespace

void validate_joints(const Mechanism& mechanism, const MechanismIndex& index, Issues& issues) {
  for (const Joint& joint : mechanism.joints) JointCheck(mechanism, index, joint, issues).run();
  for (const Driver& driver : mechanism.drivers) validate_driver(mechanism, index, driver, issues);
}

}  // namespace trammel::mechanism
