// A closed boundary in the plane through points whose tangents are known: its corners, its area, its error.
//
// Between neighbours a and b at the distance c the boundary is a cubic with the tangents of both,
//
//   ∫ y dx = c²/12 (tan α + tan β)        α, β: angles of the tangents to the chord, beyond the chord's area
//
// Where the tangents turn too much for that they belong to two curves, which meet in a corner: there the
// boundary follows both tangents.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel::analysis {

struct EdgePoint {
  Eigen::Vector2d at, tangent;  // what is enclosed lies to the left of it
  bool exact = false;           // else known to a cell of the grid, and without a tangent
  bool corner = false;          // at the place of the point before it, where another curve begins
};

struct EdgeLoop {
  std::vector<Vec3> corners;  // exact points with corners between; of a rough loop all points
  double area = 0, error = 0;
};

// `cell`: size of the grid from which the points stem.
EdgeLoop edge_loop(const std::vector<EdgePoint>& points, double cell);

}  // namespace trammel::analysis
