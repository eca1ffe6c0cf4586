// Spans of belts: pulleys on parallel axes in one plane, neither within the other.
#pragma once

#include "mechanism/validate_parts.h"

namespace trammel::mechanism {

void validate_belt(const Mechanism&, const MechanismIndex&, const Joint&, Issues&);
void validate_span(const Mechanism&, const MechanismIndex&, const Force&, const ElasticBelt&, Issues&);

}  // namespace trammel::mechanism
