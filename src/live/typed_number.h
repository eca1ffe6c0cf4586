// A number as a person types it into a field: "500 g", "2*1.5", "L/2", "0.3".
#pragma once

#include <string>

#include "trammel/mechanism.h"

namespace trammel::live {

// In the field's unit, which is an SI unit, or "" where none is known. Throws std::invalid_argument, with a
// message for a person.
double typed_number(const Mechanism& mechanism, const std::string& text, const std::string& unit);

}  // namespace trammel::live
