#include "simulation/switches.h"

#include <set>

#include "mechanism/acting_expressions.h"
#include "mechanism/signals.h"

namespace trammel::simulation {

void Switch::cell(double w, double& below, double& above) const {
  of.levels_around(crossing, w / crossing.unit, below, above);
  below *= crossing.unit;
  above *= crossing.unit;
  if (crossing.unit < 0) std::swap(below, above);
}

std::vector<Switch> switches_of(const Mechanism& mechanism) {
  const auto symbols = mechanism::make_symbols(mechanism);
  std::vector<Switch> all;
  std::set<std::string> seen;
  const auto add = [&](const std::string& text, bool acts) {
    if (text.empty() || !seen.insert(text).second) return;
    const auto parsed = expressions::Expression::parse(text, *symbols);
    const auto* e = std::get_if<expressions::Expression>(&parsed);
    if (e == nullptr) return;  // the System says what is wrong with it
    const std::vector<expressions::Tape::Crossing> crossings = e->crossings(0);
    for (std::size_t k = 0; k < crossings.size(); ++k)
      if (!crossings[k].spline && !(acts && crossings[k].alone))
        all.push_back({{text, static_cast<int>(k), acts}, *e, crossings[k]});
  };
  for (const mechanism::ActingExpression& one : mechanism::acting_expressions(mechanism)) add(one.text, true);
  add(mechanism.stop_when, false);
  return all;
}

}  // namespace trammel::simulation
