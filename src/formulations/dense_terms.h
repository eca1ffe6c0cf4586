// M and Φ_v as dense matrices, for methods on small systems.
#pragma once

#include <Eigen/Core>

#include "formulations/rows.h"

namespace trammel {

// Constraints whose scaled rows differ by less than this are one: above the error of an assembled position,
// below any angle that a mechanism is built with.
inline constexpr double kRankTolerance = 1e-9;

// The same where the positions are wrong by more: an ε there turns rows by a few ε, and what is dependent
// differs by as much. The terms hold Φ.
inline double rank_tolerance(const System& system, const Terms& terms) {
  constexpr double kTurned = 10;
  Worst worst;
  for (std::size_t r = 0; r < static_cast<std::size_t>(system.sizes().holonomic); ++r)
    worst.see(terms.Phi[r], system.rows()[r].scale, r);
  return std::max(kRankTolerance, kTurned * worst.size);
}

inline Eigen::MatrixXd dense_mass(const System& system, const Terms& terms) {
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(system.sizes().v, system.sizes().v);
  for (std::size_t k = 0; k < terms.M.size(); ++k) {
    const int i = system.mass_pattern().row[k], j = system.mass_pattern().column[k];
    M(i, j) += terms.M[k];
    if (i != j) M(j, i) += terms.M[k];
  }
  return M;
}

inline Eigen::MatrixXd dense_rows(const System& system, const Terms& terms) {
  const RowPattern& rows = system.jacobian();
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(rows.rows(), system.sizes().v);
  for (int r = 0; r < rows.rows(); ++r)
    for (int k = rows.start[static_cast<std::size_t>(r)]; k < rows.start[static_cast<std::size_t>(r) + 1];
         ++k)
      J(r, rows.column[static_cast<std::size_t>(k)]) += terms.Phi_v[static_cast<std::size_t>(k)];
  return J;
}

// The same with columns scaled by what counts as one on each coordinate, for ranks.
inline Eigen::MatrixXd scaled_rows(const System& system, const Terms& terms) {
  Eigen::MatrixXd J = dense_rows(system, terms);
  for (Eigen::Index c = 0; c < J.cols(); ++c)
    J.col(c) *= system.coordinate_scale()[static_cast<std::size_t>(c)];
  return J;
}

}  // namespace trammel
