// TangentMatrix: T = M + (dv/da) C + (1/da) (K + Φ_vᵀ α Φ_v) on a fixed pattern, and its factor.
//
// In coordinates whose mass is no matrix the solves are recursive, with the rows on top.
// Every place a value goes to is found once; a refill is one pass over M, K, C and the rows of Φ_v.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formulations/matrices/recursive_rows.h"
#include "formulations/rows/row_tiles.h"
#include "linalg/linear_solver.h"
#include "system/dynamics.h"

namespace trammel::formulations {

class TangentMatrix {
 public:
  TangentMatrix(const system::Dynamics& system, SolverChoice choice)
      : TangentMatrix(system, choice, system.jacobian()) {}
  // With other rows than the System's own.
  TangentMatrix(const system::Dynamics& system, SolverChoice choice, const system::RowPattern& rows);

  // weight[i] multiplies row i's square: α_i/da.
  [[nodiscard]] linalg::FactorStatus factor(const system::Terms& terms, std::span<const double> weight,
                                            double damping_factor, double stiffness_factor) {
    return factor(terms, terms.Phi_v, weight, damping_factor, stiffness_factor);
  }
  [[nodiscard]] linalg::FactorStatus factor(const system::Terms& terms, std::span<const double> rows,
                                            std::span<const double> weight, double damping_factor,
                                            double stiffness_factor);
  void solve(std::span<double> x);
  void forget() {
    if (matrix_) matrix_->solver.forget();
  }
  std::string_view solver_name() const { return matrix_ ? matrix_->solver.name() : "recursive"; }
  int fallovers() const { return matrix_ ? matrix_->solver.fallovers() : 0; }

 private:
  // Where an entry of K or C goes in a symmetric T, the mean of both triangles, and its share there.
  struct Share {
    int place;
    double part;
  };
  // T entry by entry, as LU wants it.
  struct Entries {
    Entries(const system::Dynamics& system, const linalg::Pattern& pattern, const system::RowPattern& rows);
    void add(const system::EntryPattern& pattern, const std::vector<int>& targets,
             const std::vector<double>& values, double factor);

    linalg::MatrixValues values;
    std::vector<int> mass, rows, stiffness, damping;  // the entry of the pattern that each adds to
  };
  // Where T is a matrix.
  struct Matrix {
    Matrix(const system::Dynamics& system, SolverChoice choice, const system::RowPattern& rows);
    void fill_storage(const system::Terms& terms, std::span<const double> rows,
                      std::span<const double> weight, double damping_factor, double stiffness_factor);
    const linalg::MatrixValues& fill_entries(const system::Dynamics& system,
                                             const system::RowPattern& pattern_of_rows,
                                             const system::Terms& terms, std::span<const double> rows,
                                             std::span<const double> weight, double damping_factor,
                                             double stiffness_factor);

    linalg::Pattern pattern;
    linalg::AutoSolver solver;
    bool symmetric, constant_mass;
    // A symmetric T goes straight to where it is factored.
    std::optional<RowTiles> tiles;
    std::vector<int> mass;
    std::vector<Share> stiffness, damping;
    std::vector<double> image;         // of M alone, where it is constant; empty until it is known
    std::unique_ptr<Entries> entries;  // made when they are first needed
  };
  // Where it is not.
  struct Recursive {
    // Not inlined: a small matrix has no room for their registers.
    [[gnu::noinline]] linalg::FactorStatus factor(const system::Terms& terms, std::span<const double> of_rows,
                                                  std::span<const double> weight, double damping_factor,
                                                  double stiffness_factor);
    [[gnu::noinline]] void solve(std::span<double> x);

    RecursiveRows rows;
    std::vector<double> softness, side;
  };

  const system::Dynamics& system_;
  system::RowPattern rows_;
  std::unique_ptr<Matrix> matrix_;
  std::unique_ptr<Recursive> recursive_;
};

}  // namespace trammel::formulations
