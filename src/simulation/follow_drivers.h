// Drivers at a break: a jump of the speed that one asks for is followed by an impulse, mass-orthogonally and
// within all other constraints; a jump of its position is refused. What rests on a stop that jumps away is
// left behind; one that jumps against it hits it (impact.h).
#pragma once

#include <vector>

#include "simulation/modes.h"

namespace trammel::simulation {

// The state sees the time just after the break; `before` is the time just before it.
[[nodiscard]] Report follow_drivers(Running& running, double before, std::vector<Event>& events);

}  // namespace trammel::simulation
