#include "formulations/augmented_lagrangian.h"

#include "formulations/row_parameters.h"
#include "formulations/rows.h"

namespace trammel {
namespace {

constexpr int kMaxIterations = 100;
constexpr double kSmallChange = 1e-14;  // of the accelerations: rounding

}  // namespace

AugmentedLagrangian::AugmentedLagrangian(std::shared_ptr<const System> system, const Plan& plan)
    : AccelerationForm(std::move(system), plan, false),
      tangent_(*system_, solver_named(plan.solver)),
      penalty_(by_row(*system_, plan.penalty.value_or(0), plan.penalty_of)),
      omega_(by_row(*system_, plan.omega, plan.omega_of)),
      mu_(by_row(*system_, plan.mu, plan.mu_of)),
      mass_(effective_mass(*system_, terms_)),
      alpha_(terms_.Phi.size(), 0),
      stabilization_(terms_.Phi.size(), 0),
      increment_(terms_.Q.size(), 0) {}

double AugmentedLagrangian::excess(const State& s, std::size_t r) const {
  return row_times(system_->jacobian(), terms_.Phi_v, r, s.a) + terms_.gamma[r] + stabilization_[r];
}

Report AugmentedLagrangian::accelerate(State& s) {
  Report report;
  system_->evaluate(s, kAskPosition | kAskGamma | kAskForces, terms_);
  const auto holonomic = static_cast<std::size_t>(system_->sizes().holonomic);
  for (std::size_t r = 0; r < alpha_.size(); ++r) {
    const double compliance = std::max(row_compliance(system_->jacobian(), terms_.Phi_v, r, mass_), 1e-300);
    // The scale says what Φ is multiplied by; A v + b is as the person wrote it.
    const double scale = r < holonomic ? plan_.constraint_scale : 1;
    alpha_[r] = penalty_[r] > 0 ? penalty_[r] * scale * scale : kPenaltyRatio / compliance;
    const double rate = row_times(system_->jacobian(), terms_.Phi_v, r, s.v) + terms_.Phi_t[r];
    stabilization_[r] = omega_[r] * (2 * mu_[r] * rate + omega_[r] * terms_.Phi[r]);
  }
  const FactorStatus status = tangent_.factor(terms_, alpha_, 0, 0);
  if (status != FactorStatus::ok) {
    report.outcome = status == FactorStatus::not_finite ? Outcome::not_finite : Outcome::singular;
    return report;
  }
  std::fill(s.a.begin(), s.a.end(), 0.0);
  std::fill(s.lambda.begin(), s.lambda.end(), 0.0);
  const int fixed = plan_.formulation == "penalty" ? 0 : plan_.alf_iterations;
  for (int i = 0;; ++i) {
    // v̇ += T⁻¹(Q − M v̇ − Φ_vᵀ(λ + α excess))
    std::copy(terms_.Q.begin(), terms_.Q.end(), increment_.begin());
    system_->add_mass_times(terms_, s.a, -1, increment_);
    for (std::size_t r = 0; r < alpha_.size(); ++r)
      add_row(system_->jacobian(), terms_.Phi_v, r, -(s.lambda[r] + alpha_[r] * excess(s, r)), increment_);
    tangent_.solve(increment_);
    double change = 0, size = 1e-300;
    for (std::size_t k = 0; k < increment_.size(); ++k) {
      s.a[k] += increment_[k];
      change = larger(change, increment_[k]);
      size = std::max(size, std::abs(s.a[k]));
    }
    for (std::size_t r = 0; r < alpha_.size(); ++r) s.lambda[r] += alpha_[r] * excess(s, r);
    report.iterations = i;
    if (!std::isfinite(change)) {
      report.outcome = Outcome::not_finite;
      return report;
    }
    if (fixed >= 0 ? i == fixed : change <= kSmallChange * size || i == kMaxIterations) return report;
  }
}

}  // namespace trammel
