// Every expression of a mechanism parses and keeps to its scope.
#include <fmt/format.h>

#include "mechanism/signals.h"
#include "mechanism/validate_parts.h"

namespace trammel::mechanism {
namespace {

class ExpressionCheck {
 public:
  ExpressionCheck(const Mechanism& mechanism, Issues& issues)
      : mechanism_(mechanism), symbols_(make_symbols(mechanism)), issues_(issues) {}

  void check(const std::string& text, const std::string& owner, const std::string& field, const Source& where,
             Scope scope = Scope::anything) {
    if (text.empty()) return;
    const auto parsed = expressions::Expression::parse(text, *symbols_);
    if (const auto* error = std::get_if<expressions::ExpressionError>(&parsed)) {
      issues_.push_back({where, field, fmt::format("'{}' of '{}': {}", text, owner, error->message), ""});
      return;
    }
    for (const std::string& name :
         names_outside(scope, mechanism_, *symbols_, std::get<expressions::Expression>(parsed))) {
      issues_.push_back(
          {where, field,
           fmt::format("{} '{}' depends on '{}'", scope == Scope::time ? "driver" : "joint", owner, name),
           scope_remedy(scope)});
    }
  }

 private:
  const Mechanism& mechanism_;
  std::unique_ptr<expressions::Symbols> symbols_;
  Issues& issues_;
};

}  // namespace

void validate_expressions(const Mechanism& mechanism, Issues& issues) {
  ExpressionCheck expressions(mechanism, issues);
  for (const Driver& driver : mechanism.drivers) {
    for (const std::string& text : driver.equals)
      expressions.check(text, driver.name, "equals", driver.where, Scope::time);
  }
  for (const Joint& joint : mechanism.joints) {
    for (std::size_t k = 0; k < joint.law.size(); ++k)
      expressions.check(joint.law[k], joint.name, k < joint.of.size() ? "" : "equals", joint.where,
                        Scope::positions);
  }
  for (const Force& force : mechanism.forces) {
    if (const auto* f = std::get_if<SpringDamper>(&force.law))
      expressions.check(f->law, force.name, "tension", force.where);
    if (const auto* f = std::get_if<JointSpring>(&force.law))
      expressions.check(f->law, force.name, "", force.where);
    if (const auto* f = std::get_if<AppliedForce>(&force.law)) {
      for (const std::string& text : f->components) expressions.check(text, force.name, "force", force.where);
    }
    if (const auto* f = std::get_if<AppliedTorque>(&force.law)) {
      for (const std::string& text : f->components)
        expressions.check(text, force.name, "torque", force.where);
    }
  }
  for (const AuxiliaryState& state : mechanism.states) {
    expressions.check(state.derivative, state.name, "derivative", state.where);
  }
  expressions.check(mechanism.stop_when, "simulate", "stop-when", {});
  for (const auto& [name, text] : mechanism.outputs) expressions.check(text, name, "", {});
}

}  // namespace trammel::mechanism
