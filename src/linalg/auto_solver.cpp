#include "linalg/linear_solver.h"

namespace trammel {

AutoSolver::AutoSolver(const Pattern& pattern, SolverChoice choice) {
  const bool dense = pattern.n < kDenseLimit;
  switch (choice) {
    case SolverChoice::automatic:
      cholesky_ = dense ? make_dense_cholesky(pattern) : make_sparse_cholesky(pattern);
      lu_ = dense ? make_dense_lu(pattern) : make_klu(pattern);
      break;
    case SolverChoice::dense_cholesky:
      cholesky_ = make_dense_cholesky(pattern);
      break;
    case SolverChoice::sparse_cholesky:
      cholesky_ = make_sparse_cholesky(pattern);
      break;
    case SolverChoice::dense_lu:
      lu_ = make_dense_lu(pattern);
      break;
    case SolverChoice::klu:
      lu_ = make_klu(pattern);
      break;
  }
  active_ = cholesky_ ? cholesky_.get() : lu_.get();
}

FactorStatus AutoSolver::factor(const MatrixValues& values) {
  if (cholesky_ && (values.symmetric || !lu_)) {
    active_ = cholesky_.get();
    const FactorStatus status = active_->factor(values);
    if (status != FactorStatus::not_positive_definite || !lu_) return status;
    ++fallovers_;
  }
  active_ = lu_.get();
  return active_->factor(values);
}

}  // namespace trammel
