// Assembly: brings a roughly placed mechanism together, by mass-orthogonal projection.
//
//   min ½(q − q*)ᵀM(q − q*)  with  Φ(q, t) = 0                             Bayo & Ledesma (1996), (11)–(16)
//
// and finds its velocities there (initial_velocities.h).
#pragma once

#include "system/dynamics.h"
#include "trammel/report.h"

namespace trammel::formulations {

// How far a coordinate moves in one iteration: by a part of the size of the mechanism, so that the nearest
// position is found; or, from far away, by a part of the largest gap if that is larger.
enum class Moves { near, far };

AssemblyReport assemble(const system::Dynamics& system, State& state);
// Positions alone.
AssemblyReport assemble_positions(const system::Dynamics& system, State& state, Moves moves = Moves::near);

// As assemble(), from a state in motion, which changes as little as can be: its velocities are projected, not
// found anew.
AssemblyReport close(const system::Dynamics& system, State& state);

}  // namespace trammel::formulations
