// Nearby positions: where a mechanism can be a short way off, to tell what holds in every position from what
// holds in this one alone.
//
// Bodies are moved along random combinations of the velocities that the joints allow, without the drivers,
// and closed again from there (projection/assembly.h).
#pragma once

#include "analysis/joint_equations.h"

namespace trammel::analysis {

struct NearbyPositions {
  std::vector<State> states;  // of JointEquations::undriven(); empty: the joints allow no velocity
  std::vector<State> open;    // the same before they were closed
  double distance = 0;        // the furthest that was reached, lengths scaled to one
  // Every move came back: velocities that the joints allow lead nowhere.
  bool stands_alone() const;
};

NearbyPositions nearby_positions(const JointEquations& equations);

}  // namespace trammel::analysis
