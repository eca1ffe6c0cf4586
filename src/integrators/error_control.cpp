#include "integrators/error_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "forms/take_state.h"
#include "integrators/first_stage.h"
#include "integrators/ode_step.h"

namespace trammel::integrators {
namespace {

constexpr int kMostSteps = 1'000'000;

}  // namespace

// Less than ten units of round-off in t; at t = 0, where 1/h overflows.
bool too_small(double h, double t) {
  using Limits = std::numeric_limits<double>;
  return 0.1 * h <= Limits::epsilon() * std::abs(t + h) || h < Limits::min() / Limits::epsilon();
}

Report stuck(const Spoken& rule, const char* what, double t, double h) {
  Report report;
  report.outcome = Outcome::not_converged;
  report.message =
      fmt::format("{}: {} at t = {:.6g} s (step {:.3g} s); {}", rule.name, what, t, h, rule.remedy);
  return report;
}

// From |y|, |ẏ| and |ÿ|: Hairer, Nørsett & Wanner (1993), II.4.
double first_step_size(forms::OdeForm& form, double t, std::span<const double> y,
                       std::span<const double> rate, double tolerance, int error_order,
                       std::span<double> trial, std::span<double> trial_rate, int& evaluations) {
  const std::span<const double> scale = form.scale();
  const double size = relative_norm(y, y, scale) / tolerance;
  const double speed = relative_norm(rate, y, scale) / tolerance;
  const double guess = size > 1e-5 && speed > 1e-5 ? 0.01 * size / speed : 1e-6;
  for (std::size_t i = 0; i < y.size(); ++i) trial[i] = y[i] + guess * rate[i];
  ++evaluations;
  if (!form.rate(t + guess, trial, trial_rate).accepted()) return guess;
  for (std::size_t i = 0; i < y.size(); ++i) trial[i] = (trial_rate[i] - rate[i]) / guess;
  const double bend = relative_norm(trial, y, scale) / tolerance;
  const double largest = std::max(speed, bend);
  if (!(largest > 1e-15)) return std::max(1e-6, 1e-3 * guess);
  return std::min(100 * guess, std::pow(0.01 / largest, 1.0 / error_order));
}

StepResult advance_by(OdeIntegrator& integrator, const Spoken& rule, forms::OdeForm& form, State& state,
                      double h, State& start) {
  StepResult total;
  total.steps = 0;
  forms::take(state, start);
  const double end = state.t + h;
  while (state.t < end) {
    const double t = state.t;
    total.take(integrator.advance(form, state, end - t));
    if (total.report.accepted() && total.steps > kMostSteps)
      total.report = stuck(rule, "a million internal steps were not enough", state.t, state.t - t);
    if (!total.report.accepted()) {
      forms::exchange(state, start);
      break;
    }
    if (same_time(state.t, end)) state.t = end;
  }
  return total;
}

void within_step(forms::OdeForm& form, const State& before, double t, std::span<const double> y,
                 Wanted wanted, State& state, StepResult& result) {
  forms::take(before, state);
  if (wanted == Wanted::positions) {
    result.report = form.unpack(t, y, state);
    if (result.report.accepted()) result.report = form.hold_positions(state);
    return;
  }
  form.tell_exactly(true);
  forms::Kept kept;
  if (complete(form, t, y, t - before.t, state, kept, result)) forget_first_stage(state);
  form.tell_exactly(false);
}

}  // namespace trammel::integrators
