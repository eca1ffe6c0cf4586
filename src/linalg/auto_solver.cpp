#include <algorithm>

#include "linalg/linear_solver.h"
#include "math/spans.h"

namespace trammel::linalg {
namespace {

// For many unknowns.
#ifdef TRAMMEL_KLU
constexpr auto make_many_lu = make_klu;
#else
constexpr auto make_many_lu = make_sparse_lu;
#endif

}  // namespace

AutoSolver::AutoSolver(const Pattern& pattern, SolverChoice choice) {
  const bool dense = pattern.n < kDenseLimit;
  switch (choice) {
    case SolverChoice::automatic:
      cholesky_ = dense ? make_dense_cholesky(pattern) : make_sparse_cholesky(pattern);
      lu_ = dense ? make_dense_lu(pattern) : make_many_lu(pattern);
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
      lu_ = make_many_lu(pattern);
      break;
  }
  active_ = cholesky_ ? cholesky_.get() : lu_.get();
}

FactorStatus AutoSolver::factor_storage() {
  active_ = cholesky_.get();
  const FactorStatus status = cholesky_->factor_storage();
  if (status == FactorStatus::not_positive_definite && lu_) ++fallovers_;
  return status;
}

FactorStatus AutoSolver::factor_by_lu(const MatrixValues& values) {
  active_ = lu_.get();
  return lu_->factor(values);
}

FactorStatus AutoSolver::factor(const MatrixValues& values) {
  if (cholesky_ && (values.symmetric || !lu_)) {
    active_ = cholesky_.get();
    const FactorStatus status = cholesky_->factor(values);
    if (status != FactorStatus::not_positive_definite || !lu_) return status;
    ++fallovers_;
  }
  return factor_by_lu(values);
}

FactorStatus CholeskySolver::factor(const MatrixValues& values) {
  if (!values.symmetric) return FactorStatus::not_positive_definite;
  std::fill(storage_.begin(), storage_.end(), 0.0);
  for (std::size_t k = 0; k < place_.size(); ++k)
    storage_[static_cast<std::size_t>(place_[k])] = values.lower[k];
  const FactorStatus status = factor_storage();
  if (status == FactorStatus::ok || math::all_finite(values.lower)) return status;
  return FactorStatus::not_finite;
}

}  // namespace trammel::linalg
