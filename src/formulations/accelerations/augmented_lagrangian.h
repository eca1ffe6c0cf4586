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

#include "formulations/accelerations/acceleration_form.h"
#include "formulations/matrices/augmented_system.h"

namespace trammel::formulations {

class AugmentedLagrangian : public AccelerationForm {
 public:
  AugmentedLagrangian(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan);
  Report accelerate(State& s) override { return accelerate_within(s, 0); }
  // Looks whether rows are redundant wherever the mechanism goes from here.
  void prepare(State& s) override;
  void relax(double allowed) override { allowed_ = allowed; }
  void tell_exactly(bool on) override { equations_.use_conjugates(on); }
  std::string name() const override { return name_of(plan_.formulation); }

 protected:
  Motion take_up(State& s) override;
  void forget_factors() override {
    equations_.forget();
    allowed_ = 0;
  }
  Report velocity_rate(State& s, std::span<double> u_dot) override;
  // v̇ and λ with Q, Φ, Φ̇, γ of the terms and the factor as it is; v̇ may err by so much of itself.
  Report solve_accelerations(State& s, double allowed = 0);

  AugmentedSystem equations_;
  std::vector<double> omega_, mu_;  // by row
  bool stabilized_;                 // some Ω is not zero
  double allowed_ = 0;              // error of v̇ in a rate
  std::vector<double> bias_;        // of the constraints: what their left side has besides Φ_v x

 private:
  Report accelerate_within(State& s, double allowed);
};

}  // namespace trammel::formulations
