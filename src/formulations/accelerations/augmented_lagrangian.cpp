#include "formulations/accelerations/augmented_lagrangian.h"

#include <algorithm>

#include "formulations/rows/row_parameters.h"
#include "formulations/rows/rows.h"
#include "math/spans.h"

namespace trammel::formulations {
namespace {

// One number: not zero where rows are redundant.
constexpr MemorySlot kRedundant{"redundant rows", Lifetime::run};

}  // namespace

AugmentedLagrangian::AugmentedLagrangian(std::shared_ptr<const system::Dynamics> system,
                                         const ResolvedPlan& plan)
    : AccelerationForm(std::move(system), plan, false),
      equations_(*system_, plan),
      omega_(by_row(*system_, plan.omega.value_or(kDefaultOmega), plan.omega_of)),
      mu_(by_row(*system_, plan.mu, plan.mu_of)),
      stabilized_(std::any_of(omega_.begin(), omega_.end(), [](double omega) { return omega != 0; })),
      bias_(terms_.Phi.size(), 0) {}

void AugmentedLagrangian::prepare(State& s) {
  if (s.recall(kRedundant) == nullptr) s.remember(kRedundant, 1)[0] = is_redundant(s) ? 1 : 0;
}

AccelerationForm::Motion AugmentedLagrangian::take_up(State& s) {
  const std::vector<double>* redundant = s.recall(kRedundant);
  equations_.expect_redundant(redundant != nullptr && redundant->front() != 0);
  return AccelerationForm::take_up(s);
}

Report AugmentedLagrangian::accelerate_within(State& s, double allowed) {
  system_->evaluate(s, system::kAskPosition | system::kAskGamma | system::kAskForces, terms_);
  Report report = equations_.factor(terms_);
  if (report.accepted()) report = solve_accelerations(s, allowed);
  return report;
}

Report AugmentedLagrangian::velocity_rate(State& s, std::span<double> u_dot) {
  const Report report = accelerate_within(s, allowed_);
  std::copy(s.a.begin(), s.a.end(), u_dot.begin());
  return report;
}

Report AugmentedLagrangian::solve_accelerations(State& s, double allowed) {
  // γ + 2Ωμ Φ̇ + Ω² Φ
  if (!stabilized_) return equations_.solve(terms_, terms_.Q, terms_.gamma, allowed, s.a, s.lambda);
  for (std::size_t r = 0; r < bias_.size(); ++r) {
    const double rate = row_times(system_->jacobian(), terms_.Phi_v, r, s.v) + terms_.Phi_t[r];
    bias_[r] = terms_.gamma[r] + omega_[r] * (2 * mu_[r] * rate + omega_[r] * terms_.Phi[r]);
  }
  return equations_.solve(terms_, terms_.Q, bias_, allowed, s.a, s.lambda);
}

}  // namespace trammel::formulations
