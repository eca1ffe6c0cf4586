// Every expression of a mechanism parses and keeps to its scope.
#include <fmt/format.h>

#include "mechanism/force_texts.h"
#include "mechanism/joint_kinds.h"
#include "mechanism/signals.h"
#include "mechanism/validate_parts.h"

namespace trammel::mechanism {
namespace {

class ExpressionCheck {
 public:
  ExpressionCheck(const Mechanism& mechanism, Issues& issues)
      : mechanism_(mechanism), symbols_(make_symbols(mechanism)), issues_(issues) {}

  void check(const std::string& text, const std::string& owner, const std::string& field, const Source& where,
             Scope scope = Scope::forces, const std::string& definition = {}) {
    if (text.empty()) return;
    const auto parsed = expressions::Expression::parse(text, *symbols_, definition);
    if (const auto* error = std::get_if<expressions::ExpressionError>(&parsed)) {
      if (is_reported_elsewhere(*error, definition)) return;
      issues_.push_back({where, field, fmt::format("'{}' of '{}': {}", text, owner, error->message), ""});
      return;
    }
    for (const std::string& name :
         names_outside(scope, mechanism_, *symbols_, std::get<expressions::Expression>(parsed))) {
      issues_.push_back({where, field,
                         fmt::format("{} '{}' depends on '{}'",
                                     scope == Scope::time        ? "driver"
                                     : scope == Scope::positions ? "joint"
                                                                 : "the expression of",
                                     owner, name),
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
  for (const Definition& one : mechanism.definitions)
    expressions.check(one.text, one.name, "", one.where, Scope::outputs, one.name);
  for (const Driver& driver : mechanism.drivers) {
    for (const std::string& text : driver.equals)
      expressions.check(text, driver.name, "equals", driver.where, Scope::time);
  }
  for (const Joint& joint : mechanism.joints) {
    // What a coupler may use is checked with it.
    const bool couples = about(joint.kind).of == JointOf::joints;
    for (std::size_t k = 0; k < joint.law.size(); ++k)
      expressions.check(joint.law[k], joint.name, couples || k >= joint.of.size() ? "equals" : "",
                        joint.where, couples ? Scope::outputs : Scope::positions);
  }
  for (const Force& force : mechanism.forces) {
    for_each_text(force, [&](const std::string&, const char* key, const std::string& text) {
      expressions.check(text, force.name, key, force.where);
    });
  }
  for (const AuxiliaryState& state : mechanism.states) {
    expressions.check(state.derivative, state.name, "derivative", state.where);
  }
  expressions.check(mechanism.stop_when, "simulate", "stop-when", {}, Scope::outputs);
  for (const auto& [name, text] : mechanism.outputs)
    expressions.check(text, name, "", {}, Scope::outputs, name);
}

}  // namespace trammel::mechanism
