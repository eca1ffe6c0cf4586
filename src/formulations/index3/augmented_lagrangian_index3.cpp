#include "formulations/index3/augmented_lagrangian_index3.h"

#include <Eigen/Dense>

#include "formulations/reactions/work.h"
#include "formulations/rows/penalty_mobility.h"
#include "formulations/rows/rounding.h"
#include "formulations/rows/row_parameters.h"
#include "formulations/rows/rows.h"
#include "math/spans.h"

namespace trammel::formulations {
namespace {

// A sweep that leaves less than this is not followed by another: two orders and more inside what a step must
// meet.
constexpr double kProjectedVelocity = 1e-13, kProjectedAcceleration = 1e-10;
// A sweep contracts by about 1e-6. One that contracts by less than this works along a direction in which the
// constraints are nearly singular: more sweeps would let v and v̇ run away along it.
constexpr double kSlowSweep = 0.01;
// Rows whose smallest singular value is above this do not slow the iteration down.
constexpr double kIndependent = 0.01;

}  // namespace

AugmentedLagrangianIndex3::AugmentedLagrangianIndex3(std::shared_ptr<const system::Dynamics> system,
                                                     const ResolvedPlan& plan)
    : system_(std::move(system)),
      plan_(plan),
      terms_(system_->make_terms()),
      carries_reactions_(plan.projection_reactions == "carried"),
      mass_metric_(plan.projection_metric == "mass"),
      tangent_(*system_, plan.solver),
      loops_(system_->jacobian()),
      holonomic_(static_cast<std::size_t>(system_->sizes().holonomic)),
      mobility_(penalty_mobility(*system_, terms_)),
      least_(least_compliance(*system_, mobility_)),
      inverse_scale_(inverse_scales(*system_)),
      gives_penalty_(plan.penalty || !plan.penalty_of.empty()),
      penalty_(by_row(*system_, plan.penalty.value_or(0), plan.penalty_of)) {
  const auto rows = static_cast<std::size_t>(system_->sizes().rows);
  for (double size : system_->coordinate_scale()) inverse_size_.push_back(1 / size);
  alpha_.assign(rows, 0);
  weight_.assign(rows, 0);
  projection_weight_.assign(rows, 0);
  rate_.assign(rows, 0);
  force_.assign(rows, 0);
  work_.assign(static_cast<std::size_t>(size()), 0);
  if (projection_adds_forces() || plan_.reactions == "projections") {
    sigma_.assign(rows, 0);
    kappa_.assign(rows, 0);
  }
  const bool mass_differs = mass_metric_ && (system_->has_stiffness() || gives_penalty_);
  // Constraints of velocities weigh in the projections alone.
  if (mass_differs || projection_adds_forces())
    own_metric_ = std::make_unique<TangentMatrix>(*system_, plan.solver);
}

std::string AugmentedLagrangianIndex3::refusal() const {
  const bool both = plan_.project_velocities.value_or(true) && plan_.project_accelerations.value_or(true);
  if (both || !projection_adds_forces()) return {};
  return "constraints of velocities (" + system_->rows()[holonomic_].name +
         ", …) are held by the projections of velocities and of accelerations; leave both on";
}

void AugmentedLagrangianIndex3::prepare(State& state) const {
  if (plan_.reactions == "projections") state.remember(kProjectionMultipliers, 0) = state.lambda;
}

// α from s = (1/da) α (Φ_v M⁻¹ Φ_vᵀ).
void AugmentedLagrangianIndex3::choose_penalty(const forms::Coeffs& c) {
  loops_.squares(terms_.Phi_v, mobility_, rate_);
  math::by_pairs(rate_.size(), [da = c.da, compliance = rate_.data(), least = least_.data(),
                                alpha = alpha_.data(), weight = weight_.data(),
                                projection = projection_weight_.data()](std::size_t r, auto width) {
    using W = decltype(width);
    const W s = automatic_penalty(math::load<W>(compliance + r), math::load<W>(least + r));
    math::store<W>(alpha + r, math::spread<W>(da) * s);
    math::store<W>(weight + r, s);
    math::store<W>(projection + r, s);
  });
  if (gives_penalty_) take_given_penalty(c);
  for (std::size_t r = holonomic_; r < weight_.size(); ++r) weight_[r] = 0;
}

// The given α on the scaled constraint; A v + b is taken as it is written.
void AugmentedLagrangianIndex3::take_given_penalty(const forms::Coeffs& c) {
  const double scale = plan_.constraint_scale * plan_.constraint_scale;
  for (std::size_t r = 0; r < alpha_.size(); ++r) {
    if (!(penalty_[r] > 0)) continue;
    if (rate_[r] > 0) {
      alpha_[r] = penalty_[r] * (r < holonomic_ ? scale : 1);
      weight_[r] = alpha_[r] / c.da;
    }
    // c = 1 only with a given α and the mass metric, as the papers have it
    projection_weight_[r] = mass_metric_ ? alpha_[r] : weight_[r];
  }
}

forms::Residual AugmentedLagrangianIndex3::evaluate(State& trial, const forms::Coeffs& c, bool first) {
  system_->evaluate(trial, system::kAskPosition | system::kAskForces | system::kAskTangent, terms_);
  if (first) choose_penalty(c);
  // λ* ← λ* + αΦ, after the solve that led here
  math::Largest violation;
  math::by_pairs(
      holonomic_, [&, taken = first ? 0.0 : 1.0, lambda = trial.lambda.data(), alpha = alpha_.data(),
                   Phi = terms_.Phi.data(), scale = inverse_scale_.data()](std::size_t r, auto width) {
        using W = decltype(width);
        const W phi = math::load<W>(Phi + r);
        math::store<W>(lambda + r,
                       math::load<W>(lambda + r) + math::spread<W>(taken) * math::load<W>(alpha + r) * phi);
        violation.see(phi * math::load<W>(scale + r));
      });
  const double size = violation.value();
  const bool finite =
      system_->constant_forces() || (math::all_finite(terms_.Q) && math::all_finite(terms_.x_dot));
  return {finite && size < INFINITY, size};
}

int AugmentedLagrangianIndex3::worst_row() const {
  Worst worst;
  for (std::size_t r = 0; r < holonomic_; ++r) worst.see(terms_.Phi[r], inverse_scale_[r], r);
  return worst.row;
}

double AugmentedLagrangianIndex3::rounding(const State& trial) const {
  return position_rounding(*system_, terms_, trial);
}

bool AugmentedLagrangianIndex3::near_singular() {
  if (alpha_.empty()) return false;
  if (!independence_) independence_ = std::make_unique<RowIndependence>(*system_);
  return independence_->smallest(terms_) < kIndependent;
}

Outcome AugmentedLagrangianIndex3::solve(State& trial, const forms::Coeffs& c, std::span<double> increment,
                                         double& norm) {
  const linalg::FactorStatus status = tangent_.factor(terms_, weight_, c.dv / c.da, 1 / c.da);
  if (status == linalg::FactorStatus::not_finite) return Outcome::not_finite;
  if (status != linalg::FactorStatus::ok) return Outcome::singular;

  // T δ da = Q − M v̇ − Φ_vᵀ(λ* + αΦ) − Aᵀλ̂
  system_->force_left(terms_, trial.a, increment);
  loops_.press(terms_.Phi_v, acting(trial.lambda), alpha_.data(), terms_.Phi.data(), increment);
  tangent_.solve(increment);
  norm = math::scale(increment, 1 / c.da, inverse_size_);

  if (!trial.x.empty()) norm = std::max(norm, solve_states(trial, c));
  return std::isfinite(norm) ? Outcome::ok : Outcome::not_finite;
}

// λ* and the λ̂ that act in the Newton iteration.
const double* AugmentedLagrangianIndex3::acting(const std::vector<double>& lambda) {
  if (carries_reactions_ || holonomic_ == lambda.size()) return lambda.data();
  std::copy_n(lambda.begin(), holonomic_, force_.begin());
  std::fill(force_.begin() + static_cast<std::ptrdiff_t>(holonomic_), force_.end(), 0.0);
  return force_.data();
}

// Auxiliary states by Newton on x − x_known − dx ẋ(x), with q and v as they are.
double AugmentedLagrangianIndex3::solve_states(State& trial, const forms::Coeffs& c) {
  const auto n = static_cast<Eigen::Index>(trial.x.size());
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 16, 16>;
  double norm = 0;
  if (n <= 16) {
    Small A =
        -c.dx * Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(terms_.x_dot_x.data(), n, n);
    A.diagonal().array() += 1;
    Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 16, 1> r(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      r[i] = c.x_known[k] + c.dx * terms_.x_dot[k] - trial.x[k];
    }
    const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 16, 1> d = A.partialPivLu().solve(r);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      trial.x[k] += d[i];
      norm = larger(norm, d[i] / std::max(1.0, std::abs(trial.x[k])));
    }
    return norm;
  }
  // Many states: one by one, each with its own derivative.
  for (std::size_t k = 0; k < trial.x.size(); ++k) {
    const double own = terms_.x_dot_x[k * trial.x.size() + k];
    const double d = (c.x_known[k] + c.dx * terms_.x_dot[k] - trial.x[k]) / (1 - c.dx * own);
    trial.x[k] += d;
    norm = larger(norm, d / std::max(1.0, std::abs(trial.x[k])));
  }
  return norm;
}

