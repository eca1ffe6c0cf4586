// The kinds of joints as the model file spells them.
#pragma once

#include <string>

#include "trammel/mechanism.h"

namespace trammel {

// "point-on-line"
std::string to_string(Joint::Kind kind);

}  // namespace trammel
