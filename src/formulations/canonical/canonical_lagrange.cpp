#include "formulations/canonical/canonical_lagrange.h"

#include "formulations/canonical/momenta.h"

namespace trammel::formulations {

CanonicalLagrange::CanonicalLagrange(const std::shared_ptr<const system::Dynamics>& system,
                                     const ResolvedPlan& plan)
    : Lagrange(system, plan), momentum_scale_(momentum_scale(*system)), sigma_(terms_.Phi.size(), 0) {}

void CanonicalLagrange::velocity_scale(std::span<double> scale) const {
  std::copy(momentum_scale_.begin(), momentum_scale_.end(), scale.begin());
}

void CanonicalLagrange::pack_velocity(const State& s, std::span<double> u) {
  momenta(*system_, s, terms_, u);
}

Report CanonicalLagrange::unpack_velocity(std::span<const double> u, State& s) {
  system_->evaluate(s, system::kAskPosition, terms_);
  Report report = equations_.factor(terms_);
  if (!report.accepted()) return report;
  for (std::size_t r = 0; r < side_.size(); ++r) side_[r] = -terms_.Phi_t[r];
  equations_.solve(u, side_, s.v, sigma_);
  return report;
}

Report CanonicalLagrange::velocity_rate(State& s, std::span<double> u_dot) {
  system_->evaluate(s, asked_for_rate(*system_), terms_);
  momentum_rate(*system_, terms_, sigma_, u_dot);
  if (system_->rheonomic()) solve_accelerations(s);
  return {};
}

}  // namespace trammel::formulations
