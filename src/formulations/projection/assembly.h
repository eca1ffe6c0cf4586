// Assembly: brings a roughly placed mechanism together, by mass-orthogonal projection.
//
//   min ½(q − q*)ᵀM(q − q*)  with  Φ(q, t) = 0                             Bayo & Ledesma (1996), (11)–(16)
//
// and finds its velocities there (initial_velocities.h).
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
