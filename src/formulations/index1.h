// Index1Solver: accelerations and multipliers that belong to given positions and velocities.
//
//   M v̇ + Φ_vᵀλ = Q,   Φ_v v̇ = −γ                                        García de Jalón & Bayo (1994),
//   (5.10)
//
// solved by the augmented Lagrangian iteration with T = M + Φ_vᵀ w Φ_v (Bayo & Ledesma (1996), (8)), so that
// redundant constraints and a singular M do not matter: where λ is not unique it is the one of
// least Σ λ²/w: from λ = 0 every pass adds w times a vector of the range of Φ_v.
#pragma once

#include "formulations/row_loops.h"
#include "formulations/tangent.h"
#include "trammel/report.h"

namespace trammel {

class Index1Solver {
 public:
  Index1Solver(const System& system, SolverChoice choice);

  // v̇ and λ from q, v, t.
  Report accelerations(State& s);
  Terms& terms() { return terms_; }

 private:
  bool factor(const State& s);

  const System& system_;
  Terms terms_;
  TangentMatrix tangent_;
  RowLoops loops_;
  std::vector<double> mobility_, weight_, work_;
};

}  // namespace trammel
