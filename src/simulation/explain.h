// Names for messages about constraint rows.
#pragma once

#include <string>

#include "trammel/simulation.h"

namespace trammel::simulation {

// Whose a constraint row is: a joint, driver or body; empty for −1.
std::string row_name(const Simulation& simulation, int row);

}  // namespace trammel::simulation
