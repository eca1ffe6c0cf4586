// Rows of the output whose constraints do not close, and why.
#pragma once

#include <string>

#include "trammel/simulation.h"

namespace trammel::simulation {

// Why the constraints of a state are open further than steps of index 3 are asked to close them, as "as next
// to a singular position"; empty: they are not.
std::string why_open(const Simulation& simulation, const State& state, const Violation& left);

// The largest mass of a body over the smallest that is not zero.
double mass_ratio(const Mechanism& mechanism);

// What keeps the constraints of a state from closing: "as next to a singular position".
std::string why_not_closed(const Simulation& simulation, const State& state);

}  // namespace trammel::simulation
