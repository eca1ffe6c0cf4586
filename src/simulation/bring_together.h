// Parts that lie too far apart for a projection to close their joints, brought back without turning.
//
// Bodies that closed joints hold together are one group. From ground along the joints, each group is
// translated until the joint that ties it to what is in place closes; a group that no joint ties to ground
// stays, and others come to it. Loops and orientations are left to the projection.
#pragma once

#include <vector>

#include "system/system.h"

namespace trammel::simulation {

// Length: what a gap is compared with, m. Whether anything moved.
bool bring_together(const Mechanism& mechanism, double length, std::vector<Pose>& poses);

}  // namespace trammel::simulation
