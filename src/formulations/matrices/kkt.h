// KktMatrix: the whole system of Lagrange's equations with multipliers, on a fixed pattern.
//
//   [ M   Φ_vᵀ ] [ v̇ ]   [ Q  ]
//   [ Φ_v  0   ] [ λ ] = [ −γ ]                          García de Jalón & Bayo (1994), (5.10)
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "formulations/matrices/recursive_rows.h"
#include "linalg/linear_solver.h"
#include "system/dynamics.h"

namespace trammel::formulations {

class KktMatrix {
 public:
  explicit KktMatrix(const system::Dynamics& system);

  [[nodiscard]] linalg::FactorStatus factor(const system::Terms& terms);
  // In place: (right side of v̇, right side of λ) in, (v̇, λ) out.
  void solve(std::span<double> x);
  void forget() {
    if (matrix_) matrix_->solver.forget();
  }

 private:
  // Where M is a matrix.
  struct Matrix {
    explicit Matrix(const system::Dynamics& system);
    linalg::Pattern pattern;
    linalg::MatrixValues values;
    std::vector<int> mass_target, row_target;
    linalg::AutoSolver solver;
  };

  std::size_t columns_;
  std::vector<double> softness_;  // none
  std::unique_ptr<Matrix> matrix_;
  std::unique_ptr<RecursiveRows> recursive_;
};

}  // namespace trammel::formulations
