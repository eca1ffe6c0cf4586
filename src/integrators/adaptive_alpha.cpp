#include "integrators/adaptive_alpha.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "forms/take_state.h"
#include "integrators/ode_step.h"

namespace trammel::integrators {
namespace {

constexpr MemorySlot kControl{"step control", Lifetime::step};
constexpr int kErrorOrder = 3;
// Attempts for one interval. After the first so many of them it is given up if at this pace it would take
// more than the last number, hours for the smallest mechanism.
constexpr int kMostAttempts = 1'000'000, kFirstAttempts = 20'000;
constexpr double kHopeless = 1e9;
// A step of less than this many units of round-off in t gets nowhere.
constexpr double kLeastStep = 10 * std::numeric_limits<double>::epsilon();

}  // namespace

AdaptiveAlpha::AdaptiveAlpha(AlphaRule rule, double tolerance, double convergence, int max_iterations,
                             std::span<const double> scale)
    : rule_(rule, convergence, max_iterations),
      constant_(rule.error_constant()),
      tolerance_(tolerance),
      scale_(scale),
      controller_(kErrorOrder) {}

void AdaptiveAlpha::prepare(State& state) const {
  rule_.prepare(state);
  state.remember(kControl, 0).assign(StepController::kMemory + 1 + state.x.size(), 0.0);
}

double AdaptiveAlpha::proposed(const State& state) const {
  const std::vector<double>* memory = state.recall(kControl);
  if (memory == nullptr) return 0;
  StepController controller(kErrorOrder);
  controller.recall(*memory);
  return controller.proposed();
}

// A step in which the acceleration moves each body by a hundredth of what counts as one, but no further than
// its speed does: growth corrects what is too small.
double AdaptiveAlpha::first_proposal(const State& state) const {
  double speed = 0, acceleration = 0;
  for (std::size_t i = 0; i < state.v.size(); ++i) {
    speed = std::max(speed, std::abs(state.v[i]) / scale_[i]);
    acceleration = std::max(acceleration, std::abs(state.a[i]) / scale_[i]);
  }
  const double part = std::cbrt(tolerance_);
  return part / std::max({speed, std::sqrt(acceleration), 1.0});
}

double AdaptiveAlpha::error(const State& from, const State& to, double h) const {
  double norm = 0;
  for (std::size_t i = 0; i < to.a.size(); ++i)
    norm = std::max(norm, constant_ * h * h * std::abs(to.a[i] - from.a[i]) / scale_[i]);
  // What the forces of a projection would still have moved; it adds to the rule's own error.
  if (const std::vector<double>& split = rule_.split(); !split.empty())
    for (std::size_t i = 0; i < to.a.size(); ++i)
      norm = std::max(norm,
                      (constant_ * h * h * std::abs(to.a[i] - from.a[i]) + std::abs(split[i])) / scale_[i]);
  if (to.x.empty()) return norm / tolerance_;
  const std::vector<double>&memory = *from.recall(kControl), &now = *to.recall(forms::kStateRates),
        &before = *from.recall(forms::kStateRates);
  const double h_before = memory[StepController::kMemory];
  for (std::size_t i = 0; i < to.x.size(); ++i) {
    const double slope = (now[i] - before[i]) / h;
    // x⃛ from three rates; at the start only two are known, and the whole change of rate counts.
    const double change = h_before > 0
                              ? 2 * h / (h + h_before) *
                                    (slope - (before[i] - memory[StepController::kMemory + 1 + i]) / h_before)
                              : slope;
    norm = std::max(norm, h * h / 12 * std::abs(change) / std::max(1.0, std::abs(to.x[i])));
  }
  return norm / tolerance_;
}

// The step taken and the rates before it, for the next estimate.
void AdaptiveAlpha::remember(double h) {
  std::vector<double>& memory = next_.remember(kControl, 0);
  controller_.remember(memory);
  memory[StepController::kMemory] = h;
  if (trial_.x.empty()) return;
  const std::vector<double>& rates = *trial_.recall(forms::kStateRates);
  std::copy(rates.begin(), rates.end(), memory.begin() + StepController::kMemory + 1);
}

StepResult AdaptiveAlpha::step(forms::ResidualForm& form, State& state, double h) {
  StepResult result;
  result.steps = 0;
  const double end = state.t + h;
  const auto hopeless = [&, start = state.t](int attempts) {
    return attempts >= kFirstAttempts && attempts > kHopeless * ((trial_.t - start) / h);
  };
  forms::take(state, trial_);
  controller_.recall(*trial_.recall(kControl));
  if (!(controller_.proposed() > 0)) controller_.propose(first_proposal(state));
  Report failed;
  for (int attempts = 0; attempts < kMostAttempts && !hopeless(attempts); ++attempts) {
    const double left = end - trial_.t, used = controller_.fitted(left);
    if (used < left && used <= kLeastStep * std::max(std::abs(end), left)) {
      result.report = failed;
      if (failed.accepted()) {
        result.report.outcome = Outcome::not_converged;
        result.report.message = fmt::format(
            "the step became too small ({:.2g} s) for the tolerance, as where a force jumps; allow a larger "
            "tolerance, or give a step instead",
            used);
      }
      return result;
    }
    forms::take(trial_, next_);
    const StepResult one = rule_.step(form, next_, used);
    result.iterations += one.iterations;
    const double size = one.report.accepted() ? error(trial_, next_, used) : INFINITY;
    if (!(size <= 1)) {
      ++rejected_;
      failed = one.report;
      std::isfinite(size) ? controller_.reject(used, size) : controller_.reject_failed(used);
      continue;
    }
    failed = {};
    ++result.steps;
    merge_mark(one.report, result.report);
    result.violation.take_larger(one.violation);
    controller_.accept(used, std::max(size, std::numeric_limits<double>::min()));
    remember(used);
    const bool last = used == left;
    if (last) next_.t = end;
    forms::exchange(trial_, next_);
    if (!last) continue;
    forms::exchange(state, trial_);
    result.report.iterations = result.iterations;
    return result;
  }
  result.report.outcome = Outcome::not_converged;
  result.report.message = "steps become too short for the tolerance to come to the end; allow a larger one";
  return result;
}

}  // namespace trammel::integrators
