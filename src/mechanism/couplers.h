// Couplers: gears, screws and racks tie coordinates of joints, Σ coefficient · coordinate = constant. The
// constant is that of the places in the model.
#pragma once

#include <vector>

#include "trammel/mechanism.h"

namespace trammel::mechanism {

struct CouplerTerm {
  std::string joint;
  bool angle;  // else the displacement
  double coefficient;
};
// Empty for other joints. The first one is dimensioned as the constant.
std::vector<CouplerTerm> coupler_terms(const Joint& joint);

// A driver that starts within this angle of the drawn place, but for whole turns, starts at the drawn place.
// From elsewhere it has turned away from it, and what it is geared to has followed.
constexpr double kDrawnThere = 0.1;  // rad

}  // namespace trammel::mechanism
