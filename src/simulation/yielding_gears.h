// Pairs of gears of which either flank may press, on bearings that yield.
//
// The radial force of the teeth changes its direction with the flank. Where the distance of the centres is
// held, it does no work: the flank changes the bearings' forces alone, and is chosen where these are read.
// Elsewhere it would change the motion, and must be given.
#pragma once

#include <string>

#include "formulations/projection/projection.h"

namespace trammel::simulation {

// At a State whose joints are closed: what a person has to do, for the first such pair; empty: there is none.
std::string yielding_gears(const system::Dynamics& system, formulations::Projector& projector,
                           const State& state);

}  // namespace trammel::simulation
