// Whether an equilibrium is stable: what its reduced stiffness says.
//
//   forces with a potential: K = Kᵀ, stable where it is positive definite
//   other forces: M z̈ + K z = 0 stays bounded where the eigenvalues of M⁻¹K are real, positive and semisimple
//
// Complex ones flutter, negative ones diverge. Damping is left out: it may bring flutter nearer (Ziegler,
// 1952). Where a force has a kink the side decides, which is told of one freedom only.
#pragma once

#include <complex>

#include "analysis/balance.h"
#include "analysis/equilibrium.h"

namespace trammel::analysis {

void judge_stability(Balance& balance, const Jacobian& K, const system::System& system, Equilibrium& out);
// In a singular position: where motions cross the stiffness along them decides, and where no motion leads
// away the mechanism is locked.
Report judge_singular(const system::System& system, Equilibrium& out);

// How far an equilibrium is from a change of stability, 1/s²: positive where it is not unstable, negative
// where it is, continuous along a path. So many of its stiffnesses are zero all along. `with_flutter`: pairs
// of eigenvalues may become complex.
double stability_margin(const Equilibrium& one, int zeros, bool with_flutter);

}  // namespace trammel::analysis
