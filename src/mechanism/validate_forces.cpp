// Forces act on bodies and joints that exist, with numbers in range.
#include <fmt/format.h>

#include <cmath>

#include "mechanism/signals.h"
#include "mechanism/validate_parts.h"

namespace trammel::mechanism {
namespace {

class ForceCheck {
 public:
  ForceCheck(const Mechanism& mechanism, const MechanismIndex& index, const Force& force, Issues& issues)
      : mechanism_(mechanism), index_(index), force_(force), issues_(issues) {}

  void operator()(const SpringDamper& spring) {
    two_bodies(spring.a, spring.b);
    if (spring.length < 0)
      add("length", fmt::format("the free length of '{}' is {} m", force_.name, spring.length),
          "give zero or more");
    finite({spring.stiffness, spring.length, spring.damping, spring.preload});
  }

  void operator()(const JointSpring& spring) {
    one_coordinate(spring.joint);
    finite({spring.stiffness, spring.free, spring.damping, spring.preload});
  }

  void operator()(const JointFriction& friction) {
    one_coordinate(friction.joint);
    finite({friction.coulomb, friction.viscous, friction.transition});
    not_negative("coulomb", friction.coulomb);
    not_negative("viscous", friction.viscous);
    if (friction.transition <= 0) {
      add("transition", fmt::format("the transition speed of '{}' is {}", force_.name, friction.transition),
          "give the positive speed at which friction is nearly full");
    }
  }

  void operator()(const AppliedForce& force) {
    known_body(force.at.body);
    components(force.components.size(), mechanism_.is_planar ? 2 : 3);
  }

  void operator()(const AppliedTorque& torque) {
    components(torque.components.size(), mechanism_.is_planar ? 1 : 3);
    const auto body = index_.bodies.find(torque.body);
    if (body == index_.bodies.end() || body->second->kind == Body::Kind::point_mass) {
      add("on", fmt::format("'{}' acts on '{}', which cannot turn", force_.name, torque.body),
          "name a rod or a rigid body");
    }
  }

  void operator()(const Bushing& bushing) {
    two_bodies(bushing.a, bushing.b);
    if (!bushing.stiffness.allFinite() || !bushing.damping.allFinite())
      add("", "a number is not finite", "give finite numbers");
  }

  void operator()(const UserForcePtr& law) {
    if (law == nullptr) return add("", fmt::format("force '{}' has no law", force_.name), "give a UserForce");
    for (const UserPoint& point : law->points()) known_body(point.body);
    if (law->points().size() > kMaxUserPoints)
      add("", fmt::format("'{}' acts on {} points", force_.name, law->points().size()),
          fmt::format("give at most {}", kMaxUserPoints));
  }

 private:
  bool known_body(const std::string& name) {
    if (index_.has_body(name)) return true;
    add("", fmt::format("'{}' names '{}', which is no body", force_.name, name), "add the body");
    return false;
  }

  void two_bodies(const Marker& a, const Marker& b) {
    if (!known_body(a.body) || !known_body(b.body) || a.body != b.body) return;
    add("", fmt::format("'{}' connects '{}' to itself", force_.name, a.body),
        "name points of two different bodies");
  }

  void one_coordinate(const std::string& name) {
    const auto joint = index_.joints.find(name);
    if (joint != index_.joints.end() &&
        has_angle(mechanism_, *joint->second) != has_displacement(mechanism_, *joint->second))
      return;
    add("", fmt::format("'{}' needs a joint with one coordinate, not '{}'", force_.name, name),
        "name a revolute or prismatic joint, or a pin of two bodies");
  }

  void components(std::size_t given, std::size_t needed) {
    if (given != needed)
      add("", fmt::format("'{}' needs {} component(s)", force_.name, needed), "give one per axis");
  }

  void not_negative(const std::string& field, double value) {
    if (value < 0)
      add(field, fmt::format("the {} friction of '{}' is {}", field, force_.name, value),
          "give zero or more");
  }

  void finite(std::initializer_list<double> values) {
    for (const double value : values) {
      if (!std::isfinite(value))
        return add("", fmt::format("'{}' has a number that is not finite", force_.name),
                   "give finite numbers");
    }
  }

  void add(const std::string& field, std::string message, std::string remedy) {
    issues_.push_back({force_.where, field, std::move(message), std::move(remedy)});
  }

  const Mechanism& mechanism_;
  const MechanismIndex& index_;
  const Force& force_;
  Issues& issues_;
};

}  // namespace

void validate_own_constraints(const Mechanism& mechanism, const MechanismIndex& index, Issues& issues) {
  for (const CustomConstraint& custom : mechanism.constraints) {
    const auto add = [&](std::string message, std::string remedy) {
      issues.push_back({{}, "", std::move(message), std::move(remedy)});
    };
    if (custom.law == nullptr) {
      add(fmt::format("constraint '{}' has no law", custom.name), "give a UserConstraint");
      continue;
    }
    const std::vector<UserPoint> points = custom.law->points();
    for (const UserPoint& point : points)
      if (!index.has_body(point.body))
        add(fmt::format("'{}' names '{}', which is no body", custom.name, point.body), "add the body");
    if (points.empty() || points.size() > kMaxUserPoints)
      add(fmt::format("'{}' holds {} points", custom.name, points.size()),
          fmt::format("give at least one and at most {}", kMaxUserPoints));
    if (const double scale = custom.law->scale(); !std::isfinite(scale) || scale <= 0)
      add(fmt::format("scale() of '{}' is {}", custom.name, scale), "return a positive number");
  }
}

void validate_forces(const Mechanism& mechanism, const MechanismIndex& index, Issues& issues) {
  for (const Force& force : mechanism.forces) {
    std::visit(ForceCheck(mechanism, index, force, issues), force.law);
  }
}

}  // namespace trammel::mechanism
