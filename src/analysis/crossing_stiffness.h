// Stiffness in a position where motions cross, as in a slider-crank of equal links that lie on each other.
//
// There the constraints allow more velocities R c than beside: a combination n of their rows vanishes,
// nᵀΦ_v = 0. Of these velocities only those with cᵀS c = 0 begin a motion, S = Rᵀ ∂(Φ_vᵀn) R. Multipliers are
// known up to μ n, so that the reduced stiffness K = Rᵀ(−∂Q + ∂(Φ_vᵀλ))R becomes K + μS, which is the same
// along every motion. It is positive along all of them if and only if some μ makes it positive definite
// (Finsler, 1937). The largest, over μ, of its smallest eigenvalue is the least stiffness of a motion. Where
// S is definite no motion begins at all: the mechanism is locked.
#pragma once

#include <memory>
#include <optional>

#include "system/system.h"

namespace trammel::analysis {

struct CrossingStiffness {
  bool locked = false;  // no motion begins here
  // Over the reduced mass, 1/s², and its error; of the stiffness alone where a freedom has no mass. Nothing:
  // more than two motions cross, or touch each other.
  std::optional<double> least;
  double error = 0;
};

// At a State at rest in which forces balance; nothing where the position is not singular.
std::optional<CrossingStiffness> crossing_stiffness(const system::System& system, const State& at);

// From a State that is as near to a crossing as Newton's method comes, 1e-8, to the crossing itself:
// reactions that are not unique there show as such.
void move_to_crossing(const system::System& system, State& s);

}  // namespace trammel::analysis
