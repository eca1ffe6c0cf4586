#include "integrators/step_controller.h"

#include <algorithm>
#include <cmath>

namespace trammel::integrators {
namespace {

// With 0.9, one step in five is rejected where the motion quickens.
constexpr double kSafety = 0.8;
constexpr double kShrink = 0.2, kGrow = 5;
// An error below this says no more about the next step than this does.
constexpr double kLeastError = 1e-4;
// A step stretched so much to land on the end still meets the tolerance: 1.1 · 0.8 < 1.
constexpr double kStretch = 1.1;
// Of the last two steps neither is shorter than half a proposal.
constexpr double kMuchShorter = 0.5;
// After a step that could not be evaluated nothing is known of the error.
constexpr double kAfterFailure = 0.25;

}  // namespace

void StepController::recall(std::span<const double> memory) {
  step_ = memory[0];
  last_error_ = step_ > 0 ? memory[1] : kLeastError;
  after_rejection_ = false;
}

void StepController::remember(std::span<double> memory) const {
  memory[0] = step_;
  memory[1] = last_error_;
}

double StepController::fitted(double left) const {
  if (left <= kStretch * step_) return left;
  if (left < 2 * step_) return 0.5 * left;
  return step_;
}

void StepController::accept(double used, double error) {
  const double most = after_rejection_ ? step_ : std::max(kGrow * used, step_);
  if (used >= step_) {
    const double exponent = 1.0 / order_ - 0.75 * beta_;
    const double factor = kSafety * std::pow(error, -exponent) * std::pow(last_error_, beta_);
    last_error_ = std::max(error, kLeastError);
    step_ = std::clamp(used * factor, kShrink * used, most);
  } else {
    // Cut short to land on the end. A much shorter step has an error of round-off only, and says nothing
    // against the proposal.
    const double least = used < kMuchShorter * step_ ? step_ : kShrink * used;
    step_ = std::clamp(used * kSafety * std::pow(error, -1.0 / order_), least, most);
  }
  after_rejection_ = false;
}

void StepController::reject(double used, double error) {
  step_ = used * std::max(kShrink, kSafety * std::pow(error, -1.0 / order_));
  after_rejection_ = true;
}

void StepController::reject_failed(double used) {
  step_ = kAfterFailure * used;
  after_rejection_ = true;
}

}  // namespace trammel::integrators
