// Canonical equations with Lagrange multipliers: u = p.
//
//   [ M   Φ_vᵀ ] [ v ]   [ p    ]
//   [ Φ_v  0   ] [ σ ] = [ −Φ_t ],   ṗ = Q + Ṁ v + Φ̇_vᵀσ     García de Jalón & Bayo (1994), Alg. 5-6;
//   momenta.h
//
// (5.103) has −σ, which contradicts (5.100) and (5.101). Rows of velocities, A v = −b, stand among the
// others. Φ̇ = 0 at every instant: what v leaves of it is gone at the first evaluation, as by a
// mass-orthogonal projection. Φ drifts by the errors of the rule. Needs independent constraints.
#pragma once

#include "formulations/accelerations/lagrange.h"

namespace trammel::formulations {

class CanonicalLagrange final : public Lagrange {
 public:
  CanonicalLagrange(const std::shared_ptr<const system::Dynamics>& system, const ResolvedPlan& plan);

 private:
  void velocity_scale(std::span<double> scale) const override;
  void pack_velocity(const State& s, std::span<double> u) override;
  Report unpack_velocity(std::span<const double> u, State& s) override;
  bool holds_motion() const override { return false; }
  Report velocity_rate(State& s, std::span<double> u_dot) override;

  std::vector<double> momentum_scale_, sigma_;
};

}  // namespace trammel::formulations
