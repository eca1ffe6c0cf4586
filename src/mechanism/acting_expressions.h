// The expressions that act on the motion: of forces, drivers, states and constraints of velocities, or of a
// model with coordinates of its own. Columns of `outputs:` are not among them.
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel::mechanism {

std::vector<std::string> acting_expressions(const Mechanism& mechanism);

}  // namespace trammel::mechanism