void AugmentedLagrangianIndex3::move(State& trial, std::span<const double> increment) {
  system_->retract(trial.q, increment);
}

// x ← x − (P + Jᵀcα J)⁻¹Jᵀ cα(J x + bias) until it is small or the sweeps are used up; what remains. The
// multiplier σ with P(x − x*) + Jᵀσ = 0 is the sum of cα(J x + bias) after each sweep.
double AugmentedLagrangianIndex3::sweep(std::span<double> x, std::span<const double> bias,
                                        TangentMatrix& metric, std::span<double> multiplier, double enough) {
  if (!multiplier.empty()) math::set_zero(multiplier);
  const RowLoops::Correction rows{terms_.Phi_v, bias, inverse_scale_, projection_weight_};
  const std::span<double> change = work_;
  double left = INFINITY;
  for (int i = 0;; ++i) {
    math::set_zero(change);
    const double now = loops_.correct(rows, x, change);
    const bool slow = i > 0 && now > kSlowSweep * left;
    left = now;
    if (left <= enough || slow || i == plan_.projection_sweeps || !(left < INFINITY)) return left;
    if (multiplier.empty())
      metric.solve(change);
    else
      solve_and_sum(metric, x, bias, change, multiplier);
    math::add_scaled(x, 1, change.data());
  }
}

