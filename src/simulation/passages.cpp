#include "simulation/passages.h"

#include <algorithm>
#include <optional>
#include <set>

#include "mechanism/acting_expressions.h"
#include "mechanism/signals.h"

namespace trammel::simulation {
namespace {

bool is_state(const Mechanism& mechanism, const std::string& name) {
  return std::ranges::find(mechanism.states, name, &AuxiliaryState::name) != mechanism.states.end();
}

}  // namespace

Passages::Passages(const Mechanism& mechanism) {
  const auto symbols = mechanism::make_symbols(mechanism);
  std::set<std::string> seen;
  const auto add = [&](const expressions::Expression& e) {
    // One of time alone is searched before the step.
    if (e.is_constant() || e.slots().back() == 0) return;
    for (expressions::Expression& part : e.terms_with_peaks()) {
      Term term{Peaks(std::move(part)), {}};
      for (const int slot : term.peaks.of().slots()) {
        if (slot == 0) continue;
        const std::string name = symbols->name(slot);
        const auto at = std::find(signals_.begin(), signals_.end(), name);
        term.variables.emplace_back(slot, static_cast<std::size_t>(at - signals_.begin()));
        if (at != signals_.end()) continue;
        signals_.push_back(name);
        const auto signal = mechanism::resolve_signal(mechanism, name);
        const bool is_of_motion = signal && !signal->follows_forces();
        of_.push_back(is_of_motion && signal->rate                ? Of::rates
                      : is_of_motion || is_state(mechanism, name) ? Of::positions
                                                                  : Of::forces);
      }
      terms_.push_back(std::move(term));
    }
  };
  const auto parse = [&](const std::string& text) -> std::optional<expressions::Expression> {
    if (text.empty() || !seen.insert(text).second) return {};
    auto parsed = expressions::Expression::parse(text, *symbols);
    auto* e = std::get_if<expressions::Expression>(&parsed);
    // What is wrong with it the System says.
    return e == nullptr ? std::nullopt : std::optional(std::move(*e));
  };
  for (const mechanism::ActingExpression& one : mechanism::acting_expressions(mechanism))
    if (const auto e = parse(one.text)) add(*e);
  // The condition that ends the run may come true for a moment only.
  if (const auto e = parse(mechanism.stop_when)) {
    const int comparisons = static_cast<int>(e->crossings(0).size());
    for (int k = 0; k < comparisons; ++k) add(e->crossing_argument(k));
  }
}

double Passages::within(const End& from, const End& to) {
  const double middle = 0.5 * (from.t + to.t);
  double first = to.t;
  for (Term& term : terms_) {
    for (const auto& [slot, k] : term.variables)
      term.peaks.follow_path(slot, {from.t, to.t, from.signals[k], to.signals[k]});
    first = std::min(first, term.peaks.within(from.t, to.t));
    if (first > middle && term.peaks.may_miss(from.t, to.t)) first = middle;
  }
  return first < to.t ? first - from.t : 0;
}

}  // namespace trammel::simulation
