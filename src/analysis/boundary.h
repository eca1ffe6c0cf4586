// Boundary of what a point reaches in the plane: polygons around the images of sampled positions, refined.
//
// Of each sample the positions near it, |u| ≤ r, have the image p + P u, P the speeds of the point along the
// freedoms. Cells of a grid that these ellipses cover give a first outline. Each of its points m, with the
// outward normal n, is then moved along n to where the point can go no further:
//
//   Pᵀ n(φ) = Σ μ ∇g,   g(u) = its limit,   τ·(p(u) − m) = 0            for u, φ, μ by Newton's method
//
// Between such points the boundary is a cubic with their tangents; where tangents tell of a corner it is
// where they meet (analysis/edge_area.h). Pᵀn = 0 says that no freedom moves the point outwards; g are joint
// coordinates that stand at a limit.
#pragma once

#include "analysis/reach.h"

namespace trammel::analysis {

struct Boundary {
  std::vector<std::vector<Vec3>> loops;  // closed; counterclockwise around what is reached, holes clockwise
  double area = 0, error = 0;            // m², and how far it can be off, estimated
  long refined = 0, rough = 0;           // points of the loops: exact, and known to the grid only
  double grid = 0;                       // m, size of a cell
};

Boundary find_boundary(Reach& reach, int cells);

}  // namespace trammel::analysis
