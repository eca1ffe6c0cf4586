// LinearSolver: A x = b for a matrix of fixed pattern whose values change at every step.
//
// A solver is made for one Pattern and allocates then; factor() and solve() allocate nothing. Exceptions are
// KLU when it must choose new pivots (klu_solver.h), and sparse-lu. All are deterministic: from forget() on
// the same values give the same bits. The pattern need not outlive the construction.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "linalg/pattern.h"
#include "trammel/methods.h"

namespace trammel::linalg {

enum class FactorStatus {
  ok,
  not_positive_definite,  // Cholesky only: a pivot is not clearly positive, or the matrix is not symmetric
  singular,               // LU only: a pivot is zero to rounding
  not_finite,             // an entry, or a number computed from it, is not a finite number
};

class LinearSolver {
 public:
  virtual ~LinearSolver() = default;

  // The values must lie on the pattern of the construction.
  [[nodiscard]] virtual FactorStatus factor(const MatrixValues& values) = 0;

  // In place: right side in, solution out. Valid while the last factor() was ok.
  virtual void solve(std::span<double> x) = 0;

  // Forgets what earlier values have left: KLU's pivots.
  virtual void forget() {}

  // "dense-cholesky", "sparse-cholesky", "dense-lu", "klu" or "sparse-lu".
  virtual std::string_view name() const = 0;
};

// A = L D Lᵀ, with a way past MatrixValues: values may be written straight to where they are factored.
class CholeskySolver : public LinearSolver {
 public:
  // Values that are not symmetric are refused.
  [[nodiscard]] FactorStatus factor(const MatrixValues& values) final;

  // Where each entry of the pattern is in the storage. All other places must be zero when it is factored, but
  // for the mirror images of entries, which are not read.
  const std::vector<int>& place() const { return place_; }
  std::span<double> storage() { return storage_; }
  // Takes the storage apart.
  [[nodiscard]] virtual FactorStatus factor_storage() = 0;

 protected:
  std::vector<int> place_;
  std::vector<double> storage_;
};

std::unique_ptr<CholeskySolver> make_dense_cholesky(const Pattern& pattern);
std::unique_ptr<CholeskySolver> make_sparse_cholesky(const Pattern& pattern);
std::unique_ptr<LinearSolver> make_dense_lu(const Pattern& pattern);
std::unique_ptr<LinearSolver> make_klu(const Pattern& pattern);  // in builds with SuiteSparse (TRAMMEL_KLU)
std::unique_ptr<LinearSolver> make_sparse_lu(const Pattern& pattern);  // takes its place in others

// The solver a formulation uses. `automatic` tries Cholesky while the values say they are symmetric, and
// goes to LU when they are not or when Cholesky fails; both are dense below kDenseLimit unknowns, sparse
// above. Any other choice is that solver alone: what it refuses is refused.
class AutoSolver final : public LinearSolver {
 public:
  // Below this many unknowns the dense solvers are the faster ones on chains of small blocks.
  static constexpr int kDenseLimit = 16;

  explicit AutoSolver(const Pattern& pattern, SolverChoice choice = SolverChoice::automatic);

  [[nodiscard]] FactorStatus factor(const MatrixValues& values) override;
  void solve(std::span<double> x) override { active_->solve(x); }

  // For values that are symmetric: where to write them, null when the choice is LU alone; and to factor them
  // there. When Cholesky fails, LU needs them again: factor_by_lu().
  CholeskySolver* cholesky() { return cholesky_.get(); }
  [[nodiscard]] FactorStatus factor_storage();
  bool has_lu() const { return lu_ != nullptr; }
  [[nodiscard]] FactorStatus factor_by_lu(const MatrixValues& values);

  void forget() override {
    if (lu_) lu_->forget();
  }

  // Of the solver that did the last factor().
  std::string_view name() const override { return active_->name(); }

  // How often Cholesky failed on symmetric values and LU was tried instead.
  int fallovers() const { return fallovers_; }

 private:
  std::unique_ptr<CholeskySolver> cholesky_;  // one is null when the choice is the other alone
  std::unique_ptr<LinearSolver> lu_;
  LinearSolver* active_ = nullptr;
  int fallovers_ = 0;
};

}  // namespace trammel::linalg
