// The way out of a place where joints stay open although no small move closes them further, as a slider-crank
// that stands at its dead centre while its slider is to stand elsewhere.
//
//   E(q) = ½ Σ w Φ²,   E' = Φ_vᵀ w Φ = 0,   Φ_v u = 0:   uᵀE''u = Σ w Φ γ(u)
//
// where γ(u) is what u, as a velocity, adds to Φ̈. If that is negative, E falls along u and along −u alike.
#pragma once

#include <span>
#include <vector>

#include "system/dynamics.h"

namespace trammel::formulations {

// u with the most negative curvature; its largest part is one in units of what counts as one, and positive.
// Empty: E has a minimum here, or there are too many coordinates. `weight`: w of the constraints of
// positions.
std::vector<double> way_out(const system::Dynamics& system, const State& at, std::span<const double> weight);

}  // namespace trammel::formulations
