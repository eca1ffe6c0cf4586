// The curve of a joint point-on-curve: enough points, none twice, nothing that makes the nearest point a
// guess.
#pragma once

#include "mechanism/validate_parts.h"

namespace trammel::mechanism {

void validate_curve(const Mechanism&, const MechanismIndex&, const Joint&, Issues&);
// The curve alone, wherever the point starts.
void validate_outline(const Mechanism&, const MechanismIndex&, const Joint&, Issues&);

}  // namespace trammel::mechanism
