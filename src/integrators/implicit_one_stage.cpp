#include "integrators/implicit_one_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "forms/take_state.h"
#include "integrators/ode_step.h"
#include "math/eigen_spans.h"

namespace trammel::integrators {
namespace {

// A fixed point that contracts by less needs more evaluations than Newton's method.
constexpr double kContraction = 0.5;
// A Jacobian that converges slower than this is renewed.
constexpr double kRenew = 0.1;

using math::view;

}  // namespace

ImplicitOneStage::ImplicitOneStage(const OneStage& rule, const OdeOptions& options)
    : rule_(rule), options_(options) {}

void ImplicitOneStage::load(forms::OdeForm& form, const State& state) {
  form.pack(state, packed_);
  const auto n = static_cast<Eigen::Index>(packed_.size());
  for (Eigen::VectorXd* x : {&y_, &known_, &y_next_, &stage_, &rate_, &shifted_, &change_, &step_})
    x->resize(n);
  y_ = Eigen::Map<const Eigen::VectorXd>(packed_.data(), n);
}

// False, with the report, when f fails.
bool ImplicitOneStage::rate(forms::OdeForm& form, double t, const Eigen::VectorXd& y, Eigen::VectorXd& y_dot,
                            StepResult& result) {
  ++result.iterations;
  const Report report = form.rate(t, view(y), view(y_dot));
  if (report.accepted() && math::all_finite(view(y_dot))) {
    merge_mark(report, result.report);
    return true;
  }
  result.report = report.accepted() ? not_finite(t) : report;
  return false;
}

// y + h(1−w) f(t, y)
bool ImplicitOneStage::known_part(forms::OdeForm& form, double t, double h, StepResult& result) {
  known_ = y_;
  if (rule_.w == 1) return true;
  if (!rate(form, t, y_, rate_, result)) return false;
  known_ += h * (1 - rule_.w) * rate_;
  return true;
}

// What a fixed-point iteration would change: y + h(1−w) f(t, y) + hw f(stage) − y₊
bool ImplicitOneStage::change(forms::OdeForm& form, double t, double h, StepResult& result) {
  stage_ = (1 - rule_.theta) * y_ + rule_.theta * y_next_;
  if (!rate(form, t + rule_.theta * h, stage_, rate_, result)) return false;
  change_ = known_ + h * rule_.w * rate_ - y_next_;
  return true;
}

double ImplicitOneStage::size_of_step(const forms::OdeForm& form) const {
  return relative_norm(view(step_), view(y_next_), form.scale());
}

ImplicitOneStage::Iteration ImplicitOneStage::fixed_point(forms::OdeForm& form, double t, double h,
                                                          StepResult& result) {
  y_next_ = y_;
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < options_.max_iterations; ++i) {
    if (!change(form, t, h, result)) return Iteration::failed;
    step_ = change_;
    y_next_ += step_;
    const double size = size_of_step(form);
    if (size <= options_.convergence) return Iteration::converged;
    if (!(size <= kContraction * last)) return Iteration::not_converged;
    last = size;
  }
  return Iteration::not_converged;
}

// I − hwθ ∂f/∂y at the stage last evaluated, column by column, factored.
bool ImplicitOneStage::factor(forms::OdeForm& form, double t, double h, StepResult& result) {
  // Differences of a function known to round-off are best at its square root.
  const double relative = std::sqrt(std::numeric_limits<double>::epsilon());
  const std::span<const double> scale = form.scale();
  const Eigen::Index n = y_.size();
  jacobian_.resize(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const double y = stage_[j];
    stage_[j] += relative * error_unit(y, scale[static_cast<std::size_t>(j)]);
    const double difference = stage_[j] - y;
    const bool ok = rate(form, t + rule_.theta * h, stage_, shifted_, result);
    stage_[j] = y;
    if (!ok) return false;
    jacobian_.col(j) = (-h * rule_.w * rule_.theta / difference) * (shifted_ - rate_);
    jacobian_(j, j) += 1;
  }
  lu_.compute(jacobian_);
  return true;
}

ImplicitOneStage::Iteration ImplicitOneStage::newton(forms::OdeForm& form, double t, double h,
                                                     StepResult& result) {
  y_next_ = y_;
  double last = std::numeric_limits<double>::infinity();
  bool renew = true;
  for (int i = 0; i < options_.max_iterations; ++i) {
    if (!change(form, t, h, result)) return Iteration::failed;
    if (renew && !factor(form, t, h, result)) return Iteration::failed;
    step_ = lu_.solve(change_);
    y_next_ += step_;
    const double size = size_of_step(form);
    if (size <= options_.convergence) return Iteration::converged;
    if (!std::isfinite(size)) return Iteration::not_converged;
    renew = size > kRenew * last;
    last = size;
  }
  return Iteration::not_converged;
}

StepResult ImplicitOneStage::step(forms::OdeForm& form, State& state, double h) {
  StepResult result;
  load(form, state);
  Iteration end = Iteration::failed;
  if (known_part(form, state.t, h, result)) {
    end = fixed_point(form, state.t, h, result);
    if (end != Iteration::converged) {
      // An iteration that runs away may have gone where f fails: that is forgotten.
      result.report = {};
      end = newton(form, state.t, h, result);
    }
  }
  result.report.iterations = result.iterations;
  if (end == Iteration::failed) return result;
  if (end == Iteration::not_converged) {
    result.report.outcome = Outcome::not_converged;
    result.report.message = fmt::format(
        "{}: no convergence within {} iterations in the step from t = {:.6g} s; try a smaller step or a "
        "larger "
        "convergence tolerance",
        rule_.name, options_.max_iterations, state.t);
    return result;
  }
  forms::take(state, trial_);
  forms::Kept kept;
  if (complete(form, state.t + h, view(y_next_), h, trial_, kept, result)) forms::exchange(state, trial_);
  return result;
}

}  // namespace trammel::integrators
