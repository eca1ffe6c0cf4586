// Drivers that prescribe more coordinates than a mechanism has degrees of freedom.
#pragma once

#include <string>

#include "trammel/simulation.h"

namespace trammel::simulation {

// That they do, in words; empty: they do not. Degrees of freedom are counted where the joints close without
// the drivers: an open loop has fewer.
std::string over_driven(const Simulation& simulation);

}  // namespace trammel::simulation
