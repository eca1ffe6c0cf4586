#include "formulations/matrices/completed_rows.h"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "formulations/matrices/dense_terms.h"
#include "linalg/dense.h"

namespace trammel::formulations {
namespace {

Eigen::MatrixXd chosen(const Eigen::MatrixXd& rows, IndependentChoice choice) {
  const Eigen::Index n = rows.cols(), rank = rows.rows();
  if (choice == IndependentChoice::qr) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(rows.transpose());
    const Eigen::MatrixXd Q = qr.householderQ();
    return Q.rightCols(n - rank).transpose();
  }
  if (choice == IndependentChoice::svd) {
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(rows, Eigen::ComputeFullV);
    return svd.matrixV().rightCols(n - rank).transpose();
  }
  // The columns in which no pivot has appeared.
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(rows);
  const auto& order = lu.permutationQ().indices();
  std::vector<int> free(order.data() + rank, order.data() + n);
  std::sort(free.begin(), free.end());
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(n - rank, n);
  for (Eigen::Index k = 0; k < n - rank; ++k) B(k, free[static_cast<std::size_t>(k)]) = 1;
  return B;
}

}  // namespace

Eigen::MatrixXd unit_rows(const system::Dynamics& system, const system::Terms& terms, Eigen::Index first) {
  Eigen::MatrixXd rows = scaled_rows(system, terms).topRows(first);
  for (auto row : rows.rowwise())
    if (const double length = row.norm(); length > 0) row /= length;
  return rows;
}

Completion complete_rows(const Eigen::MatrixXd& rows, double tolerance, IndependentChoice choice) {
  Completion out;
  if (rows.rows() > 0) {
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(rows.transpose());
    const Eigen::VectorXd pivots = qr.matrixR().diagonal().cwiseAbs();
    const auto& order = qr.colsPermutation().indices();
    for (Eigen::Index k = 0; k < pivots.size() && pivots[k] > tolerance * pivots[0]; ++k)
      out.rows.push_back(order[k]);
    std::sort(out.rows.begin(), out.rows.end());
  }
  if (out.rows.empty())
    out.B = Eigen::MatrixXd::Identity(rows.cols(), rows.cols());
  else
    out.B = chosen(rows(out.rows, Eigen::all), choice);
  return out;
}

void CompletedRows::set(const system::Dynamics& system, const Completion& completion) {
  completion_ = completion;
  const Eigen::Index n = completion.B.cols();
  matrix_.resize(n, n);
  length_.setOnes(n);
  scale_ = Eigen::Map<const Eigen::VectorXd>(system.coordinate_scale().data(), n);
  right_.resize(n);
}

void CompletedRows::factor(const system::Dynamics& system, const system::Terms& terms,
                           const Eigen::MatrixXd& B) {
  const system::RowPattern& pattern = system.jacobian();
  matrix_.setZero();
  for (Eigen::Index k = 0; k < rank(); ++k) {
    const auto row = static_cast<std::size_t>(completion_.rows[static_cast<std::size_t>(k)]);
    for (auto i = static_cast<std::size_t>(pattern.start[row]);
         i < static_cast<std::size_t>(pattern.start[row + 1]); ++i)
      matrix_(k, pattern.column[i]) += terms.Phi_v[i] * scale_[pattern.column[i]];
    const double length = matrix_.row(k).norm();
    length_[k] = length > 0 ? length : 1;
    matrix_.row(k) /= length_[k];
  }
  matrix_.bottomRows(freedom()) = B;
  lu_.compute(matrix_);
}

void CompletedRows::solve(const Eigen::VectorXd& b, const Eigen::VectorXd& z, Eigen::VectorXd& x) {
  for (Eigen::Index k = 0; k < rank(); ++k)
    right_[k] = b[completion_.rows[static_cast<std::size_t>(k)]] / length_[k];
  right_.tail(freedom()) = z;
  x.noalias() = lu_.permutationP() * right_;
  lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(x);
  lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(x);
  x.array() *= scale_.array();
}

void CompletedRows::scaled_basis(Eigen::MatrixXd& R) const {
  const auto& place = lu_.permutationP().indices();
  R.setZero(matrix_.rows(), freedom());
  for (Eigen::Index k = 0; k < freedom(); ++k) R(place[rank() + k], k) = 1;
  lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(R);
  lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(R);
}

void CompletedRows::basis(Eigen::MatrixXd& R) const {
  scaled_basis(R);
  for (Eigen::Index k = 0; k < R.cols(); ++k) R.col(k).array() *= scale_.array();
}

double CompletedRows::sight() {
  if (freedom() == 0) return 1;
  scaled_basis(columns_);
  gram_.noalias() = columns_.transpose() * columns_;
  eigen_.compute(gram_, Eigen::EigenvaluesOnly);
  return 1 / std::sqrt(eigen_.eigenvalues()[freedom() - 1]);
}

// The transpose of the matrix with what is left of g along B, zero, among the unknowns.
void CompletedRows::multipliers(const Eigen::VectorXd& g, Eigen::Ref<Eigen::VectorXd> lambda) {
  right_ = scale_.cwiseProduct(g);
  lu_.matrixLU().triangularView<Eigen::Upper>().transpose().solveInPlace(right_);
  lu_.matrixLU().triangularView<Eigen::UnitLower>().transpose().solveInPlace(right_);
  lambda.setZero();
  // Row k of the matrix stands at place indices()[k] of the factors.
  const auto& place = lu_.permutationP().indices();
  for (Eigen::Index k = 0; k < rank(); ++k)
    lambda[completion_.rows[static_cast<std::size_t>(k)]] = right_[place[k]] / length_[k];
}

void CompletedRows::project(const Eigen::VectorXd& x, Eigen::Ref<Eigen::VectorXd> z) const {
  z.setZero();
  for (Eigen::Index i = 0; i < x.size(); ++i) z += (x[i] / scale_[i]) * completion_.B.col(i);
}

}  // namespace trammel::formulations