// The rate after the sweep, as the rate before it and its change: x is larger by far, and its rounding would
// come α times into the multiplier.
void AugmentedLagrangianIndex3::solve_and_sum(TangentMatrix& metric, std::span<const double> x,
                                              std::span<const double> bias, std::span<double> change,
                                              std::span<double> multiplier) {
  loops_.times(terms_.Phi_v, x, bias, rate_);
  metric.solve(change);
  loops_.times(terms_.Phi_v, change, rate_, force_);
  math::add_products(multiplier, projection_weight_.data(), force_.data());
}

// The multipliers of the step and its projections together, (36), (42) and (43) row by row.
void AugmentedLagrangianIndex3::recover(State& trial, const forms::Coeffs& c) {
  const bool by_velocities = plan_.projection_route == "velocities";
  std::vector<double>* kept =
      plan_.reactions == "projections" ? &trial.remember(kProjectionMultipliers, alpha_.size()) : nullptr;
  for (std::size_t r = 0; r < alpha_.size(); ++r) {
    const double increment = by_velocities ? c.da / c.dv * sigma_[r] : kappa_[r];
    const bool in_newton = r < holonomic_ || carries_reactions_;
    const double total = (in_newton && alpha_[r] > 0 ? trial.lambda[r] : 0) + increment;
    if (r >= holonomic_) trial.lambda[r] = total;
    if (kept) (*kept)[r] = total;
  }
}

Violation AugmentedLagrangianIndex3::project(State& trial, const forms::Coeffs& c) {
  TangentMatrix* metric = &tangent_;
  if (own_metric_) {
    metric = own_metric_.get();
    const linalg::FactorStatus status = metric->factor(
        terms_, projection_weight_, mass_metric_ ? 0 : c.dv / c.da, mass_metric_ ? 0 : 1 / c.da);
    if (status != linalg::FactorStatus::ok) return {0, INFINITY, INFINITY};
  }
  Violation left;
  if (alpha_.empty()) return left;
  if (plan_.project_velocities.value_or(true))
    left.velocity = sweep(trial.v, terms_.Phi_t, *metric, sigma_, kProjectedVelocity);
  system_->evaluate(trial, system::kAskGamma, terms_);
  if (plan_.project_accelerations.value_or(true))
    left.acceleration = sweep(trial.a, terms_.gamma, *metric, kappa_, kProjectedAcceleration);
  if (!kappa_.empty()) recover(trial, c);
  return left;
}

Report AugmentedLagrangianIndex3::accept(const State& from, State& trial, const forms::Coeffs& c) {
  Report report = accept_angles(*system_, trial, terms_, c.h);
  if (!math::all_finite(trial.q) || !math::all_finite(trial.v) || !math::all_finite(trial.a))
    report.outcome = Outcome::not_finite;
  if (!trial.x.empty()) trial.remember(forms::kStateRates, trial.x.size()) = terms_.x_dot;
  if (report.accepted()) step_work_.follow(*system_, terms_, from, trial, c.h);
  return report;
}

}  // namespace trammel::formulations
