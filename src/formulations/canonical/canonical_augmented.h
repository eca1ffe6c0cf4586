// Canonical equations by the augmented Lagrangian: u = (p, I), I = ∫Φ dt.
//
//   p = M v + Φ_vᵀσ,   σᵢ₊₁ = σᵢ + α(Φ̇ + 2Ωμ Φ + Ω² I)ᵢ₊₁,   ṗ = Q + Ṁ v + Φ̇_vᵀσ,   İ = Φ
//
//   García de Jalón & Bayo (1994), Alg. 5-8, (5.118)–(5.121), with +Φ_vᵀσ* in (5.118) and α in (5.120);
//   momenta.h. Rows of velocities: A v + b + 2Ωμ I in the bracket, İ = A v + b, (5.125)–(5.126); 2Ωμ is
//   called μ there.
//
// Converged, Φ̇ + 2Ωμ Φ + Ω² I = 0: what is left of Φ decays as in the augmented Lagrangian of index 1, with
// one derivative of the constraints less. I is what the bracket says of q and v at the start of a step;
// without Ω there is none, and Φ̇ = 0. Redundant constraints and singular positions do not matter.
#pragma once

#include "formulations/accelerations/augmented_lagrangian.h"

namespace trammel::formulations {

class CanonicalAugmented final : public AugmentedLagrangian {
 public:
  CanonicalAugmented(const std::shared_ptr<const system::Dynamics>& system, const ResolvedPlan& plan);

 private:
  int velocities() const override { return static_cast<int>(scale_.size()); }
  void velocity_scale(std::span<double> scale) const override;
  void pack_velocity(const State& s, std::span<double> u) override;
  Report unpack_velocity(std::span<const double> u, State& s) override;
  bool holds_motion() const override { return false; }
  Report velocity_rate(State& s, std::span<double> u_dot) override;
  bool is_holonomic(std::size_t row) const { return static_cast<int>(row) < system_->sizes().holonomic; }
  double row_rate(const State& s, std::size_t row) const;  // Φ̇, or A v + b
  // Of the bracket: the factor of I.
  double integral_gain(std::size_t row) const;

  std::vector<double> scale_, sigma_;
};

}  // namespace trammel::formulations
