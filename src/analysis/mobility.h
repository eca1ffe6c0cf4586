// Mobility: how many ways a mechanism can move, and which joints say the same thing twice.
//
//   degrees of freedom f = velocities − rank Φ_v,   redundant = equations of the joints − (free motions − f)
//
// The rank is found numerically at one State, in the coordinates of the run; f does not depend on them. Nor
// does the number of redundant equations, which counts every joint with all its equations
// (joint_equations.h), also those that natural and relative coordinates leave out. Whether a redundancy is
// there in every position or only in this one is told by positions a short way off (nearby_positions.h).
#pragma once

#include <string>
#include <vector>

#include "analysis/joint_equations.h"

namespace trammel::analysis {

struct Mobility {
  // In the coordinates of the run.
  int unknowns = 0;
  int constraints = 0;
  int rank = 0;
  int velocity_constraints = 0;  // those of the constraints that have no position level
  // In any coordinates.
  int degrees_of_freedom = 0;  // of velocities: unknowns − rank, less idle ones (Dynamics::idle_columns)
  int position_freedom = 0;    // unknowns − rank of the others: larger where some are of velocities alone
  int joint_equations = 0;     // of all joints, drivers and constraints of a person's own
  int redundant_constraints = 0;  // of these, those that follow from others
  int redundant_here = 0;  // of these, those that do so in this position only: freedoms that it has more
  std::vector<std::string> closed_stops;  // that the start presses on: each is held like a joint
  struct DependentSet {
    std::vector<std::string> joints;
    int redundant = 0;       // equations too many in this set
    int redundant_here = 0;  // of these, in this position only
  };
  std::vector<DependentSet> dependent_sets;
  bool locked = false;     // the joints allow no other position nearby
  bool only_here = false;  // fewer are redundant a short way off: a singular position
  bool known = true;       // false: too large for the dense rank; the numbers count equations only
  bool examined = true;    // false: too large to name the dependent sets and to look at nearby positions
};

// Where the simulation stands, assembled.
Mobility mobility(const Simulation& simulation);
Mobility mobility(const Simulation& simulation, const JointEquations& equations);

}  // namespace trammel::analysis
