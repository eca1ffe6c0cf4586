// Velocities at the start: the least that the constraints and a person ask for.
//
//   min ½ vᵀM v  with  Φ_v v + Φ_t = 0 and the velocities that were given      Bayo & Ledesma (1996),
//   (23)–(25)
#pragma once

#include <string>
#include <vector>

#include "system/dynamics.h"
#include "trammel/report.h"

namespace trammel::formulations {

// Of the largest velocity: rows that stay open by more contradict each other.
inline constexpr double kGivenVelocity = 1e-8;

// Names of parts whose rows contradict each other in `conflicts`.
Report find_velocities(const system::Dynamics& system, State& state, std::vector<std::string>& conflicts);

// The velocities nearest to the state's, measured by M, that meet Φ_v v + Φ_t = 0: by dense factors, for
// positions next to a singular one, where sweeps converge slowly. Larger systems are left as they are.
void take_nearest_velocities(const system::Dynamics& system, State& state);

}  // namespace trammel::formulations
