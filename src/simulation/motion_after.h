// Where a motion goes next, to look for what ended it: q ⊕ (v h + ½ a h²), v + a h, x + ẋ h.
#pragma once

#include <vector>

#include "trammel/simulation.h"

namespace trammel::simulation {

// After h more seconds. It is beyond the next break, and expressions choose their branch anew.
State motion_after(const system::System& system, const State& from, double h);

// From the last state that was right: 0, then parts of an output interval, from one that rounding hides to
// all of it. s.
std::vector<double> times_to_look_at(const Simulation& simulation);

}  // namespace trammel::simulation
