// A mechanism whose time stands still at t = 0: drivers hold their values of that time, prescribed speeds are
// zero, and nothing moves at the start.
#pragma once

#include "trammel/mechanism.h"

namespace trammel::analysis {

Mechanism with_drivers_standing(Mechanism mechanism);

}  // namespace trammel::analysis
