// RowIndependence: tells cheaply, and for any size, that the rows of Φ_v are far from dependent.
//
// G = Φ_v Φ_vᵀ, rows scaled to length one, has the squares of the singular values σ of these rows. One solve
// with a fixed vector z without symmetries gives |G⁻¹z|/|z|, which is close to 1/σ² of the smallest σ unless
// z misses its direction by chance; hence the margin that a caller must leave.
#pragma once

#include <memory>
#include <vector>

#include "linalg/linear_solver.h"
#include "system/dynamics.h"

namespace trammel::formulations {

class RowIndependence {
 public:
  explicit RowIndependence(const system::Dynamics& system);

  // About the smallest singular value of the rows; 0 where it is too small to be told from 0 in G.
  double smallest(const system::Terms& terms);

 private:
  double product(const std::vector<double>& values, std::size_t r, std::size_t s) const;

  const system::Dynamics& system_;
  linalg::Pattern pattern_;
  linalg::MatrixValues values_;
  std::unique_ptr<linalg::LinearSolver> solver_;
  std::vector<double> scaled_, probe_, work_;
};

}  // namespace trammel::formulations
