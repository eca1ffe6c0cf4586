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
// Empty for other joints. The constant has the unit of the first term.
std::vector<CouplerTerm> coupler_terms(const Joint& joint);

// A driver whose start differs from the drawn place by whole turns and less than this starts at that place:
// rough drawings are off by a few degrees. Any other start is reached from the drawn place, and what is
// geared follows.
constexpr double kDrawnThere = 0.1;  // rad

}  // namespace trammel::mechanism
