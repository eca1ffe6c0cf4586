// Mobility by loop: the independent loops of a mechanism, and what each could do alone.
//
// Bodies, ground and joints are the nodes of a graph; a joint is next to the bodies that it ties together. Of
// all sets of independent loops that one is listed whose loops are shortest together: Horton (1987), the
// loops v–x, edge xy, y–v along shortest paths, ordered by length, those kept that are no sum (mod 2) of
// others. A loop alone has its own bodies and joints; drivers and couplers are left out:
//
//   freedom = free motions of its bodies, one of them fixed − rank,   redundant = equations − rank
#pragma once

#include "analysis/joint_equations.h"

namespace trammel::analysis {

struct Loop {
  std::vector<std::string> joints, bodies;  // in order around the loop; ground is a body
  int equations = 0;
  int freedom = 0;
  int redundant = 0;
};

std::vector<Loop> independent_loops(const JointEquations& equations, const State& at);

}  // namespace trammel::analysis
