#include "mechanism/acting_expressions.h"

#include "mechanism/force_texts.h"
#include "mechanism/joint_kinds.h"

namespace trammel::mechanism {

std::vector<ActingExpression> acting_expressions(const Mechanism& mechanism) {
  std::vector<ActingExpression> all;
  std::string owner;
  const auto owned_by = [&](const char* kind, const std::string& name) {
    owner = std::string(kind) + " '" + name + "'";
  };
  const auto add = [&](const std::string& text) {
    if (!text.empty()) all.push_back({text, owner});
  };
  const auto add_all = [&](const auto& texts) {
    for (const std::string& text : texts) add(text);
  };
  for (const Joint& joint : mechanism.joints)
    if (!joint.law.empty()) {
      owned_by("joint", joint.name);
      if (about(joint.kind).of == JointOf::signals) add_all(joint.of);
      add_all(joint.law);
    }
  for (const Driver& driver : mechanism.drivers) {
    owned_by("driver", driver.name);
    add_all(driver.equals);
  }
  for (const Force& force : mechanism.forces) {
    owned_by("force", force.name);
    for_each_text(force, [&](const std::string&, const char*, const std::string& text) { add(text); });
  }
  for (const AuxiliaryState& state : mechanism.states) {
    owned_by("state", state.name);
    add(state.derivative);
  }
  if (!mechanism.generalized) return all;
  owner = "the mass matrix";
  for (const auto& entry : mechanism.generalized->mass) add(entry.value);
  for (const auto& term : mechanism.generalized->applied) {
    owned_by("the applied force on", term.name);
    add(term.value);
  }
  for (const auto& term : mechanism.generalized->constraints) {
    owned_by("constraint", term.name);
    add(term.value);
  }
  owner = "the potential";
  add(mechanism.generalized->potential);
  return all;
}

}  // namespace trammel::mechanism
