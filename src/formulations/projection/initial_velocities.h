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

}  // namespace trammel::formulations
