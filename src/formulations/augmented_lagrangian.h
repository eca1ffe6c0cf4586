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

class AugmentedLagrangian final : public AccelerationForm {
 public:
  AugmentedLagrangian(std::shared_ptr<const System> system, const Plan& plan);
  Report accelerate(State& s) override;
  std::string name() const override { return plan_.formulation; }

 private:
  double excess(const State& s, std::size_t r) const;  // Φ̈ + 2Ωμ Φ̇ + Ω² Φ

  TangentMatrix tangent_;
  std::vector<double> penalty_, omega_, mu_;  // by row; penalty 0: automatic
  std::vector<double> mass_, alpha_, stabilization_, increment_;
};

}  // namespace trammel
