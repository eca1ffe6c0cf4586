// M and Φ_v as dense matrices, for methods on small systems.
#pragma once

#include <Eigen/Core>

#include "formulations/rows/rows.h"

namespace trammel::formulations {

// Constraints whose scaled rows differ by less than this are one: above the error of an assembled position,
// below any angle that a mechanism is built with.
inline constexpr double kRankTolerance = 1e-9;

// The same where the positions are wrong by more: an ε there turns rows by a few ε, and what is dependent
// differs by as much. The terms hold Φ.
inline double rank_tolerance(const system::Dynamics& system, const system::Terms& terms) {
  constexpr double kTurned = 10;
  Worst worst;
  for (std::size_t r = 0; r < static_cast<std::size_t>(system.sizes().holonomic); ++r)
    worst.see(terms.Phi[r], 1 / system.rows()[r].scale, r);
  return std::max(kRankTolerance, kTurned * worst.size);
}

// M X, column by column.
inline Eigen::MatrixXd mass_times(const system::Dynamics& system, const system::Terms& terms,
                                  const Eigen::MatrixXd& X) {
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(X.rows(), X.cols());
  const auto n = static_cast<std::size_t>(X.rows());
  for (Eigen::Index c = 0; c < X.cols(); ++c)
    system.add_mass_times(terms, {X.col(c).data(), n}, 1, {product.col(c).data(), n});
  return product;
}

inline Eigen::MatrixXd dense_mass(const system::Dynamics& system, const system::Terms& terms) {
  return mass_times(system, terms, Eigen::MatrixXd::Identity(system.sizes().v, system.sizes().v));
}

inline Eigen::MatrixXd dense_rows(const system::Dynamics& system, const system::Terms& terms) {
  const system::RowPattern& rows = system.jacobian();
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(rows.rows(), system.sizes().v);
  for (int r = 0; r < rows.rows(); ++r)
    for (int k = rows.start[static_cast<std::size_t>(r)]; k < rows.start[static_cast<std::size_t>(r) + 1];
         ++k)
      J(r, rows.column[static_cast<std::size_t>(k)]) += terms.Phi_v[static_cast<std::size_t>(k)];
  return J;
}

// The same with columns scaled by what counts as one on each coordinate, for ranks; into a matrix of that
// size. Rows that have vanished are zero.
inline void fill_scaled_rows(const system::Dynamics& system, const system::Terms& terms, Eigen::MatrixXd& J) {
  J.setZero();
  const system::RowPattern& rows = system.jacobian();
  for (int r = 0; r < rows.rows(); ++r)
    for (int k = rows.start[static_cast<std::size_t>(r)]; k < rows.start[static_cast<std::size_t>(r) + 1];
         ++k) {
      const int c = rows.column[static_cast<std::size_t>(k)];
      J(r, c) +=
          terms.Phi_v[static_cast<std::size_t>(k)] * system.coordinate_scale()[static_cast<std::size_t>(c)];
    }
  for (int r = 0; r < rows.rows(); ++r) {
    const double shortest = kVanishedRow * system.rows()[static_cast<std::size_t>(r)].scale;
    if (J.row(r).norm() <= shortest) J.row(r).setZero();
  }
}

inline Eigen::MatrixXd scaled_rows(const system::Dynamics& system, const system::Terms& terms) {
  Eigen::MatrixXd J(system.sizes().rows, system.sizes().v);
  fill_scaled_rows(system, terms, J);
  return J;
}

}  // namespace trammel::formulations
