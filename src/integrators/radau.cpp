#include "integrators/radau.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "integrators/error_control.h"
#include "integrators/first_stage.h"
#include "integrators/ode_step.h"
#include "math/eigen_spans.h"

namespace trammel::integrators {
namespace {

// After the controller's own memory: θ.
constexpr std::size_t kTheta = StepController::kMemory, kRadauMemory = kTheta + 1;
// Of the last step: t, h, y at its end, the stages, ∂f/∂y, and the inputs, with which the motion may jump.
constexpr MemorySlot kLastStep{"last step", Lifetime::step};
// Where θ is not known the iteration is taken to halve what is left; the θ of another step may be too small.
constexpr double kUnknown = 0.5, kCautious = 0.8;
// Beyond, a new ∂f/∂y saves more than it costs. It is that of so far into the step: good for its
// stages, of which the last count most, and for the steps after it.
constexpr double kRenewJacobian = 0.01, kWhere = 0.75;
// Beyond, shorter steps need fewer iterations: θ grows as h.
constexpr double kSlow = 0.3;
// Newton's method may leave so much of the tolerance: what it leaves adds up over the steps.
constexpr double kLeft = 0.005;
// An iteration that needs more is dearer than two steps of half the size.
constexpr int kMostIterations = 10;
// A step that could grow by less stays as it is, and its factors with it.
constexpr double kSame = 1.2;

using math::view;
std::span<double> column(Eigen::MatrixXd& x, Eigen::Index j) {
  return {x.col(j).data(), static_cast<std::size_t>(x.rows())};
}

Spoken spoken(const RadauTableau& tableau) {
  return {tableau.name, "allow a larger tolerance, or look for a force that jumps"};
}

}  // namespace

Radau::Radau(const RadauTableau& tableau, const OdeOptions& options)
    : tableau_(tableau), tolerance_(options.tolerance), systems_(tableau), controller_(tableau.stages + 1) {}

void Radau::prepare(State& state) {
  state.remember(control_of(tableau_), 0).assign(kRadauMemory, 0.0);
  state.remember(kLastStep, 0).clear();
  forget_first_stage(state);
}

void Radau::load(forms::OdeForm& form, const State& state) {
  form.pack(state, packed_);
  const auto n = static_cast<Eigen::Index>(packed_.size());
  if (y_.size() != n || felt_ != static_cast<Eigen::Index>(form.felt())) {
    for (Eigen::VectorXd* x : {&y_, &f_, &at_, &shifted_, &e_, &error_, &y_kept_, &rate_kept_}) x->resize(n);
    felt_ = static_cast<Eigen::Index>(form.felt());
    for (Eigen::MatrixXd* x : {&z_, &last_z_, &rates_}) x->resize(n, tableau_.stages);
    g_.resize(felt_, tableau_.stages);
    felt_e_.resize(felt_, 1);
    J_.setConstant(felt_, felt_, std::numeric_limits<double>::quiet_NaN());
    factored_ = 0;
  }
  std::copy(packed_.begin(), packed_.end(), y_.data());
}

// Of the last step: t, h, y, stages, ∂f/∂y, inputs.
std::size_t Radau::remembered(const State& state) const {
  return 2 + static_cast<std::size_t>(y_.size() + z_.size() + J_.size()) + state.inputs.size();
}

// What is known of the motion before, where it led to this state. The factors are those of the same ∂f/∂y,
// else they are made anew, so that they depend on the state alone.
void Radau::recall(const State& state) {
  const std::vector<double>& memory = *state.recall(control_of(tableau_));
  controller_.recall(memory);
  theta_ = memory[kTheta] > 0 ? memory[kTheta] : kUnknown;
  fresh_ = false;
  last_h_ = 0;
  const std::vector<double>* last = state.recall(kLastStep);
  const bool known = last != nullptr && last->size() == remembered(state) &&
                     same_time(last->front(), state.t) &&
                     std::equal(packed_.begin(), packed_.end(), last->begin() + 2) &&
                     std::equal(state.inputs.rbegin(), state.inputs.rend(), last->rbegin());
  if (!known) {
    theta_ = kUnknown;
    return;
  }
  last_h_ = (*last)[1];
  const double *z = last->data() + 2 + packed_.size(), *J = z + last_z_.size();
  std::copy_n(z, last_z_.size(), last_z_.data());
  if (std::equal(J, J + J_.size(), J_.data())) return;
  std::copy_n(J, J_.size(), J_.data());
  factored_ = 0;
}

// Into the state that the step leads to.
void Radau::remember() {
  std::vector<double>& memory = next_.remember(control_of(tableau_), kRadauMemory);
  controller_.remember(memory);
  memory[kTheta] = theta_;
  const bool ends = kept_ == forms::Kept::new_chart;
  if (!ends && knows_rate_)
    remember_first_stage(view(y_kept_), view(rate_kept_), next_);
  else
    forget_first_stage(next_);
  std::vector<double>& last = next_.remember(kLastStep, 0);
  last.resize(ends ? 0 : remembered(next_));
  if (ends) return;
  last[0] = next_.t;
  last[1] = h_;
  double* at = std::copy_n(y_kept_.data(), y_kept_.size(), last.data() + 2);
  at = std::copy_n(z_.data(), z_.size(), at);
  at = std::copy_n(J_.data(), J_.size(), at);
  std::copy(next_.inputs.begin(), next_.inputs.end(), at);
}

Report Radau::rate(forms::OdeForm& form, double t, std::span<const double> y, std::span<double> f,
                   StepResult& result) {
  ++result.iterations;
  const Report report = form.rate(t, y, f);
  return report.accepted() && !math::all_finite(f) ? not_finite(t) : report;
}

// Weights of the change of y in so many seconds after the last step, by its polynomial.
void Radau::go_on(double seconds) {
  tableau_.weigh(1 + seconds / last_h_, weights_);
  weights_[tableau_.stages - 1] -= 1;
}

// ∂f/∂y where the polynomial of the last step leads to, else at the beginning.
Report Radau::differentiate(forms::OdeForm& form, double t, double h, StepResult& result) {
  // Differences of a function known to round-off are best at its square root.
  const double relative = std::sqrt(std::numeric_limits<double>::epsilon());
  const std::span<const double> scale = form.scale();
  factored_ = 0;
  at_ = y_;
  e_ = f_;
  if (last_h_ > 0) {
    t += kWhere * h;
    go_on(kWhere * h);
    at_ += last_z_.lazyProduct(weights_);
    const Report report = rate(form, t, view(at_), view(e_), result);
    if (!report.accepted()) return report;
  }
  for (Eigen::Index j = 0; j < felt_; ++j) {
    const double y = at_[j];
    at_[j] += relative * error_unit(y, scale[static_cast<std::size_t>(j)]);
    const double difference = at_[j] - y;
    const Report report = rate(form, t, view(at_), view(shifted_), result);
    at_[j] = y;
    if (!report.accepted()) return report;
    J_.col(j) = (shifted_ - e_).head(felt_) / difference;
  }
  fresh_ = true;
  theta_ = kUnknown;
  return {};
}

Report Radau::prepare_newton(forms::OdeForm& form, double t, double h, StepResult& result) {
  if (!fresh_ && theta_ > kRenewJacobian) {
    const Report report = differentiate(form, t, h, result);
    if (!report.accepted()) return report;
  }
  if (factored_ != h) systems_.factor(h, J_, form.positions());
  factored_ = h;
  return {};
}

// The stages that the polynomial of the last step goes on to.
void Radau::predict(double h) {
  if (last_h_ == 0) {
    z_.setZero();
    return;
  }
  for (Eigen::Index i = 0; i < tableau_.stages; ++i) {
    go_on(tableau_.c[i] * h);
    z_.col(i).noalias() = last_z_.lazyProduct(weights_);
  }
}

Report Radau::stages(forms::OdeForm& form, double t, double h, StepResult& result) {
  Report total;
  for (Eigen::Index i = 0; i < tableau_.stages; ++i) {
    at_ = y_ + z_.col(i);
    const Report report = rate(form, t + tableau_.c[i] * h, view(at_), column(rates_, i), result);
    if (!report.accepted()) return report;
    merge_mark(report, total);
  }
  return total;
}

// One iteration: (Λ/h − J) T⁻¹Δz = T⁻¹(f − A⁻¹z/h); the size of Δz relative to the tolerance.
double Radau::correct(forms::OdeForm& form, double h) {
  auto change = rates_.topRows(felt_);
  change.noalias() -= z_.topRows(felt_).lazyProduct(tableau_.inverse.transpose()) / h;
  g_.noalias() = change.lazyProduct(tableau_.T_inverse.transpose());
  systems_.solve(g_);
  change.noalias() = g_.lazyProduct(tableau_.T.transpose());
  z_.topRows(felt_) += change;
  double size = 0;
  for (Eigen::Index i = 0; i < tableau_.stages; ++i) {
    const double norm = relative_norm(column(rates_, i).first(form.felt()), view(y_), form.scale());
    if (!std::isfinite(norm)) return norm;
    size = std::max(size, norm);
  }
  return size / tolerance_;
}

// What the motion does not feel, z = h A f, from the stages as they have become: Newton's method, which ends
// where the motion is found, would leave more of it.
Report Radau::accompany(forms::OdeForm& form, double t, double h, StepResult& result) {
  const Eigen::Index rest = y_.size() - felt_;
  if (rest == 0) return {};
  const Report report = stages(form, t, h, result);
  z_.bottomRows(rest).noalias() = rates_.bottomRows(rest).lazyProduct(h * tableau_.A.transpose());
  return report;
}

// Until what is left, size · θ/(1 − θ), is small.
Report Radau::newton(forms::OdeForm& form, double t, double h, StepResult& result) {
  const double allowed = std::max(kLeft, 10 * std::numeric_limits<double>::epsilon() / tolerance_);
  Report report;
  double last = 0, theta = std::pow(theta_, kCautious);
  for (int k = 1; k <= kMostIterations; ++k) {
    report = stages(form, t, h, result);
    iterations_ = k;
    if (!report.accepted()) return report;
    const double size = correct(form, h);
    if (!std::isfinite(size)) return not_finite(t);
    if (k > 1) theta = theta_ = size / last;
    if (size == 0 || (theta < 1 && size * theta / (1 - theta) <= allowed)) return report;
    // It would not get there within its iterations.
    if (k > 1 && !(size * std::pow(theta, kMostIterations - k) < allowed * (1 - theta))) break;
    last = size;
  }
  report.outcome = Outcome::not_converged;
  return report;
}

// (γ/h − J) e = f + γ/h Σ e_i z_i; where that is too large at the beginning of a motion, once more with f at
// y + e, which leaves out what a stiff one loses at once. Later on it would leave out what must count.
double Radau::estimate(forms::OdeForm& form, double t, double h, StepResult& result) {
  const auto solved = [&](const auto& f) {
    error_ = f + shifted_;
    felt_e_ = error_.head(felt_);
    systems_.solve_real(felt_e_);
    error_.head(felt_) = felt_e_.col(0);
    error_.tail(y_.size() - felt_) *= h / tableau_.gamma;  // not in J
    return relative_norm(view(error_), view(y_), form.scale()) / tolerance_;
  };
  shifted_.noalias() = z_.lazyProduct(tableau_.error) * (tableau_.gamma / h);
  const double error = solved(f_);
  if (error <= 1 || last_h_ > 0) return error;
  at_ = y_;
  at_.head(felt_) += felt_e_;
  return rate(form, t, view(at_), view(e_), result).accepted() ? solved(e_) : error;
}

// How far projections have taken the end of the step, relative to what they may.
double Radau::moved(forms::OdeForm& form) {
  if (kept_ != forms::Kept::projected || !form.judged_by_projection()) return 0;
  at_ -= y_kept_;
  return relative_norm(view(at_), view(y_kept_), form.scale()) / tolerance_;
}

// The stages, and the state `next_` that the form makes of the last one; `error` relative to what is allowed.
Report Radau::attempt(forms::OdeForm& form, const State& state, double h, double& error, StepResult& result) {
  Report report = prepare_newton(form, state.t, h, result);
  if (!report.accepted()) return report;
  predict(h);
  report = newton(form, state.t, h, result);
  if (!report.accepted()) return report;
  // Before the error is estimated: Newton's method leaves these stages as they were predicted.
  report = accompany(form, state.t, h, result);
  if (!report.accepted()) return report;
  error = estimate(form, state.t, h, result);
  if (error > 1) return report;
  at_ = y_ + z_.col(tableau_.stages - 1);
  if (!std::isfinite(error) || !math::all_finite(view(at_))) return not_finite(state.t);
  next_ = state;
  end_ = {};
  if (!complete(form, state.t + h, view(at_), h, next_, kept_, end_)) return end_.report;
  merge_mark(end_.report, report);
  if (kept_ == forms::Kept::new_chart) return report;
  knows_rate_ = form.rate_of_accepted(next_, view(y_kept_), view(rate_kept_));
  if (!knows_rate_) {
    form.pack(next_, packed_);
    std::copy(packed_.begin(), packed_.end(), y_kept_.data());
  }
  error = std::max(error, moved(form));
  return report;
}

void Radau::keep(double h, double error) {
  const bool cut = h < controller_.proposed();
  controller_.accept(h, error);
  // An iteration that ends at once does not measure θ: it is trusted less from step to step (as by Hairer &
  // Wanner's code), so that a ∂f/∂y that has become too old is found out, but is no reason for a new one.
  if (iterations_ == 1) theta_ = std::min(std::pow(theta_, kCautious), kRenewJacobian);
  if (controller_.proposed() * theta_ > kSlow * h) controller_.propose(h * std::max(0.5, kSlow / theta_));
  const double longer = controller_.proposed() / h;
  if (!cut && theta_ <= kRenewJacobian && longer >= 1 && longer < kSame) controller_.propose(h);
  h_ = h;
  remember();
}

// `next_`, and what it cost, at most `most` later. Where a step with an old ∂f/∂y fails, that is made anew.
Report Radau::find_step(forms::OdeForm& form, const State& state, double most, StepResult& result) {
  Report failed;
  for (;;) {
    const double h = controller_.fitted(most);
    if (h < most && too_small(h, state.t)) {
      const bool untold =
          failed.accepted() || (failed.outcome == Outcome::not_converged && failed.message.empty());
      return untold ? stuck(spoken(tableau_), "the step became too small", state.t, h) : failed;
    }
    double error = 0;
    const bool old = !fresh_ && theta_ <= kRenewJacobian;
    const Report report = attempt(form, state, h, error, result);
    if (report.accepted() && error <= 1) {
      merge_mark(report, result.report);
      result.violation.take_larger(end_.violation);
      keep(h, error);
      return {};
    }
    ++rejected_;
    failed = report;
    const bool again = !report.accepted() && old;
    if (report.accepted())
      controller_.reject(h, error);
    else if (!again)
      controller_.reject_failed(h);
    if (!fresh_) theta_ = kUnknown;
    form.pack(state, packed_);
  }
}

StepResult Radau::advance(forms::OdeForm& form, State& state, double most) {
  assert(most > 0);
  StepResult result;
  load(form, state);
  state.remember(control_of(tableau_), kRadauMemory);
  recall(state);
  result.report = first_stage(form, state, packed_, view(f_), result.iterations);
  if (!result.report.accepted()) return result;
  if (!(controller_.proposed() > 0))
    controller_.propose(first_step_size(form, state.t, packed_, view(f_), tolerance_, tableau_.stages + 1,
                                        view(at_), view(shifted_), result.iterations));
  const Report found = find_step(form, state, most, result);
  if (!found.accepted()) {
    result.report = found;
    return result;
  }
  result.report.iterations = result.iterations;
  dense_error_ = -1;
  std::swap(before_, state);
  std::swap(state, next_);
  return result;
}

StepResult Radau::step(forms::OdeForm& form, State& state, double h) {
  return advance_by(*this, spoken(tableau_), form, state, h, start_);
}

// e at θ, in units of what is allowed.
double Radau::defect(forms::OdeForm& form, double theta) {
  const auto n = static_cast<Eigen::Index>(packed_.size());
  tableau_.weigh(theta, weights_);
  at_ = Eigen::Map<const Eigen::VectorXd>(packed_.data(), n);
  at_ += z_.lazyProduct(weights_);
  if (!form.rate(before_.t + theta * h_, view(at_), view(error_)).accepted())
    return std::numeric_limits<double>::infinity();
  tableau_.weigh_slope(theta, weights_);
  error_ -= z_.lazyProduct(weights_) / h_;
  felt_e_ = error_.head(felt_);
  systems_.solve_real(felt_e_);
  error_.head(felt_) = felt_e_.col(0);
  error_.tail(n - felt_) *= h_ / tableau_.gamma;  // not in J
  const double norm = relative_norm(view(error_), view(at_), form.scale()) / tolerance_;
  return std::isnan(norm) ? std::numeric_limits<double>::infinity() : norm;
}

double Radau::dense_error(forms::OdeForm& form) {
  if (dense_error_ >= 0) return dense_error_;
  form.pack(before_, packed_);
  dense_error_ = 0;
  for (const double theta : tableau_.humps) dense_error_ = std::max(dense_error_, defect(form, theta));
  return dense_error_;
}

StepResult Radau::between(forms::OdeForm& form, double t, State& state, Wanted wanted) {
  StepResult result;
  result.steps = 0;
  form.pack(before_, packed_);
  tableau_.weigh((t - before_.t) / h_, weights_);
  at_ = Eigen::Map<const Eigen::VectorXd>(packed_.data(), at_.size());
  at_ += z_.lazyProduct(weights_);
  within_step(form, before_, t, view(at_), wanted, state, result);
  return result;
}

}  // namespace trammel::integrators
