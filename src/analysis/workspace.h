// Workspace: every place that a point of a mechanism reaches, over all freedoms and within joint limits.
//
// Drivers are left out: what they could do is asked, not what they do. Limits are the end-stops; joints
// without one turn and slide as far as the others let them.
#pragma once

#include "analysis/boundary.h"
#include "trammel/plan.h"

namespace trammel::analysis {

struct WorkspaceOptions {
  std::string point;
  double spacing = 0;        // of samples; bodies that move by the mechanism's size or turn by a radian
                             // count as one; 0: as the number of freedoms allows
  std::size_t most = 20000;  // samples
  long starts = 20;          // random positions, for parts that no motion connects
  std::uint64_t seed = 1;
  int cells = 200;  // of the grid along the longer side
};

struct Workspace {
  Report report;
  struct Place {
    Vec3 at;
    int branch = 0;
  };
  std::vector<Place> points;
  int branches = 0;  // connected parts
  Eigen::Index freedoms = 0;
  bool covered = true;  // false: `most` samples were not enough
  double spacing = 0;
  Boundary boundary;  // in the plane, of two freedoms or more
};

// Throws std::invalid_argument when the mechanism is not valid, or there is no such point.
Workspace workspace(const Mechanism& mechanism, const Plan& plan, const WorkspaceOptions& options);

}  // namespace trammel::analysis
