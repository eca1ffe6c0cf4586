#include "simulation/acting_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "expressions/expression.h"
#include "mechanism/acting_expressions.h"
#include "mechanism/signals.h"
#include "simulation/motion_after.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"
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

  State start() const { return system_->initial_state(); }

  State followed(const State& from, double h) const { return motion_after(*system_, from, h); }

 private:
  std::vector<mechanism::ActingExpression> acting_;
  std::shared_ptr<const system::System> system_;
  std::vector<double> values_;
};

}  // namespace

std::string expression_not_finite(const Simulation& simulation) {
  ActingValues acting(simulation);
  if (acting.none()) return {};
  for (const double later : times_to_look_at(simulation)) {
    const State state = acting.followed(simulation.state(), later);
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

namespace {

// e = c (T − t)^(−p) has e/ė = (T − t)/p, which falls with the slope −1/p; exp(t/τ) has e/ė = τ.
struct Growth {
  std::size_t expression = 0;
  double value = 0;
  double time = 0;   // e/ė, s
  double power = 0;  // p; infinite: no pole
};

// Of each expression that changes and is `by` times as large as at the start, or as 1.
std::vector<Growth> growing(ActingValues& acting, const State& now, double interval, double by) {
  constexpr double kFirst = 1e-3, kSmall = 0.02;  // of the interval, and of the value in one difference
  constexpr int kShorter = 14;                    // times a tenth
  std::vector<Growth> all;
  const std::vector<double> start = acting.at(acting.start()), here = acting.at(now);
  for (std::size_t k = 0; k < here.size(); ++k) {
    if (!(std::abs(here[k]) > by * std::max(std::abs(start[k]), 1.0)) || !std::isfinite(here[k])) continue;
    double h = kFirst * interval;
    for (int i = 0; i < kShorter; ++i, h /= 10) {
      const State aside = acting.followed(now, h);
      const double next = acting.at(aside)[k], after = acting.at(acting.followed(aside, h))[k];
      const double first = next - here[k], second = after - next;
      if (!(std::abs(first) < kSmall * std::abs(here[k]))) continue;
      if (first == 0) break;
      const double time = h * here[k] / first, later = h * next / second;
      const double slope = (later - time) / h;
      all.push_back({k, here[k], time, slope < 0 ? -1 / slope : INFINITY});
      break;
    }
  }
  return all;
}

bool is_of_time(const Simulation& simulation, const std::string& text) {
  const auto parsed = expressions::Expression::parse(text, *mechanism::make_symbols(simulation.mechanism()));
  const auto* e = std::get_if<expressions::Expression>(&parsed);
  return e != nullptr && e->slots() == std::vector<int>{0};
}

// A motion that becomes infinite is known to a step of one size, not better.
std::string to_steps(double t, double step) {
  const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  return fmt::format("{:.{}f}", step * std::round(t / step), digits);
}

std::string named(const ActingValues& acting, const Growth& growth) {
  const mechanism::ActingExpression& e = acting.expressions()[growth.expression];
  return fmt::format("{}: '{}' is {:.2g} there", e.owner, e.text, growth.value);
}

}  // namespace

std::string expression_with_pole(const Simulation& simulation, const State& state) {
  // A pole is less than two output intervals away, and of a power that laws of forces have.
  constexpr double kGrown = 10, kIntervals = 2, kLeastPower = 0.2, kMostPower = 20;
  ActingValues acting(simulation);
  if (acting.none()) return {};
  const double interval = landing_interval(simulation.plan());
  const Growth* nearest = nullptr;
  const auto all = growing(acting, state, interval, kGrown);
  for (const Growth& one : all)
    if (one.power > kLeastPower && one.power < kMostPower &&
        one.power * std::abs(one.time) < kIntervals * interval &&
        (nearest == nullptr || std::abs(one.value) > std::abs(nearest->value)))
      nearest = &one;
  if (nearest == nullptr) return {};
  const double pole = state.t + nearest->power * nearest->time;
  const bool by_motion = !is_of_time(simulation, acting.expressions()[nearest->expression].text);
  return fmt::format("{} and becomes infinite at about t = {} s; end the run before, or change it",
                     named(acting, *nearest),
                     by_motion && !controls_error(simulation.resolved()) ? to_steps(pole, interval)
                                                                         : fmt::format("{:.5g}", pole));
}

std::string expression_that_doubles(const Simulation& simulation) {
  constexpr double kGrown = 1e3;
  ActingValues acting(simulation);
  if (acting.none()) return {};
  const Growth* largest = nullptr;
  const auto all = growing(acting, simulation.state(), landing_interval(simulation.plan()), kGrown);
  for (const Growth& one : all)
    if (one.time > 0 && (largest == nullptr || std::abs(one.value) > std::abs(largest->value)))
      largest = &one;
  if (largest == nullptr) return {};
  const bool of_time = is_of_time(simulation, acting.expressions()[largest->expression].text);
  return fmt::format("{} and doubles in {:.2g} s{}", named(acting, *largest),
                     std::numbers::ln2 * largest->time,
                     of_time ? "; end the run before, or change it"
                             : " with the motion that it drives, as negative damping does; look at its sign, "
                               "or end the run before");
}

}  // namespace trammel::simulation
