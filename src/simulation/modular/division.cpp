#include "simulation/modular/division.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "mechanism/force_texts.h"
#include "mechanism/joint_kinds.h"
#include "mechanism/signals.h"

namespace trammel::simulation {
namespace {

template <class List>
auto find_named(const List& list, const std::string& name) {
  return std::find_if(list.begin(), list.end(), [&](const auto& x) { return x.name == name; });
}

bool holds_ground(const Subsystem& s) {
  return std::find(s.bodies.begin(), s.bodies.end(), kGround) != s.bodies.end();
}

}  // namespace

Division::Division(const Mechanism& mechanism)
    : mechanism_(mechanism),
      symbols_(mechanism::make_symbols(mechanism_)),
      subsystems_(mechanism.subsystems) {
  for (const Force& force : mechanism.forces)
    if (std::holds_alternative<DryFriction>(force.law))
      throw std::invalid_argument(
          fmt::format("formulation modular does not know the stiction of '{}'; take another formulation, or "
                      "friction: with "
                      "a transition speed",
                      force.name));
  for (std::size_t k = 0; k < subsystems_.size(); ++k)
    for (const std::string& body : subsystems_[k].bodies)
      if (body != kGround) home_[body] = k;
  for (const Body& body : mechanism.bodies) {
    if (home_.count(body.name) > 0) continue;
    home_[body.name] = subsystems_.size();
    subsystems_.emplace_back();
    subsystems_.back().name = body.name;
    subsystems_.back().bodies = {body.name};
  }
  refuse_armatures();
}

// The energy of an armature belongs to two bodies at once.
void Division::refuse_armatures() const {
  for (const Joint& joint : mechanism_.joints)
    if (joint.armature != 0 && home_of_joint(joint) == kBetween)
      throw std::invalid_argument(fmt::format(
          "formulation modular does not know the armature of '{}' between two subsystems; put what "
          "it joins into one subsystem, or take another formulation",
          joint.name));
}

void Division::use(Uses& uses, const std::string& body) const {
  if (body == kGround)
    uses.ground = true;
  else
    uses.bodies.insert(body);
}

void Division::use_joint(Uses& uses, const std::string& name) const {
  const Joint* joint = mechanism_.joint(name);
  if (joint == nullptr || !uses.joints.insert(name).second) return;
  for (const Marker& marker : joint->markers) use(uses, marker.body);
  if (mechanism::about(joint->kind).of == mechanism::JointOf::signals) {
    for (const std::string& text : joint->of) use_text(uses, text);
    for (const std::string& text : joint->law) use_text(uses, text);
  } else {
    for (const std::string& other : joint->of) use_joint(uses, other);
  }
}

void Division::use_text(Uses& uses, const std::string& text) const {
  if (text.empty()) return;
  const auto parsed = expressions::Expression::parse(text, *symbols_);
  const auto* expression = std::get_if<expressions::Expression>(&parsed);
  if (expression == nullptr) return;  // compile() says so
  for (const int slot : expression->slots()) {
    const std::string& name = symbols_->name(slot);
    if (find_named(mechanism_.states, name) != mechanism_.states.end()) uses.states = true;
    const std::optional<mechanism::Signal> signal = mechanism::resolve_signal(mechanism_, name);
    if (!signal) continue;
    if (signal->kind == mechanism::Signal::Kind::coordinate) {
      use(uses, signal->point.body);
    } else if (signal->kind == mechanism::Signal::Kind::body_angle ||
               signal->kind == mechanism::Signal::Kind::body_axis) {
      use(uses, signal->object);
    } else if (signal->kind == mechanism::Signal::Kind::spring_length) {
      const auto& spring = std::get<SpringDamper>(find_named(mechanism_.forces, signal->object)->law);
      uses.springs.insert(signal->object);
      use(uses, spring.a.body);
      use(uses, spring.b.body);
    } else if (signal->kind == mechanism::Signal::Kind::belt_part) {
      const auto& belt = std::get<ElasticBelt>(find_named(mechanism_.forces, signal->object)->law);
      uses.springs.insert(signal->object);
      use(uses, belt.a.body);
      use(uses, belt.b.body);
    } else {
      use_joint(uses, signal->object);
    }
  }
}

Division::Uses Division::uses(const Joint& joint) const {
  Uses all;
  use_joint(all, joint.name);
  return all;
}

Division::Uses Division::uses(const Driver& driver) const {
  Uses all;
  if (driver.kind == Driver::Kind::joint) use_joint(all, driver.of);
  if (driver.kind == Driver::Kind::body_angle) {
    use(all, driver.of);
    all.ground = true;
  }
  for (const Marker& marker : driver.markers) use(all, marker.body);
  all.ground = all.ground || driver.kind == Driver::Kind::position;
  for (const std::string& text : driver.equals) use_text(all, text);
  return all;
}

Division::Uses Division::uses(const Force& force) const {
  Uses all;
  mechanism::for_each_text(
      force, [&](const std::string&, const char*, const std::string& text) { use_text(all, text); });
  for (const std::string& joint : mechanism::joints_of(force)) use_joint(all, joint);
  if (const auto* spring = std::get_if<SpringDamper>(&force.law)) {
    use(all, spring->a.body);
    use(all, spring->b.body);
  } else if (const auto* applied = std::get_if<AppliedForce>(&force.law)) {
    use(all, applied->at.body);
  } else if (const auto* torque = std::get_if<AppliedTorque>(&force.law)) {
    use(all, torque->body);
  } else if (const auto* bushing = std::get_if<Bushing>(&force.law)) {
    use(all, bushing->a.body);
    use(all, bushing->b.body);
  } else if (const auto* belt = std::get_if<ElasticBelt>(&force.law)) {
    use(all, belt->a.body);
    use(all, belt->b.body);
  } else if (const auto* own = std::get_if<UserForcePtr>(&force.law)) {
    for (const UserPoint& point : (*own)->points()) use(all, point.body);
  }
  all.springs.erase(force.name);
  return all;
}

Division::Uses Division::uses(const CustomConstraint& custom) const {
  Uses all;
  for (const UserPoint& point : custom.law->points()) use(all, point.body);
  return all;
}

int Division::home_of(const Uses& uses, bool constrains) const {
  if (uses.bodies.empty() || uses.states) return kBetween;
  const std::size_t first = home_.at(*uses.bodies.begin());
  for (const std::string& body : uses.bodies)
    if (home_.at(body) != first) return kBetween;
  if (constrains && uses.ground && !holds_ground(subsystems_[first])) return kBetween;
  // What it reads must be there too.
  for (const std::string& name : uses.joints)
    if (home_of_joint(*mechanism_.joint(name)) != static_cast<int>(first)) return kBetween;
  for (const std::string& name : uses.springs)
    if (home_of(this->uses(*find_named(mechanism_.forces, name)), false) != static_cast<int>(first))
      return kBetween;
  return static_cast<int>(first);
}

int Division::home_of_joint(const Joint& joint) const {
  Uses all = uses(joint);
  all.joints.erase(joint.name);
  return home_of(all, true);
}

Mechanism Division::only(const std::set<std::string>& bodies) const {
  Mechanism out;
  out.name = mechanism_.name;
  out.is_planar = mechanism_.is_planar;
  out.gravity = mechanism_.gravity;
  out.parameters = mechanism_.parameters;
  out.functions = mechanism_.functions;
  out.definitions = mechanism_.definitions;
  out.inputs = mechanism_.inputs;
  for (const Body& body : mechanism_.bodies)
    if (bodies.count(body.name) > 0) out.bodies.push_back(body);
  for (Point point : mechanism_.points) {
    std::erase_if(point.on, [&](const Marker& m) { return m.body != kGround && bodies.count(m.body) == 0; });
    if (!point.on.empty()) out.points.push_back(std::move(point));
  }
  return out;
}

Mechanism Division::inside(std::size_t subsystem) const {
  const int here = static_cast<int>(subsystem);
  std::set<std::string> bodies;
  for (const auto& [body, home] : home_)
    if (home == subsystem) bodies.insert(body);
  Mechanism out = only(bodies);
  for (const Joint& joint : mechanism_.joints)
    if (home_of_joint(joint) == here) out.joints.push_back(joint);
  for (const Driver& driver : mechanism_.drivers)
    if (home_of(uses(driver), true) == here) out.drivers.push_back(driver);
  for (const Force& force : mechanism_.forces)
    if (home_of(uses(force), false) == here) out.forces.push_back(force);
  for (const CustomConstraint& custom : mechanism_.constraints)
    if (home_of(uses(custom), true) == here) out.constraints.push_back(custom);
  return out;
}

Connector Division::connector(const std::string& name, const Uses& uses) const {
  Connector out{name, false, mechanism_.gravity.norm(), only(uses.bodies)};
  Mechanism& m = out.mechanism;
  m.gravity.setZero();
  for (Body& body : m.bodies) body.rotor.reset();
  for (AuxiliaryState state : mechanism_.states) {
    state.derivative = "0";  // its value is read here, its motion belongs to the whole
    m.states.push_back(std::move(state));
  }
  for (const Joint& joint : mechanism_.joints)
    if (uses.joints.count(joint.name) > 0) {
      m.joints.push_back(joint);
      m.joints.back().shares = false;
    }
  // Springs and belts whose length something reads are there without their force.
  for (const Force& force : mechanism_.forces)
    if (uses.springs.count(force.name) > 0) {
      m.forces.push_back(force);
      if (auto* spring = std::get_if<SpringDamper>(&m.forces.back().law))
        *spring = SpringDamper{spring->a, spring->b, 0, 0, 0, 0, ""};
      else
        std::get<ElasticBelt>(m.forces.back().law).law = "0";
    }
  return out;
}

std::vector<Connector> Division::connectors() const {
  std::vector<Connector> all;
  for (const Joint& joint : mechanism_.joints)
    if (home_of_joint(joint) == kBetween) all.push_back(connector(joint.name, uses(joint)));
  for (const Driver& driver : mechanism_.drivers) {
    if (home_of(uses(driver), true) != kBetween) continue;
    all.push_back(connector(driver.name, uses(driver)));
    all.back().mechanism.drivers.push_back(driver);
  }
  for (const CustomConstraint& custom : mechanism_.constraints) {
    if (home_of(uses(custom), true) != kBetween) continue;
    all.push_back(connector(custom.name, uses(custom)));
    all.back().mechanism.constraints.push_back(custom);
  }
  for (const Force& force : mechanism_.forces) {
    const Uses used = uses(force);
    if (used.bodies.empty() || home_of(used, false) != kBetween) continue;
    all.push_back(connector(force.name, used));
    all.back().is_force = true;
    all.back().mechanism.forces.push_back(force);
  }
  return all;
}

Mechanism Division::whole() const {
  Mechanism out = mechanism_;
  for (Joint& joint : out.joints)
    if (home_of_joint(joint) == kBetween) joint.shares = false;
  return out;
}

}  // namespace trammel::simulation
