// The teeth of two gears: radii that fit the distance of the axes, angles that gears can have.
#pragma once

#include "mechanism/validate_parts.h"

namespace trammel::mechanism {

void validate_teeth(const Mechanism&, const MechanismIndex&, const Joint&, Issues&);

}  // namespace trammel::mechanism
