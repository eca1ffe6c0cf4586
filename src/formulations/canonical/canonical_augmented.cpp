#include "formulations/canonical/canonical_augmented.h"

#include "formulations/canonical/momenta.h"

namespace trammel::formulations {
namespace {

// Momenta, then integrals over a second.
std::vector<double> scale_of(const system::Dynamics& system) {
  std::vector<double> scale = momentum_scale(system);
  for (const system::RowOwner& row : system.rows()) scale.push_back(row.scale);
  return scale;
}

}  // namespace

CanonicalAugmented::CanonicalAugmented(const std::shared_ptr<const system::Dynamics>& system,
                                       const ResolvedPlan& plan)
    : AugmentedLagrangian(system, plan), scale_(scale_of(*system)), sigma_(terms_.Phi.size(), 0) {}

void CanonicalAugmented::velocity_scale(std::span<double> scale) const {
  std::copy(scale_.begin(), scale_.end(), scale.begin());
}

double CanonicalAugmented::row_rate(const State& s, std::size_t row) const {
  return row_times(system_->jacobian(), terms_.Phi_v, row, s.v) + terms_.Phi_t[row];
}

double CanonicalAugmented::integral_gain(std::size_t row) const {
  return omega_[row] * (is_holonomic(row) ? omega_[row] : 2 * mu_[row]);
}

void CanonicalAugmented::pack_velocity(const State& s, std::span<double> u) {
  const std::size_t n = s.v.size();
  momenta(*system_, s, terms_, u.first(n));
  for (std::size_t r = 0; r < sigma_.size(); ++r) {
    const double gain = integral_gain(r);
    u[n + r] = gain > 0 ? -(row_rate(s, r) + 2 * omega_[r] * mu_[r] * terms_.Phi[r]) / gain : 0;
  }
}

Report CanonicalAugmented::unpack_velocity(std::span<const double> u, State& s) {
  const std::size_t n = s.v.size();
  system_->evaluate(s, system::kAskPosition, terms_);
  Report report = equations_.factor(terms_);
  if (!report.accepted()) return report;
  for (std::size_t r = 0; r < bias_.size(); ++r)
    bias_[r] = terms_.Phi_t[r] + 2 * omega_[r] * mu_[r] * terms_.Phi[r] + integral_gain(r) * u[n + r];
  return equations_.solve(terms_, u.first(n), bias_, s.v, sigma_);
}

Report CanonicalAugmented::velocity_rate(State& s, std::span<double> u_dot) {
  const std::size_t n = s.v.size();
  system_->evaluate(s, asked_for_rate(*system_), terms_);
  momentum_rate(*system_, terms_, sigma_, u_dot.first(n));
  for (std::size_t r = 0; r < sigma_.size(); ++r)
    u_dot[n + r] = is_holonomic(r) ? terms_.Phi[r] : row_rate(s, r);
  return system_->rheonomic() ? solve_accelerations(s) : Report{};
}

}  // namespace trammel::formulations
