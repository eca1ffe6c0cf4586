// TangentMatrix: T = M + (dv/da) C + (1/da) (K + Φ_vᵀ α Φ_v) on a fixed pattern, and its factor.
//
// Every place a value goes to is found once; a refill is one pass over M, K, C and the rows of Φ_v.
#pragma once

#include <span>
#include <vector>

#include "linalg/linear_solver.h"
#include "system/system.h"

namespace trammel {

class TangentMatrix {
 public:
  TangentMatrix(const System& system, SolverChoice choice);

  // weight[i] multiplies row i's square: α_i/da.
  [[nodiscard]] FactorStatus factor(const Terms& terms, std::span<const double> weight, double damping_factor,
                                    double stiffness_factor);
  void solve(std::span<double> x) { solver_.solve(x); }
  void forget() { solver_.forget(); }
  const AutoSolver& solver() const { return solver_; }

 private:
  struct Target {
    int entry;   // of the pattern
    bool upper;  // the transposed place
  };
  void add_entries(const EntryPattern& pattern, const std::vector<Target>& targets,
                   const std::vector<double>& values, double factor);

  const System& system_;
  Pattern pattern_;
  MatrixValues values_;
  std::vector<int> mass_target_, row_target_;
  std::vector<Target> stiffness_target_, damping_target_;
  AutoSolver solver_;
};

SolverChoice solver_named(const std::string& name);

}  // namespace trammel
