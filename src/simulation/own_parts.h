// Forces and constraints of a person's own (trammel/user.h) where a run ends: which of them has lost its
// finite value.
#pragma once

#include <string>

#include "trammel/simulation.h"

namespace trammel::simulation {

// "force 'wind' is (nan, 0, 0) N on 'sail' from about t = 1 s on"; empty: all are finite, there and a little
// further along the motion, with their derivatives.
std::string own_part_not_finite(const Simulation& simulation);

}  // namespace trammel::simulation
