// Sparse LU by SuiteSparse KLU (Davis & Palamadai Natarajan 2010), for matrices that are unsymmetric or
// indefinite: saddle points, friction, controllers.
//
// KLU chooses pivots in a full factorization, which allocates, and keeps them in a refactorization, which
// does not. factor() refactors and watches the pivot growth: when the old pivots no longer suit the values
// (growth a hundred times that of the last full factorization, or a pivot lost) it factors fully.
// Construction factors a diagonally dominant matrix, and forget() returns to its pivots, so that values which
// these suit never allocate: definite ones, say; values with zeros on the diagonal do so at the first call.
#pragma once

#include <memory>

#include "linalg/linear_solver.h"

namespace trammel::linalg {

class KluSolver final : public LinearSolver {
 public:
  explicit KluSolver(const Pattern& pattern);
  ~KluSolver() override;

  [[nodiscard]] FactorStatus factor(const MatrixValues& values) override;
  void solve(std::span<double> x) override;
  void forget() override;
  std::string_view name() const override { return "klu"; }

  // How often factor() had to choose new pivots, and so to allocate.
  int refactorizations() const { return refactorizations_; }

 private:
  struct Klu;  // KLU's own objects, kept out of this header

  bool old_pivots_serve();
  FactorStatus choose_pivots();

  int n_;
  std::unique_ptr<Klu> klu_;
  double diagonal_growth_ = 0;  // reciprocal growth of the construction's factorization
  double fresh_growth_ = 0;     // of the full factorization in use; 0: it failed
  int refactorizations_ = 0;
};

}  // namespace trammel::linalg
