// Where what a constraint asks for jumps, in time or where the motion passes a switch: a driver, a `velocity`
// joint, a constraint of one's own coordinates. A jump of the speed is followed by an impulse,
// mass-orthogonally and within all other constraints; a jump of the position is refused. What rests on a stop
// that jumps away is left behind; one that jumps against it hits it (impact.h).
//
// A row asks for Φ_v v + Φ_t = 0; it jumps where this sum differs on both sides, at the same q and v. The
// impulse p of M Δv = −Φ_vᵀ p does the work −½ pᵀ Φ_v (v₋ + v₊), which is the change of the kinetic energy.
#pragma once

#include <vector>

#include "simulation/modes.h"

namespace trammel::simulation {

// The running state sees the side after the jump, `before` is the same state on the side before it.
[[nodiscard]] Report follow_jumps(Running& running, const State& before, std::vector<Event>& events);

}  // namespace trammel::simulation
