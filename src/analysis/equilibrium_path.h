// Equilibria along a parameter, through limit points.
//
//   r(z, x, p) = 0,   τᵀ(z, x, p) = ds           arc length: Riks (1979), Keller (1977)
//
// At a limit point the load that a mechanism bears is the largest, or the smallest, in its neighbourhood: a
// truss snaps through there. The path goes on past it, with the parameter turning back. Elsewhere on the path
// the stability changes where another path crosses it (a column buckles), or where flutter begins.
#pragma once

#include <string>
#include <vector>

#include "analysis/equilibrium.h"

namespace trammel::analysis {

struct PathPoint {
  double value = 0;  // of the parameter
  std::shared_ptr<const system::System> system;
  Equilibrium at;
  bool is_limit = false;   // the parameter turns back here
  bool is_change = false;  // the stability changes here, though the parameter goes on
};

struct FollowedPath {
  Report report;  // why it does not come to the end; the points before are kept
  std::vector<PathPoint> points;
};

// From the equilibrium nearest the start, at `from`, until the parameter passes `to`. At most so many points.
// Where the model cannot have a value the path ends, refused with the reason.
FollowedPath follow_equilibria(const Mechanism& mechanism, const std::string& parameter, double from,
                               double to, Seek seek, int most_points, const GoOn& go_on = {});

}  // namespace trammel::analysis
