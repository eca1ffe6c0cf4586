// Cams: an outline that the follower can touch in one place, on the side on which it is.
#pragma once

#include "mechanism/validate_parts.h"

namespace trammel::mechanism {

void validate_cam(const Mechanism&, const MechanismIndex&, const Joint&, Issues&);

}  // namespace trammel::mechanism
