// Assembly: brings a roughly placed mechanism together, by mass-orthogonal projection.
//
//   min ½(q − q*)ᵀM(q − q*)  with  Φ(q, t) = 0                             Bayo & Ledesma (1996), (11)–(16)
//   min ½ vᵀM v              with  Φ_v v + Φ_t = 0 and the velocities a person gave     (23)–(25)
//
// Constraints of velocities are rows of the second only.
#pragma once

#include "system/dynamics.h"
#include "trammel/report.h"

namespace trammel::formulations {

AssemblyReport assemble(const system::Dynamics& system, State& state);
// Positions alone.
AssemblyReport assemble_positions(const system::Dynamics& system, State& state);

// As assemble(), from a state in motion, which changes as little as can be: its velocities are projected, not
// found anew.
AssemblyReport close(const system::Dynamics& system, State& state);

}  // namespace trammel::formulations
