#include "integrators/dormand_prince.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "integrators/ode_step.h"

namespace trammel {
namespace {

constexpr const char* kMemory = "dopri5";
constexpr int kMostSteps = 1'000'000;

// A step of less than ten units of round-off in t no longer resolves its stages.
bool too_small(double h, double t, double t_end) {
  return 0.1 * h <= std::numeric_limits<double>::epsilon() * std::max(std::abs(t), std::abs(t_end));
}

Report stuck(const char* what, double t, double h) {
  Report report;
  report.outcome = Outcome::not_converged;
  report.message = fmt::format(
      "dopri5: {} at t = {:.6g} s (step {:.3g} s); allow a larger tolerance, or use cvode-bdf or an implicit "
      "rule "
      "if the motion is stiff",
      what, t, h);
  return report;
}

}  // namespace

DormandPrince::DormandPrince(const OdeOptions& options)
    : tolerance_(options.tolerance), stages_(kDormandPrince), controller_(kDormandPrince.order) {}

void DormandPrince::prepare(State& state) { state.remember(kMemory, 0).assign(StepController::kMemory, 0.0); }

// y of the trial state; the form may have changed its size.
void DormandPrince::load(OdeForm& form) {
  form.pack(trial_, y_);
  stages_.resize(y_.size());
  y_next_.resize(y_.size());
  error_.resize(y_.size());
}

bool DormandPrince::first_stage(OdeForm& form, StepResult& result) {
  const Report report = form.rate(trial_.t, y_, stages_[0]);
  ++result.iterations;
  if (report.accepted() && all_finite(stages_[0])) {
    merge_mark(report, result.report);
    return true;
  }
  result.report = report.accepted() ? not_finite(trial_.t) : report;
  return false;
}

// A step whose Euler error is small, from |y|, |ẏ| and |ÿ|: Hairer, Nørsett & Wanner (1993), II.4.
double DormandPrince::first_proposal(OdeForm& form, StepResult& result) {
  const std::span<const double> scale = form.scale(), rate = stages_[0], rate_next = stages_[1];
  const double size = relative_norm(y_, y_, scale) / tolerance_;
  const double speed = relative_norm(rate, y_, scale) / tolerance_;
  const double guess = size > 1e-5 && speed > 1e-5 ? 0.01 * size / speed : 1e-6;
  for (std::size_t i = 0; i < y_.size(); ++i) y_next_[i] = y_[i] + guess * rate[i];
  ++result.iterations;
  if (!form.rate(trial_.t + guess, y_next_, stages_[1]).accepted()) return guess;
  for (std::size_t i = 0; i < y_.size(); ++i) error_[i] = (rate_next[i] - rate[i]) / guess;
  const double bend = relative_norm(error_, y_, scale) / tolerance_;
  const double largest = std::max(speed, bend);
  if (!(largest > 1e-15)) return std::max(1e-6, 1e-3 * guess);
  return std::min(100 * guess, std::pow(0.01 / largest, 1.0 / kDormandPrince.order));
}

// Stages, y₊ and its error relative to the tolerance.
Report DormandPrince::attempt(OdeForm& form, double h, double& error, int& evaluations) {
  const Report report = stages_.evaluate(form, trial_.t, h, y_, 1, evaluations);
  if (!report.accepted()) return report;
  stages_.combine(kDormandPrince.b, h, y_next_);
  for (std::size_t i = 0; i < y_.size(); ++i) y_next_[i] += y_[i];
  stages_.combine(kDormandPrince.e, h, error_);
  error = relative_norm(error_, y_, y_next_, form.scale()) / tolerance_;
  if (!std::isfinite(error) || !all_finite(y_next_)) return not_finite(trial_.t);
  return report;
}

// Makes y₊ the trial state and, unless the end is reached, its rate the next first stage.
bool DormandPrince::advance(OdeForm& form, double t_next, double h, bool last_step, StepResult& result) {
  if (last_step) dense_.set(trial_.t, h, y_, y_next_, stages_);
  Kept kept;
  if (!complete(form, t_next, y_next_, h, trial_, kept, result)) return false;
  if (last_step) return true;
  if (kept != Kept::as_is) {
    load(form);
    return first_stage(form, result);
  }
  std::swap(y_, y_next_);
  const std::span<const double> last = stages_[kDormandPrince.stages - 1];
  std::copy(last.begin(), last.end(), stages_[0].begin());
  return true;
}

bool DormandPrince::run(OdeForm& form, double t_end, StepResult& result) {
  if (!first_stage(form, result)) return false;
  if (!(controller_.proposed() > 0)) controller_.propose(first_proposal(form, result));
  Report failed;  // why the last attempt could not be evaluated
  for (int attempts = 0; attempts < kMostSteps; ++attempts) {
    const double t = trial_.t, left = t_end - t, h = controller_.fitted(left);
    if (h < left && too_small(h, t, t_end)) {
      result.report = failed.accepted() ? stuck("the step became too small", t, h) : failed;
      return false;
    }
    double error = 0;
    const Report report = attempt(form, h, error, result.iterations);
    if (!report.accepted() || error > 1) {
      ++rejected_;
      failed = report;
      report.accepted() ? controller_.reject(h, error) : controller_.reject_failed(h);
      continue;
    }
    failed = {};
    ++result.steps;
    merge_mark(report, result.report);
    controller_.accept(h, error);
    const bool last = h == left;
    if (!advance(form, last ? t_end : t + h, h, last, result)) return false;
    if (last) return true;
  }
  result.report = stuck("a million internal steps were not enough", trial_.t, controller_.proposed());
  return false;
}

StepResult DormandPrince::step(OdeForm& form, State& state, double h) {
  assert(h > 0);
  StepResult result;
  result.steps = 0;
  trial_ = state;
  controller_.recall(trial_.remember(kMemory, StepController::kMemory));
  load(form);
  const bool done = run(form, state.t + h, result);
  result.report.iterations = result.iterations;
  if (!done) return result;
  controller_.remember(trial_.remember(kMemory, StepController::kMemory));
  std::swap(state, trial_);
  return result;
}

}  // namespace trammel
