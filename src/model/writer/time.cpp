// Formulas of a model whose time begins later.
#include <fmt/format.h>

#include "expressions/lexer.h"
#include "mechanism/force_texts.h"
#include "model/writer/parts.h"

namespace trammel::model {

void shift_time(Mechanism& m, double by) {
  if (by == 0) return;
  const std::string later = fmt::format("(t + {:.17g})", by);
  const auto one = [&](std::string& text) { text = expressions::with_time(text, later); };
  const auto all = [&](std::vector<std::string>& texts) {
    for (std::string& text : texts) one(text);
  };
  for (Joint& joint : m.joints) all(joint.law);
  for (Driver& driver : m.drivers) all(driver.equals);
  for (Force& force : m.forces) {
    mechanism::for_each_text(force, [&](const std::string&, const char*, std::string& text) { one(text); });
  }
  for (Definition& definition : m.definitions) one(definition.text);
  for (AuxiliaryState& x : m.states) one(x.derivative);
  for (auto& [name, text] : m.outputs) one(text);
  one(m.stop_when);
  if (!m.generalized) return;
  for (auto& entry : m.generalized->mass) one(entry.value);
  for (auto& term : m.generalized->applied) one(term.value);
  for (auto& term : m.generalized->constraints) one(term.value);
  one(m.generalized->potential);
}

}  // namespace trammel::model
