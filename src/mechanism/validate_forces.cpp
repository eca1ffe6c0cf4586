// Forces act on bodies and joints that exist, with numbers in range.
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <set>

#include "mechanism/force_texts.h"
#include "mechanism/signals.h"
#include "mechanism/validate_belt.h"
#include "mechanism/validate_parts.h"

namespace trammel::mechanism {
namespace {

// The points of a force or constraint of a person's own.
template <class Add>
void check_own_points(const Mechanism& mechanism, const std::string& name, const char* does,
                      const std::vector<UserPoint>& points, const Add& add) {
  if (points.empty() || points.size() > kMaxUserPoints)
    return add(fmt::format("'{}' {} {} points", name, does, points.size()),
               fmt::format("give at least one and at most {}", kMaxUserPoints));
  bool moves = false;
  for (const UserPoint& point : points) {
    moves = moves || point.body != kGround;
    if (!point.at.allFinite())
      add(fmt::format("the place of '{}' on '{}' is not finite", name, point.body), "give finite numbers");
    else if (mechanism.is_planar && point.at.z() != 0)
      add(fmt::format("the place of '{}' on '{}' has z = {:.6g} m, and the mechanism moves in the plane",
                      name, point.body, point.at.z()),
          "give z = 0");
  }
  if (!moves)
    add(fmt::format("'{}' {} ground alone, which does not move", name, does),
        "give at least one point of a body");
}

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

  void operator()(const Tendon& tendon) {
    if (tendon.terms.empty())
      add("tendon", fmt::format("tendon '{}' names no joint", force_.name),
          "write tendon: {hinge: 0.02}: joints and their coefficients");
    std::set<std::string> names;
    for (const Tendon::Term& term : tendon.terms) {
      one_coordinate(term.joint);
      finite({term.coefficient});
      if (term.coefficient == 0)
        add("tendon", fmt::format("the coefficient of '{}' in '{}' is zero", term.joint, force_.name),
            "leave the joint out, or give another number");
      if (!names.insert(term.joint).second)
        add("tendon", fmt::format("'{}' stands twice in '{}'", term.joint, force_.name),
            "give one coefficient for each joint");
    }
    finite({tendon.stiffness, tendon.free, tendon.damping, tendon.preload});
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

  void operator()(const Motor& motor) {
    const auto joint = index_.joints.find(motor.joint);
    const char* what = motor.turns ? "angle" : "displacement";
    if (joint == index_.joints.end() ||
        !(motor.turns ? has_angle(mechanism_, *joint->second) : has_displacement(mechanism_, *joint->second)))
      add("joint",
          fmt::format("'{}' needs a joint with {}, not '{}'", force_.name,
                      motor.turns ? "an angle" : "a displacement", motor.joint),
          fmt::format("name a joint that has the coordinate {}", what));
    if (motor.law.empty())
      add(motor.turns ? "torque" : "force", fmt::format("motor '{}' has no law", force_.name),
          "give a number or an expression");
  }

  void operator()(const DryFriction& friction) {
    for (const std::string& joint : friction.joints) {
      const auto found = index_.joints.find(joint);
      if (found == index_.joints.end() || !can_rub(mechanism_, *found->second)) one_coordinate(joint);
    }
    const std::size_t joints = friction.joints.size();
    if (joints < 1 || joints > 2)
      add("", fmt::format("'{}' names {} joints", force_.name, joints), "name one, or two to couple");
    if (joints == 2 && friction.joints[0] == friction.joints[1])
      add("", fmt::format("'{}' couples joint '{}' to itself", force_.name, friction.joints[0]),
          "name two different joints");
    finite({friction.ratio});
    if (joints == 2 && friction.ratio == 0)
      add("ratio", fmt::format("the ratio of '{}' is zero", force_.name),
          "name one joint alone, or give another ratio");
    if (is_loaded(friction)) return loaded(friction);
    if (!friction.one_way && friction.capacity.empty())
      add("capacity", fmt::format("'{}' has no capacity", force_.name),
          "give the torque or force that it transmits while it slips");
  }

  // In proportion to the joint's load.
  void loaded(const DryFriction& friction) {
    finite({friction.coefficient, friction.static_coefficient, friction.radius, friction.length,
            friction.flank_angle});
    not_negative("coefficient", friction.coefficient);
    if (friction.static_coefficient < friction.coefficient)
      add("static-coefficient",
          fmt::format("the static coefficient of '{}' is {}, below its coefficient", force_.name,
                      friction.static_coefficient),
          "give the coefficient or more");
    if (friction.one_way || friction.joints.size() != 1)
      return add("coefficient", fmt::format("'{}' has a coefficient, but is not on one joint", force_.name),
                 "give a capacity");
    const auto joint = index_.joints.find(friction.joints[0]);
    if (joint == index_.joints.end()) return;
    if (joint->second->markers.size() != 2)
      add("",
          fmt::format("'{}' needs the reaction of a joint of two bodies, not of '{}'", force_.name,
                      joint->first),
          "give a capacity, or make a joint of two bodies");
    contact(friction, *joint->second);
  }

  // The sizes of what rubs.
  void contact(const DryFriction& friction, const Joint& joint) {
    const bool angle = has_angle(mechanism_, joint), thread = is_thread(joint);
    if (angle && !(friction.radius > 0))
      add("radius",
          fmt::format("the radius of the {} of '{}' is {} m", thread ? "thread" : "bearing", force_.name,
                      friction.radius),
          "give a positive radius");
    if (friction.length < 0)
      add("length", fmt::format("the length of '{}' is {} m", force_.name, friction.length),
          "give the distance of the ends of guide or bearing");
    if (friction.length > 0 && (thread || (angle && mechanism_.is_planar)))
      add("length",
          fmt::format("'{}' has a length, but joint '{}' has no moments across its axis", force_.name,
                      joint.name),
          "leave it out");
    if (!thread && friction.flank_angle != 0)
      add("flank-angle", fmt::format("joint '{}' is no thread", joint.name), "leave it out");
    // 80 deg: beyond, a nut would burst
    if (!(std::abs(friction.flank_angle) < 80 * std::numbers::pi / 180))
      add("flank-angle",
          fmt::format("the flank angle of '{}' is {:.4g} rad", force_.name, friction.flank_angle),
          "give half of the thread angle, below 80 deg");
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

  void operator()(const ElasticBelt& belt) {
    if (!known_body(belt.a.body) || !known_body(belt.b.body)) return;
    two_bodies(belt.a, belt.b);
    if (belt.law.empty())
      add("tension", fmt::format("belt '{}' has no law", force_.name), "give its tension");
    validate_span(mechanism_, index_, force_, belt, issues_);
  }

  void operator()(const UserForcePtr& law) {
    if (law == nullptr) return add("", fmt::format("force '{}' has no law", force_.name), "give a UserForce");
    for (const UserPoint& point : law->points()) known_body(point.body);
    check_own_points(
        mechanism_, force_.name, "acts on", law->points(),
        [&](std::string message, std::string remedy) { add("", std::move(message), std::move(remedy)); });
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
    check_own_points(mechanism, custom.name, "holds", points, add);
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
