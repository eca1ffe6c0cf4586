// Boundary of what a point reaches in the plane: polygons around the images of sampled positions, refined.
//
// Of each sample the positions near it, |u| ≤ r, have the image p + P u, P the speeds of the point along the
// freedoms. Cells of a grid that these ellipses cover give a first outline. Each of its points is then moved
// outwards to where the point can go no further (analysis/boundary_point.h). Where two such points belong to
// different parts of the boundary, both parts are followed to the limit at which they meet; if they meet at
// no limit, the corner is where their tangents meet (analysis/edge_area.h).
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
