#include "integrators/radau.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "integrators/error_control.h"
#include "integrators/first_stage.h"
#include "integrators/ode_step.h"

namespace trammel {
namespace {

// After the controller's own memory: θ.
constexpr std::size_t kTheta = StepController::kMemory, kMemory = kTheta + 1;
// Of the last step: t, h, y at its end, the stages, ∂f/∂y, and the inputs, with which the motion may jump.
constexpr const char* kLastStep = "last step";
// Where θ is not known the iteration is taken to halve what is left.
constexpr double kUnknown = 0.5;
// Beyond, a new ∂f/∂y saves more iterations than it costs.
constexpr double kRenew = 1e-3;
// Newton's method may leave so much of the tolerance.
constexpr double kLeft = 0.01;
// An iteration that needs more is dearer than two steps of half the size.
constexpr int kMostIterations = 10;
// A step that could grow by less stays as it is, and its factors with it.
constexpr double kSame = 1.2;

std::span<double> view(Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }
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
  state.remember(tableau_.name, 0).assign(kMemory, 0.0);
  state.remember(kLastStep, 0).clear();
  forget_first_stage(state);
}

void Radau::load(OdeForm& form, const State& state) {
  form.pack(state, packed_);
  const auto n = static_cast<Eigen::Index>(packed_.size());
  if (y_.size() != n) {
    for (Eigen::VectorXd* x : {&y_, &f_, &at_, &shifted_, &e_}) x->resize(n);
    for (Eigen::MatrixXd* x : {&z_, &last_z_, &rates_, &g_}) x->resize(n, tableau_.stages);
    J_.setConstant(n, n, std::numeric_limits<double>::quiet_NaN());
    factored_ = 0;
  }
  std::copy(packed_.begin(), packed_.end(), y_.data());
}

// What is known of the motion before, where it led to this state. The factors are those of the same ∂f/∂y,
// else they are made anew, so that they depend on the state alone.
void Radau::recall(const State& state) {
  const std::vector<double>& memory = *state.recall(tableau_.name);
  controller_.recall(memory);
  theta_ = memory[kTheta] > 0 ? memory[kTheta] : kUnknown;
  fresh_ = false;
  last_h_ = 0;
  const std::vector<double>* last = state.recall(kLastStep);
  const std::size_t n = packed_.size(), s = static_cast<std::size_t>(tableau_.stages);
  const bool known = last != nullptr && last->size() == 2 + n * (1 + s + n) + state.inputs.size() &&
                     same_time(last->front(), state.t) &&
                     std::equal(packed_.begin(), packed_.end(), last->begin() + 2) &&
                     std::equal(state.inputs.rbegin(), state.inputs.rend(), last->rbegin());
  if (!known) {
    theta_ = kUnknown;
    return;
  }
  last_h_ = (*last)[1];
  const double *z = last->data() + 2 + n, *J = z + s * n;
  std::copy_n(z, s * n, last_z_.data());
  if (std::equal(J, J + n * n, J_.data())) return;
  std::copy_n(J, n * n, J_.data());
  factored_ = 0;
}

// Into the state that the step leads to.
void Radau::remember(OdeForm& form) {
  std::vector<double>& memory = next_.remember(tableau_.name, kMemory);
  controller_.remember(memory);
  memory[kTheta] = theta_;
  std::vector<double>& last = next_.remember(kLastStep, 0);
  if (kept_ == Kept::new_chart) {
    last.clear();
    forget_first_stage(next_);
    return;
  }
  const bool knows_rate = form.rate_of_accepted(next_, view(at_), view(f_));
  if (knows_rate) {
    remember_first_stage(view(at_), view(f_), next_);
  } else {
    form.pack(next_, packed_);
    std::copy(packed_.begin(), packed_.end(), at_.data());
    forget_first_stage(next_);
  }
  last.resize(2 + packed_.size() * (1 + static_cast<std::size_t>(tableau_.stages) + packed_.size()) +
              next_.inputs.size());
  last[0] = next_.t;
  last[1] = h_;
  double* p = std::copy_n(at_.data(), at_.size(), last.data() + 2);
  p = std::copy_n(z_.data(), z_.size(), p);
  p = std::copy_n(J_.data(), J_.size(), p);
  std::copy(next_.inputs.begin(), next_.inputs.end(), p);
}

Report Radau::rate(OdeForm& form, double t, std::span<const double> y, std::span<double> f,
                   StepResult& result) {
  ++result.iterations;
  const Report report = form.rate(t, y, f);
  return report.accepted() && !all_finite(f) ? not_finite(t) : report;
}

// ∂f/∂y at the step's beginning, column by column.
Report Radau::differentiate(OdeForm& form, double t, StepResult& result) {
  // Differences of a function known to round-off are best at its square root.
  const double relative = std::sqrt(std::numeric_limits<double>::epsilon());
  const std::span<const double> scale = form.scale();
  const auto felt = static_cast<Eigen::Index>(form.felt());
  factored_ = 0;
  J_.rightCols(y_.size() - felt).setZero();
  for (Eigen::Index j = 0; j < felt; ++j) {
    at_ = y_;
    at_[j] += relative * std::max(std::abs(y_[j]), scale[static_cast<std::size_t>(j)]);
    const Report report = rate(form, t, view(at_), view(shifted_), result);
    if (!report.accepted()) return report;
    J_.col(j) = (shifted_ - f_) / (at_[j] - y_[j]);
  }
  fresh_ = true;
  theta_ = kUnknown;
  return {};
}

Report Radau::prepare_newton(OdeForm& form, double t, double h, StepResult& result) {
  if (!fresh_ && theta_ > kRenew) {
    const Report report = differentiate(form, t, result);
    if (!report.accepted()) return report;
  }
  if (factored_ != h) systems_.factor(h, J_);
  factored_ = h;
  return {};
}

// The stages that the polynomial of the last step goes on to.
void Radau::predict(double h) {
  if (last_h_ == 0) {
    z_.setZero();
    return;
  }
  const Eigen::Index end = tableau_.stages - 1;
  for (Eigen::Index i = 0; i <= end; ++i) {
    tableau_.weigh(1 + tableau_.c[i] * h / last_h_, weights_);
    weights_[end] -= 1;
    z_.col(i).noalias() = last_z_.lazyProduct(weights_);
  }
}

Report Radau::stages(OdeForm& form, double t, double h, StepResult& result) {
  for (Eigen::Index i = 0; i < tableau_.stages; ++i) {
    at_ = y_ + z_.col(i);
    const Report report = rate(form, t + tableau_.c[i] * h, view(at_), column(rates_, i), result);
    if (!report.accepted()) return report;
    merge_mark(report, result.report);
  }
  return {};
}

// One iteration: (Λ/h − J) T⁻¹Δz = T⁻¹(f − A⁻¹z/h); the size of Δz relative to the tolerance.
double Radau::correct(OdeForm& form, double h) {
  rates_.noalias() -= z_.lazyProduct(tableau_.inverse.transpose()) / h;
  g_.noalias() = rates_.lazyProduct(tableau_.T_inverse.transpose());
  systems_.solve(g_);
  rates_.noalias() = g_.lazyProduct(tableau_.T.transpose());
  z_ += rates_;
  double size = 0;
  for (Eigen::Index i = 0; i < tableau_.stages; ++i) {
    const double norm = relative_norm(column(rates_, i), view(y_), form.scale());
    if (!(norm <= size)) size = norm;
  }
  return size / tolerance_;
}

Report Radau::newton(OdeForm& form, double t, double h, StepResult& result) {
  const double allowed = std::max(kLeft, 10 * std::numeric_limits<double>::epsilon() / tolerance_);
  Report report;
  double last = 0, theta = std::pow(theta_, 0.8);
  for (int k = 1; k <= kMostIterations; ++k) {
    report = stages(form, t, h, result);
    if (!report.accepted()) return report;
    const double size = correct(form, h);
    if (!std::isfinite(size)) return not_finite(t);
    if (k > 1) theta = theta_ = size / last;
    if (theta < 1 && size * theta / (1 - theta) <= allowed) return report;
    if (size == 0) return report;
    if (k > 1 && !(size * std::pow(theta, kMostIterations - k) < allowed * (1 - theta))) break;
    last = size;
  }
  report.outcome = Outcome::not_converged;
  return report;
}

// (γ/h − J) e = f + γ/h Σ e_i z_i; where that is too large, once more with f at y + e, which leaves out what
// a stiff motion loses at once.
Report Radau::estimate(OdeForm& form, double t, double h, double& error, StepResult& result) {
  const auto norm = [&] { return relative_norm(view(e_), view(y_), form.scale()) / tolerance_; };
  shifted_.noalias() = z_.lazyProduct(tableau_.error) * (tableau_.gamma / h);
  e_ = f_ + shifted_;
  systems_.solve_real(e_);
  error = norm();
  if (error <= 1) return {};
  at_ = y_ + e_;
  const Report report = rate(form, t, view(at_), view(e_), result);
  if (!report.accepted()) return {};
  e_ += shifted_;
  systems_.solve_real(e_);
  error = norm();
  return report;
}

// The stages, and the state `next_` that the form makes of the last one; `error` relative to what is allowed.
Report Radau::attempt(OdeForm& form, const State& state, double h, double& error, StepResult& result) {
  Report report = prepare_newton(form, state.t, h, result);
  if (!report.accepted()) return report;
  predict(h);
  report = newton(form, state.t, h, result);
  if (!report.accepted()) return report;
  report = estimate(form, state.t, h, error, result);
  at_ = y_ + z_.col(tableau_.stages - 1);
  if (!std::isfinite(error) || !all_finite(view(at_))) return not_finite(state.t);
  if (error > 1) return report;
  next_ = state;
  end_ = {};
  if (!complete(form, state.t + h, view(at_), h, next_, kept_, end_)) return end_.report;
  return report;
}

void Radau::keep(OdeForm& form, double h, double error, StepResult& result) {
  merge_mark(end_.report, result.report);
  result.violation.take_larger(end_.violation);
  const bool cut = h < controller_.proposed();
  controller_.accept(h, error);
  const double longer = controller_.proposed() / h;
  if (!cut && theta_ <= kRenew && longer >= 1 && longer < kSame) controller_.propose(h);
  h_ = h;
  remember(form);
}

// `next_`, and what it cost, at most `most` later. Where a step with an old ∂f/∂y fails, that is made anew.
Report Radau::find_step(OdeForm& form, const State& state, double most, StepResult& result) {
  Report failed;
  for (;;) {
    const double h = controller_.fitted(most);
    if (h < most && too_small(h, state.t)) {
      const bool untold =
          failed.accepted() || (failed.outcome == Outcome::not_converged && failed.message.empty());
      return untold ? stuck(spoken(tableau_), "the step became too small", state.t, h) : failed;
    }
    double error = 0;
    const Report report = attempt(form, state, h, error, result);
    if (report.accepted() && error <= 1) {
      keep(form, h, error, result);
      return {};
    }
    ++rejected_;
    failed = report;
    const bool again = !report.accepted() && !fresh_;
    if (report.accepted())
      controller_.reject(h, error);
    else if (!again)
      controller_.reject_failed(h);
    if (!fresh_) theta_ = kUnknown;
    form.pack(state, packed_);
  }
}

StepResult Radau::advance(OdeForm& form, State& state, double most) {
  assert(most > 0);
  StepResult result;
  load(form, state);
  state.remember(tableau_.name, kMemory);
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
  std::swap(before_, state);
  std::swap(state, next_);
  return result;
}

StepResult Radau::step(OdeForm& form, State& state, double h) {
  return advance_by(*this, spoken(tableau_), form, state, h, start_);
}

StepResult Radau::between(OdeForm& form, double t, State& state, Wanted wanted) {
  StepResult result;
  result.steps = 0;
  form.pack(before_, packed_);
  tableau_.weigh((t - before_.t) / h_, weights_);
  at_ = Eigen::Map<const Eigen::VectorXd>(packed_.data(), at_.size());
  at_ += z_.lazyProduct(weights_);
  state = before_;
  if (wanted == Wanted::positions) {
    result.report = form.unpack(t, view(at_), state);
    if (result.report.accepted()) result.report = form.hold_positions(state);
    return result;
  }
  Kept kept;
  if (complete(form, t, view(at_), t - before_.t, state, kept, result)) forget_first_stage(state);
  return result;
}

}  // namespace trammel
