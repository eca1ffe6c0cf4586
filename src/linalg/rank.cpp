#include "linalg/rank.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>

namespace trammel::linalg {
namespace {

// A row takes part in a dependency when its share, rows scaled to length 1 and the largest share 1, is
// above this: well over the rounding of the null space, well under any share that means something.
constexpr double kShare = 1e-7;

// A squared distance, relative to the square of the row, that rounding may leave of a row that depends on
// others.
constexpr double kDependent = 1e-12;

// A basis of the left null space from Aᵀ P = Q [R₁ R₂]:  y = P [−R₁⁻¹ R₂; 1].
Eigen::MatrixXd null_basis(const Eigen::ColPivHouseholderQR<Eigen::MatrixXd>& qr, int rank) {
  const Eigen::Index m = qr.cols(), dependent = m - rank;
  const auto R1 = qr.matrixR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
  Eigen::MatrixXd y(m, dependent);
  y.topRows(rank) = -R1.solve(qr.matrixR().topRightCorner(rank, dependent));
  y.bottomRows(dependent).setIdentity();
  return qr.colsPermutation() * y;
}

Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& basis) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(basis);
  return qr.householderQ() * Eigen::MatrixXd::Identity(basis.rows(), basis.cols());
}

// Reduced echelon form by columns, full pivoting: each column gets a 1 where all others have 0.
void reduce(Eigen::MatrixXd& basis) {
  std::vector<bool> used(static_cast<std::size_t>(basis.rows()), false);
  for (Eigen::Index c = 0; c < basis.cols(); ++c) {
    Eigen::Index row = 0, column = c;
    double largest = -1;
    for (Eigen::Index j = c; j < basis.cols(); ++j) {
      for (Eigen::Index i = 0; i < basis.rows(); ++i) {
        if (used[static_cast<std::size_t>(i)] || std::abs(basis(i, j)) <= largest) continue;
        largest = std::abs(basis(i, j)), row = i, column = j;
      }
    }
    used[static_cast<std::size_t>(row)] = true;
    basis.col(c).swap(basis.col(column));
    basis.col(c) /= basis(row, c);
    for (Eigen::Index j = 0; j < basis.cols(); ++j) {
      if (j != c) basis.col(j) -= basis(row, j) * basis.col(c).eval();
    }
  }
}

std::vector<int> support(const Eigen::VectorXd& column) {
  const double limit = kShare * column.cwiseAbs().maxCoeff();
  std::vector<int> rows;
  for (int i = 0; i < static_cast<int>(column.size()); ++i) {
    if (std::abs(column[i]) > limit) rows.push_back(i);
  }
  return rows;
}

bool overlap(const std::vector<int>& a, const std::vector<int>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

// The union of two ascending lists.
std::vector<int> united(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

}  // namespace

RankPivots::RankPivots(int rows, int columns)
    : matrix_(rows, columns),
      transposed_(columns, rows),
      products_(rows, rows),
      qr_(columns, rows),
      pivots_(static_cast<std::size_t>(std::min(rows, columns))) {}

// Root-free Cholesky of the products of rows: its pivots are the squared distances. Most products are zero.
double RankPivots::least_distance() {
  const Eigen::Index n = matrix_.rows();
  for (Eigen::Index i = 0; i < n; ++i) {
    auto products = products_.col(i).head(i + 1);
    products.setZero();
    for (Eigen::Index c = 0; c < matrix_.cols(); ++c)
      if (const double a = matrix_(i, c); a != 0) products += a * matrix_.col(c).head(i + 1);
  }
  double least = 1;
  for (Eigen::Index j = 0; j < n; ++j) {
    auto column = products_.col(j);
    const double size = column[j];
    Eigen::Index first = 0;
    while (first < j && column[first] == 0) ++first;
    // u_k = l_jk d_k, then l_jk in its place
    for (Eigen::Index k = first + 1; k < j; ++k)
      column[k] -= products_.col(k).segment(first, k - first).dot(column.segment(first, k - first));
    for (Eigen::Index k = first; k < j; ++k) {
      const double u = column[k];
      column[k] /= products_(k, k);
      column[j] -= u * column[k];
    }
    if (!(column[j] > kDependent * size)) return 0;
    least = std::min(least, column[j] / size);
  }
  return std::sqrt(least);
}

std::span<const double> RankPivots::of() {
  for (Eigen::Index r = 0; r < matrix_.rows(); ++r) {
    const double length = matrix_.row(r).norm();
    transposed_.col(r) = matrix_.row(r) / (length == 0 ? 1 : length);
  }
  qr_.compute(transposed_);
  for (std::size_t k = 0; k < pivots_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    pivots_[k] = std::abs(qr_.matrixR()(i, i));
  }
  return pivots_;
}

RankResult rank_of_rows(const Eigen::MatrixXd& A, double relative_tolerance) {
  assert(A.allFinite());
  RankResult result;
  result.row_length = A.rowwise().norm();
  for (double& length : result.row_length) {
    if (length == 0) length = 1;
  }
  result.left_null = Eigen::MatrixXd::Identity(A.rows(), A.rows());
  if (A.size() == 0) return result;

  const Eigen::MatrixXd scaled = result.row_length.cwiseInverse().asDiagonal() * A;
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(scaled.transpose());
  const Eigen::VectorXd pivots = qr.matrixR().diagonal().cwiseAbs();
  result.singular_values_or_pivots.assign(pivots.begin(), pivots.end());
  const double limit = relative_tolerance * pivots[0];
  result.rank =
      static_cast<int>(std::count_if(pivots.begin(), pivots.end(), [&](double r) { return r > limit; }));
  if (result.rank == A.rows()) {
    result.left_null.resize(A.rows(), 0);
    return result;
  }
  // yᵀ (D A) = 0 gives (D y)ᵀ A = 0.
  result.left_null = orthonormal(result.row_length.cwiseInverse().asDiagonal() * null_basis(qr, result.rank));
  return result;
}

std::vector<std::vector<int>> dependent_rows(const RankResult& result) {
  if (result.left_null.size() == 0) return {};
  Eigen::MatrixXd basis = result.row_length.asDiagonal() * result.left_null;
  reduce(basis);

  std::vector<std::vector<int>> groups;
  for (const auto& column : basis.colwise()) {
    std::vector<int> group = support(column);
    // Groups that share a row with this one become part of it.
    for (const auto& other : groups) {
      if (overlap(other, group)) group = united(other, group);
    }
    std::erase_if(groups, [&](const auto& other) { return overlap(other, group); });
    groups.push_back(std::move(group));
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

}  // namespace trammel::linalg
