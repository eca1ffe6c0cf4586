// How bodies of one mechanism stand where another is running.
#pragma once

#include <vector>

#include "system/system.h"
#include "trammel/simulation.h"

namespace trammel::simulation {

// In order of the mechanism's bodies: as the simulation has those of the same name, else as they are placed.
std::vector<Pose> carried_poses(const Simulation& from, const Mechanism& mechanism);

}  // namespace trammel::simulation
