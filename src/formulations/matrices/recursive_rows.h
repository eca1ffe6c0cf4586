// RecursiveRows: the solves of a System whose mass is no matrix, with rows J on top of T₀ = M + … C + … K.
//
//   [ T₀   Jᵀ ] [ x ]   [ b ]
//   [ J   −S  ] [ y ] = [ c ]        S diagonal: 0 for multipliers, 1/w for penalties, ∞ for rows left out
//
//   Z = T₀⁻¹Jᵀ,   y = (J Z + S)⁻¹(J T₀⁻¹b − c),   x = T₀⁻¹b − Z y
//
// With S = 1/w and c = 0, x solves (T₀ + Jᵀw J) x = b. The matrix J Z + S is as large as there are loops to
// close.
#pragma once

#include <Eigen/Dense>
#include <memory>
#include <span>
#include <vector>

#include "linalg/dense.h"
#include "linalg/linear_solver.h"
#include "system/system.h"

namespace trammel::formulations {

class RecursiveRows {
 public:
  RecursiveRows(std::unique_ptr<system::RecursiveSolver> solver, const system::RowPattern& rows, int columns);

  // softness: S by row.
  [[nodiscard]] linalg::FactorStatus factor(const system::Terms& terms, std::span<const double> J,
                                            std::span<const double> softness, double damping_factor,
                                            double stiffness_factor);
  // In place: b in, x out; c in, y out.
  void solve(std::span<double> x, std::span<double> y);

 private:
  std::unique_ptr<system::RecursiveSolver> solver_;
  system::RowPattern rows_;
  std::vector<double> J_;  // of the last factor
  Eigen::MatrixXd Z_, closure_;
  Eigen::VectorXd rest_, scale_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace trammel::formulations
