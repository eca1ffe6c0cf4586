#include "simulation/acting_values.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "mechanism/acting_expressions.h"
#include "simulation/plan_check.h"
#include "system/decisions.h"
#include "system/system.h"

namespace trammel::simulation {
namespace {

// The expressions that act, evaluated apart from the run.
class ActingValues {
 public:
  explicit ActingValues(const Simulation& simulation)
      : acting_(mechanism::acting_expressions(simulation.mechanism())) {
    std::vector<mechanism::Watched> watched;
    for (const mechanism::ActingExpression& one : acting_) watched.push_back({one.text});
    try {
      system_ =
          system::compile(simulation.mechanism(), system::coordinates_of(simulation.resolved()), watched);
    } catch (const std::invalid_argument&) {
      // Watching may need variables that these coordinates do not have.
    }
    if (!system_ || system_->sizes().q != simulation.system().sizes().q) acting_.clear();
    values_.resize(acting_.size());
  }

  bool none() const { return acting_.empty(); }
  const std::vector<mechanism::ActingExpression>& expressions() const { return acting_; }

  const std::vector<double>& at(const State& state) {
    system::Terms terms = system_->make_terms();
    system_->watch(state, terms, values_);
    return values_;
  }

  // The same after h more seconds: q ⊕ (v h + ½ a h²), v + a h. It is beyond the next break, and has the
  // branches of where it is.
  State followed(const State& from, double h) const {
    State state = from;
    std::vector<double> way(from.v.size());
    for (std::size_t k = 0; k < way.size(); ++k) {
      way[k] = h * (from.v[k] + 0.5 * h * from.a[k]);
      state.v[k] += h * from.a[k];
    }
    system_->retract(state.q, way);
    state.t = round_time(from.t + h);
    state.after = -std::numeric_limits<double>::infinity();
    state.before = std::numeric_limits<double>::infinity();
    state.remember(system::kDecisions, 0).clear();
    return state;
  }

 private:
  // A pole is mostly at a round time, which steps meet but for rounding.
  static double round_time(double t) {
    constexpr double kDigits = 1e12;
    const double rounded = std::round(t * kDigits) / kDigits;
    return std::abs(rounded - t) <= 1e-14 * std::abs(t) ? rounded : t;
  }

  std::vector<mechanism::ActingExpression> acting_;
  std::shared_ptr<const system::System> system_;
  std::vector<double> values_;
};

}  // namespace

std::string expression_not_finite(const Simulation& simulation) {
  // How far the motion is followed: parts of an output interval, from one that rounding hides to all of it.
  constexpr double kFirst = 1e-9, kFactor = 10;
  ActingValues acting(simulation);
  if (acting.none()) return {};
  const double interval = landing_interval(simulation.plan());
  for (double part = 0; part <= 1; part = part == 0 ? kFirst : kFactor * part) {
    const State state = acting.followed(simulation.state(), part * interval);
    const std::vector<double>& values = acting.at(state);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!std::isfinite(values[k]))
        return fmt::format("{}: '{}' is no longer finite from about t = {:.6g} s on",
                           acting.expressions()[k].owner, acting.expressions()[k].text, state.t);
  }
  return {};
}

std::string expression_grown(const Simulation& simulation, double by) {
  ActingValues acting(simulation);
  if (acting.none()) return {};
  State start = simulation.state();
  start.t = 0;
  const std::vector<double> before = acting.at(start), now = acting.at(simulation.state());
  std::size_t largest = 0;
  double growth = 0;
  for (std::size_t k = 0; k < now.size(); ++k) {
    const double times = std::abs(now[k]) / std::max(std::abs(before[k]), 1.0);
    if (times > growth) growth = times, largest = k;
  }
  if (growth < by) return {};
  return fmt::format("{}: '{}' is {:.2g} there", acting.expressions()[largest].owner,
                     acting.expressions()[largest].text, now[largest]);
}

}  // namespace trammel::simulation
