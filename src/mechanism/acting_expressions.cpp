#include "mechanism/acting_expressions.h"

#include "mechanism/joint_kinds.h"

namespace trammel::mechanism {

std::vector<std::string> acting_expressions(const Mechanism& mechanism) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) all.push_back(text);
  };
  const auto add_all = [&](const auto& texts) {
    for (const std::string& text : texts) add(text);
  };
  for (const Joint& joint : mechanism.joints)
    if (about(joint.kind).of == JointOf::signals) {
      add_all(joint.of);
      add_all(joint.law);
    }
  for (const Driver& driver : mechanism.drivers) add_all(driver.equals);
  for (const Force& force : mechanism.forces) {
    if (const auto* f = std::get_if<SpringDamper>(&force.law)) add(f->law);
    if (const auto* f = std::get_if<JointSpring>(&force.law)) add(f->law);
    if (const auto* f = std::get_if<AppliedForce>(&force.law)) add_all(f->components);
    if (const auto* f = std::get_if<AppliedTorque>(&force.law)) add_all(f->components);
  }
  for (const AuxiliaryState& state : mechanism.states) add(state.derivative);
  if (mechanism.generalized) {
    for (const auto& entry : mechanism.generalized->mass) add(entry.value);
    for (const auto& term : mechanism.generalized->applied) add(term.value);
    for (const auto& term : mechanism.generalized->constraints) add(term.value);
    add(mechanism.generalized->potential);
  }
  return all;
}

}  // namespace trammel::mechanism
