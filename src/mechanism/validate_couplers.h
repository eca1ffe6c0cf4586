// Checks of couplers by expression and of pairs between shafts, for the table of joint kinds.
#pragma once

#include "mechanism/validate_parts.h"

namespace trammel::mechanism {

// Its expression is smooth and depends on coordinates of the joints that it names, and on nothing else.
void validate_coupler(const Mechanism&, const MechanismIndex&, const Joint&, Issues&);
void validate_screw_pair(const Mechanism&, const MechanismIndex&, const Joint&, Issues&);
void validate_constant_velocity(const Mechanism&, const MechanismIndex&, const Joint&, Issues&);

}  // namespace trammel::mechanism
