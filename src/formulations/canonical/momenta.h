// Momenta: what the canonical formulations share.
//
//   p = M v + Φ_vᵀσ,   ṗ = Q + Ṁ v + Φ̇_vᵀσ          García de Jalón & Bayo (1994), (5.100), (5.101)
//
// in any coordinates; there, L_q + Q_ex stands for Q + Ṁ v. The equations determine σ but for a constant,
// which may be added to σ together with its Φ_vᵀσ to p: every step starts with p = M v, σ = 0. So q and v are
// all that a State must hold, and σ, which would grow with time as the integral of λ, stays small. Where Φ_v
// is linear in q, as for most joints in natural coordinates, Runge-Kutta rules give the same motion for every
// such constant.
//
// λ = σ̇. Differentiated, p = M v + Φ_vᵀσ is M v̇ + Φ_vᵀλ = Q, and the constraint on v is one on v̇: both are
// solved with the matrix that gave v and σ, so that v̇ and λ are as exact as q and v.
#pragma once

#include "formulations/rows/rows.h"

namespace trammel::formulations {

// p = M v; the terms are then those at the state's positions.
inline void momenta(const system::Dynamics& system, const State& s, system::Terms& terms,
                    std::span<double> p) {
  system.evaluate(s, system::kAskPosition, terms);
  std::fill(p.begin(), p.end(), 0.0);
  system.add_mass_times(terms, s.v, 1, p);
}

// Q + Ṁ v + Φ̇_vᵀσ
inline void momentum_rate(const system::Dynamics& system, const system::Terms& terms,
                          std::span<const double> sigma, std::span<double> p_dot) {
  for (std::size_t i = 0; i < p_dot.size(); ++i) p_dot[i] = terms.Q[i] + terms.M_dot_v[i];
  for (std::size_t r = 0; r < sigma.size(); ++r)
    add_row(system.jacobian(), terms.Phi_v_dot, r, sigma[r], p_dot);
}

// What evaluate() must fill for a rate at known Φ_v: accelerations only where the power of drivers needs
// them.
inline unsigned asked_for_rate(const system::Dynamics& system) {
  return system::kAskForces | system::kAskRates | (system.rheonomic() ? system::kAskGamma : 0U);
}

}  // namespace trammel::formulations
