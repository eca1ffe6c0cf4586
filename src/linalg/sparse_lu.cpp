// Sparse LU by Eigen (after SuperLU: Demmel, Eisenstat, Gilbert, Li & Liu 1999), for unsymmetric or
// indefinite matrices in builds without SuiteSparse. Rows are divided by their largest entry before, so that
// units do not matter. Unlike KLU it chooses new pivots, and allocates, in every factor().
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <memory>

#include "linalg/linear_solver.h"
#include "linalg/pivot.h"

namespace trammel::linalg {
namespace {

using Matrix = Eigen::SparseMatrix<double>;

// Eigen's factors with their pivots, which it uses for determinants only.
class Factors : public Eigen::SparseLU<Matrix, Eigen::COLAMDOrdering<int>> {
 public:
  // Of a column of the matrix as it was given.
  double pivot(int column) const {
    const int j = colsPermutation().indices()[column];
    for (SCMatrix::InnerIterator it(m_Lstore, j); it; ++it)
      if (it.index() == j) return it.value();
    return 0;
  }
};

class SparseLu final : public LinearSolver {
 public:
  explicit SparseLu(const Pattern& pattern) : n_(pattern.n), a_(n_, n_), row_size_(n_) {
    std::vector<Eigen::Triplet<double>> entries;
    const auto add = [&](int i, int j) { entries.emplace_back(i, j, 1.0); };
    for_entries(pattern, [&](std::size_t, int i, int j) {
      add(i, j);
      if (i != j) add(j, i);
    });
    a_.setFromTriplets(entries.begin(), entries.end());
    for_entries(pattern, [&](std::size_t, int i, int j) {
      lower_.push_back(&a_.coeffRef(i, j) - a_.valuePtr());
      upper_.push_back(&a_.coeffRef(j, i) - a_.valuePtr());
    });
    if (n_ > 0) factors_.analyzePattern(a_);
  }

  FactorStatus factor(const MatrixValues& values) override {
    if (n_ == 0) return FactorStatus::ok;
    load(values);
    const Eigen::Map<const Eigen::ArrayXd> all(a_.valuePtr(), a_.nonZeros());
    if (!all.isFinite().all()) return FactorStatus::not_finite;
    if (!scale_rows()) return FactorStatus::singular;
    factors_.factorize(a_);
    return factors_.info() == Eigen::Success ? judge_pivots() : FactorStatus::singular;
  }

  void solve(std::span<double> x) override {
    if (n_ == 0) return;
    Eigen::Map<Eigen::VectorXd> b(x.data(), n_);
    b = factors_.solve(Eigen::VectorXd(b.cwiseQuotient(row_size_)));
  }

  std::string_view name() const override { return "sparse-lu"; }

 private:
  template <class Visit>
  static void for_entries(const Pattern& pattern, Visit&& visit) {
    for (int j = 0; j < pattern.n; ++j)
      for (int k = pattern.start[static_cast<std::size_t>(j)];
           k < pattern.start[static_cast<std::size_t>(j) + 1]; ++k)
        visit(static_cast<std::size_t>(k), pattern.row[static_cast<std::size_t>(k)], j);
  }

  void load(const MatrixValues& values) {
    const auto& from = values.symmetric ? values.lower : values.upper;
    for (std::size_t k = 0; k < upper_.size(); ++k) a_.valuePtr()[upper_[k]] = from[k];
    for (std::size_t k = 0; k < lower_.size(); ++k) a_.valuePtr()[lower_[k]] = values.lower[k];
  }

  // False: a row is zero.
  bool scale_rows() {
    row_size_.setZero();
    for_values([&](int i, double& value) { row_size_[i] = std::max(row_size_[i], std::abs(value)); });
    if (row_size_.minCoeff() == 0) return false;
    for_values([&](int i, double& value) { value /= row_size_[i]; });
    return true;
  }

  template <class Visit>
  void for_values(Visit&& visit) {
    for (int j = 0; j < n_; ++j)
      for (Matrix::InnerIterator it(a_, j); it; ++it) visit(static_cast<int>(it.row()), it.valueRef());
  }

  // Each pivot against the largest entry of its column.
  FactorStatus judge_pivots() const {
    for (int j = 0; j < n_; ++j) {
      const double pivot = std::abs(factors_.pivot(j));
      if (!std::isfinite(pivot)) return FactorStatus::not_finite;
      double largest = 0;
      for (Matrix::InnerIterator it(a_, j); it; ++it) largest = std::max(largest, std::abs(it.value()));
      if (pivot <= pivot_tolerance(n_) * largest) return FactorStatus::singular;
    }
    return FactorStatus::ok;
  }

  int n_;
  Matrix a_;                                   // both triangles, rows scaled
  std::vector<std::ptrdiff_t> lower_, upper_;  // place among a_'s values of each entry and of its mirror
  Eigen::VectorXd row_size_;
  Factors factors_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_sparse_lu(const Pattern& pattern) {
  return std::make_unique<SparseLu>(pattern);
}

}  // namespace trammel::linalg
