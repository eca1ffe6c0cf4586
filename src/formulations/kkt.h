// KktMatrix: the whole system of Lagrange's equations with multipliers, on a fixed pattern.
//
//   [ M   Φ_vᵀ ] [ v̇ ]   [ Q  ]
//   [ Φ_v  0   ] [ λ ] = [ −γ ]                          García de Jalón & Bayo (1994), (5.10)
#pragma once

#include <span>
#include <vector>

#include "linalg/linear_solver.h"
#include "system/system.h"

namespace trammel {

class KktMatrix {
 public:
  explicit KktMatrix(const System& system);

  [[nodiscard]] FactorStatus factor(const Terms& terms);
  // In place: (right side of v̇, right side of λ) in, (v̇, λ) out.
  void solve(std::span<double> x) { solver_.solve(x); }
  void forget() { solver_.forget(); }

 private:
  Pattern pattern_;
  MatrixValues values_;
  std::vector<int> mass_target_, row_target_;
  AutoSolver solver_;
};

}  // namespace trammel
