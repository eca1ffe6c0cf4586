#include "formulations/augmented_lagrangian.h"

#include <algorithm>

#include "formulations/row_parameters.h"
#include "formulations/rows.h"
#include "math/spans.h"

namespace trammel {
namespace {

constexpr int kMaxIterations = 100;
constexpr double kSmallChange = 1e-14;  // of what is solved for: rounding
// A pass contracts by about 1e-6 where the constraints are independent or redundant, by less next to a
// singular position. Where it does, the next one is known without making it.
constexpr double kFast = 1e-3;

}  // namespace

AugmentedSystem::AugmentedSystem(const System& system, const Plan& plan)
    : system_(system),
      tangent_(system, solver_named(plan.solver)),
      loops_(system.jacobian()),
      constraint_scale_(plan.constraint_scale),
      passes_(plan.formulation == "penalty" ? 0 : plan.alf_iterations),
      penalty_(by_row(system, plan.penalty.value_or(0), plan.penalty_of)),
      mobility_(effective_mobility(system, system.make_terms())),
      alpha_(penalty_.size(), 0),
      increment_(mobility_.size(), 0) {}

Report AugmentedSystem::factor(const Terms& terms) {
  Report report;
  const auto holonomic = static_cast<std::size_t>(system_.sizes().holonomic);
  loops_.squares(terms.Phi_v, mobility_, alpha_);
  for (std::size_t r = 0; r < alpha_.size(); ++r) {
    // The scale says what Φ is multiplied by; A v + b is as the person wrote it.
    const double scale = r < holonomic ? constraint_scale_ : 1;
    alpha_[r] = penalty_[r] > 0 ? penalty_[r] * scale * scale : automatic_penalty(alpha_[r]);
  }
  const FactorStatus status = tangent_.factor(terms, alpha_, 0, 0);
  if (status != FactorStatus::ok)
    report.outcome = status == FactorStatus::not_finite ? Outcome::not_finite : Outcome::singular;
  return report;
}

Report AugmentedSystem::solve(const Terms& terms, std::span<const double> f, std::span<const double> c,
                              std::span<double> x, std::span<double> mu) {
  Report report;
  const RowLoops::Correction rows{terms.Phi_v, c, {}, alpha_};
  std::fill(x.begin(), x.end(), 0.0);
  std::fill(mu.begin(), mu.end(), 0.0);
  std::copy(f.begin(), f.end(), increment_.begin());
  loops_.augment(rows, x, true, mu, increment_);
  double last = INFINITY;
  for (int i = 0;; ++i) {
    tangent_.solve(increment_);
    add_scaled(x, 1, increment_.data());
    const double change = largest(increment_), size = largest(x);
    std::copy(f.begin(), f.end(), increment_.begin());
    system_.add_mass_times(terms, x, -1, increment_);
    loops_.augment(rows, x, false, mu, increment_);
    report.iterations = i;
    if (!std::isfinite(change)) {
      report.outcome = Outcome::not_finite;
      return report;
    }
    // What the next pass would change, if it contracts as this one did.
    const double next = i > 1 && change < kFast * last ? change * (change / last) : change;
    last = change;
    if (passes_ >= 0 ? i == passes_ : next <= kSmallChange * size || i == kMaxIterations) return report;
  }
}

AugmentedLagrangian::AugmentedLagrangian(std::shared_ptr<const System> system, const Plan& plan)
    : AccelerationForm(std::move(system), plan, false),
      equations_(*system_, plan),
      omega_(by_row(*system_, plan.omega.value_or(kDefaultOmega), plan.omega_of)),
      mu_(by_row(*system_, plan.mu, plan.mu_of)),
      stabilized_(std::any_of(omega_.begin(), omega_.end(), [](double omega) { return omega != 0; })),
      bias_(terms_.Phi.size(), 0) {}

Report AugmentedLagrangian::accelerate(State& s) {
  system_->evaluate(s, kAskPosition | kAskGamma | kAskForces, terms_);
  Report report = equations_.factor(terms_);
  if (report.accepted()) report = solve_accelerations(s);
  return report;
}

Report AugmentedLagrangian::solve_accelerations(State& s) {
  // γ + 2Ωμ Φ̇ + Ω² Φ
  if (!stabilized_) return equations_.solve(terms_, terms_.Q, terms_.gamma, s.a, s.lambda);
  for (std::size_t r = 0; r < bias_.size(); ++r) {
    const double rate = row_times(system_->jacobian(), terms_.Phi_v, r, s.v) + terms_.Phi_t[r];
    bias_[r] = terms_.gamma[r] + omega_[r] * (2 * mu_[r] * rate + omega_[r] * terms_.Phi[r]);
  }
  return equations_.solve(terms_, terms_.Q, bias_, s.a, s.lambda);
}

}  // namespace trammel
