// Penalty and augmented Lagrangian, index 1.
//
//   (M + Φ_vᵀαΦ_v) v̇ = Q − Φ_vᵀα(γ + 2Ωμ Φ̇ + Ω² Φ)                       penalty, (5.37)
//   (M + Φ_vᵀαΦ_v) v̇ᵢ₊₁ = M v̇ᵢ − Φ_vᵀα(γ + 2Ωμ Φ̇ + Ω² Φ),  M v̇₀ = Q    augmented, (5.51); Bayo & Ledesma (8)
//
// and for rows of velocities (5.47), (5.52) with the bracket Ȧ v + ḃ + 2Ωμ(A v + b): what is left of A v + b
// decays at the rate 2Ωμ, which (5.47) calls μ.
//
// Written with the multipliers λᵢ₊₁ = λᵢ + α(Φ̈ + 2Ωμ Φ̇ + Ω² Φ)ᵢ₊₁, so that M may be singular. Converged, Φ̈ +
// 2Ωμ Φ̇ + Ω² Φ vanishes whatever α is. Redundant constraints and singular positions do not matter.
#pragma once

#include "formulations/acceleration_form.h"

namespace trammel {

// M x + Φ_vᵀμ = f, Φ_v x + c = 0 by the iteration x += T⁻¹(f − M x − Φ_vᵀ(μ + αs)), μ += αs from zero, with
// T = M + Φ_vᵀαΦ_v and s = Φ_v x + c: f is balanced after every pass, s vanishes with their number.
class AugmentedSystem {
 public:
  AugmentedSystem(const System& system, const Plan& plan);
  [[nodiscard]] Report factor(const Terms& terms);
  [[nodiscard]] Report solve(const Terms& terms, std::span<const double> f, std::span<const double> c,
                             std::span<double> x, std::span<double> mu);
  void forget() { tangent_.forget(); }

 private:
  const System& system_;
  TangentMatrix tangent_;
  RowLoops loops_;
  double constraint_scale_;
  int passes_;                   // after the first; −1: to convergence
  std::vector<double> penalty_;  // by row; 0: automatic
  std::vector<double> mobility_, alpha_, increment_;
};

class AugmentedLagrangian : public AccelerationForm {
 public:
  AugmentedLagrangian(std::shared_ptr<const System> system, const Plan& plan);
  Report accelerate(State& s) override;
  std::string name() const override { return plan_.formulation; }

 protected:
  void forget_factors() override { equations_.forget(); }
  // v̇ and λ with Q, Φ, Φ̇, γ of the terms and the factor as it is.
  Report solve_accelerations(State& s);

  AugmentedSystem equations_;
  std::vector<double> omega_, mu_;  // by row
  bool stabilized_;                 // some Ω is not zero
  std::vector<double> bias_;        // of the constraints: what their left side has besides Φ_v x
};

}  // namespace trammel
