// The mobility by which a row's penalty is chosen: 1 over the mass that its reaction may have to move.
//
// With penalties α_r = ρ/(Φ_v D⁻¹Φ_vᵀ)_rr, D diagonal, the multipliers contract by 1/(1 + s), where s is at
// least ρ times the smallest eigenvalue of Φ_v M⁻¹Φ_vᵀ relative to diag(Φ_v D⁻¹Φ_vᵀ). With D = diag M a light
// body between heavy ones makes that tiny: each of its rows is as mobile as the light body alone, but a
// reaction that passes through it moves the heavy one. Two bodies of mass M that a chain of n of mass m ties:
// s = ρ m/(2 n M).
//
// Where D is diag M with masses raised to at least ε of the heaviest that rows connect them with,
//
//   s ≥ ρ ε σ²,   σ the smallest singular value of Φ_v, rows and coordinates scaled to one:
//
// the iteration is slow where the rows are nearly dependent, and nowhere else.
#pragma once

#include <vector>

#include "system/dynamics.h"

namespace trammel::formulations {

// By coordinate.
std::vector<double> penalty_mobility(const system::Dynamics& system, const system::Terms& terms);

}  // namespace trammel::formulations
