// The expressions that act on the motion: of forces, drivers, states and constraints of velocities, or of a
// model with coordinates of its own. Columns of `outputs:` are not among them.
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel::mechanism {

struct ActingExpression {
  std::string text;
  std::string owner;  // for a person: "force 'push'"
};

std::vector<ActingExpression> acting_expressions(const Mechanism& mechanism);

}  // namespace trammel::mechanism
