// Whether bodies stand in the way in which the mechanism is drawn: right-handed, and with the axes of joints
// on their sides.
//
// Constraint equations are products of directions: those of a hinge hold with its axis reversed too, those of
// a slider with the body turned over, and three directions may close as a mirror image. From a place at
// random an assembly may end so; no motion leads there.
#pragma once

#include <vector>

#include "trammel/motion.h"

namespace trammel::analysis {

// `drawn` and `poses` are in order of the mechanism's bodies.
bool stands_as_drawn(const Mechanism& mechanism, const std::vector<Pose>& drawn,
                     const std::vector<Pose>& poses);

}  // namespace trammel::analysis
