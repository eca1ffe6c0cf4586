// Mobility: how many ways a mechanism can move, and which constraints say the same thing twice.
//
// The rank of Φ_v is found numerically at one State, rows scaled to length one. Whether a redundancy is there
// in every position or only in this one is found by looking again at positions a short way along the motion.
#pragma once

#include <string>
#include <vector>

#include "system/system.h"

namespace trammel::analysis {

struct Mobility {
  int unknowns = 0;
  int constraints = 0;
  int rank = 0;
  int velocity_constraints = 0;  // those of the constraints that have no position level
  int degrees_of_freedom = 0;    // of velocities: unknowns − rank, less idle ones (Dynamics::idle_columns)
  int position_freedom = 0;      // unknowns − rank of the others: larger where some are of velocities alone
  int redundant_constraints = 0;  // constraints − rank
  struct DependentSet {
    std::vector<std::string> joints;
    int redundant = 0;  // constraints too many in this set
  };
  std::vector<DependentSet> dependent_sets;
  bool locked = false;     // no position nearby satisfies the joints
  bool only_here = false;  // the rank is larger a short way off: a singular position
  bool known = true;       // false: too large for the dense rank; the numbers count equations only
};

Mobility mobility(const system::System& system, const State& state);

}  // namespace trammel::analysis
