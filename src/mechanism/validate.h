// What validation offers to others of the library. compile() may rely on a mechanism without issues: every
// name it uses exists, every number is finite and in range, every expression parses.
#pragma once

#include <string>
#include <unordered_set>

#include "trammel/validate.h"

namespace trammel::mechanism {

// Bodies that a joint, driver, force or constraint touches.
std::unordered_set<std::string> connected_bodies(const Mechanism&);

}  // namespace trammel::mechanism
