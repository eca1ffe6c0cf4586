// A point of the boundary of what a point of the mechanism reaches in the plane, and the boundary from there
// on.
//
//   Pᵀ n(φ) = Σ μ ∇g,   g(u) = its limit,   τ·(p(u) − m) = 0            for u, φ, μ by Newton's method
//
// Pᵀn = Σ μ ∇g: no freedom moves the point p outwards, along n, except against limits g. P has the speeds of
// p along the freedoms. Of the positions that the equations admit, those are boundary where μ ≥ 0 and
//
//   wᵀ(∂(Pᵀn)/∂u − Σ μ ∂²g/∂u²)w ≤ 0            for all w with P w = 0, ∇g·w = 0
//
// so that p does not pass the boundary to second order (Haug, Luh, Adkins & Wang (1996), Mech. Mach. Theory).
// The boundary is followed with the same g until another limit is met: τ·(p − m) = 0 is then replaced by that
// limit. There two parts of the boundary meet, also where they are tangent to each other.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "analysis/edge_area.h"
#include "analysis/reach.h"

namespace trammel::analysis {

// Index of a limit, and the value that its coordinate has there.
using ActiveLimit = std::pair<std::size_t, double>;

struct BoundaryPoint {
  EdgePoint edge;
  Sample sample;
  std::vector<ActiveLimit> active;
};

class BoundarySearch {
 public:
  // `cell`: size of the grid from which the first guesses stem.
  BoundarySearch(Reach& reach, double cell) : reach_(reach), cell_(cell) {}

  // The boundary point next to m, with the outward normal near `normal`, found from the position `start`.
  std::optional<BoundaryPoint> near(const Eigen::Vector2d& m, const Eigen::Vector2d& normal,
                                    const Sample& start, const std::vector<ActiveLimit>& active);
  // The boundary from here, along its tangent (forward 1) or against it (−1), to where it meets another
  // limit: empty where it does not within `steps` cells.
  std::vector<EdgePoint> to_limit(const BoundaryPoint& from, double forward, int steps);

 private:
  struct Equations;
  struct Solution;
  // Newton's method from `start`: p is not more than a few cells from m.
  std::optional<Solution> solve(const Equations& equations, const Sample& start);
  // Whether the limits keep the point from going outwards, not inwards.
  bool hold_back(const Solution& solution) const;
  std::optional<ActiveLimit> passed(const Solution& solution) const;

  Reach& reach_;
  double cell_;
};

}  // namespace trammel::analysis
