// Index1Solver: accelerations and multipliers that belong to given positions and velocities.
//
//   M v̇ + Φ_vᵀλ = Q,   Φ_v v̇ = −γ                                        García de Jalón & Bayo (1994),
//   (5.10)
//
// as an AugmentedSystem: redundant constraints and a singular M do not matter.
#pragma once

#include "formulations/matrices/augmented_system.h"

namespace trammel::formulations {

class Index1Solver {
 public:
  explicit Index1Solver(const system::Dynamics& system)
      : system_(system), terms_(system.make_terms()), equations_(system, ResolvedPlan{}) {
    equations_.use_conjugates(true);
  }

  // v̇ and λ from q, v, t.
  Report accelerations(State& s);
  // The same for reading reactions: teeth press on the flank that the sign of their multiplier tells.
  Report reactions(State& s);
  system::Terms& terms() { return terms_; }

 private:
  const system::Dynamics& system_;
  system::Terms terms_;
  AugmentedSystem equations_;
};

}  // namespace trammel::formulations
