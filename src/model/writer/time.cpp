// Formulas of a model whose time begins later.
#include <fmt/format.h>

#include "expressions/lexer.h"
#include "mechanism/force_texts.h"
#include "model/writer/parts.h"

namespace trammel::model {
namespace {

std::string shifted(const std::string& text, double by) {
  std::string out;
  std::size_t done = 0;
  expressions::Lexer lexer(text);
  for (expressions::Token token = lexer.next(); token.kind != expressions::TokenKind::kEnd;
       token = lexer.next()) {
    if (token.kind != expressions::TokenKind::kName || token.text != "t") continue;
    const auto at = static_cast<std::size_t>(token.text.data() - text.data());
    out += text.substr(done, at - done) + fmt::format("(t + {:.17g})", by);
    done = at + token.text.size();
  }
  return out + text.substr(done);
}

}  // namespace

void shift_time(Mechanism& m, double by) {
  if (by == 0) return;
  const auto one = [&](std::string& text) { text = shifted(text, by); };
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
