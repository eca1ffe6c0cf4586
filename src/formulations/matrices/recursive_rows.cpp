#include "formulations/matrices/recursive_rows.h"

#include <cmath>

#include "formulations/rows/rows.h"

namespace trammel::formulations {
namespace {

// A pivot that is this part of its row has lost all its digits: the rows depend on each other.
constexpr double kDependent = 1e-13;

}  // namespace

RecursiveRows::RecursiveRows(std::unique_ptr<system::RecursiveSolver> solver, const system::RowPattern& rows,
                             int columns)
    : solver_(std::move(solver)),
      rows_(rows),
      J_(rows.column.size(), 0.0),
      Z_(columns, rows.rows()),
      closure_(rows.rows(), rows.rows()),
      rest_(rows.rows()),
      scale_(rows.rows()),
      lu_(rows.rows()) {}

linalg::FactorStatus RecursiveRows::factor(const system::Terms& terms, std::span<const double> J,
                                           std::span<const double> softness, double damping_factor,
                                           double stiffness_factor) {
  if (!solver_->factor(terms, damping_factor, stiffness_factor)) return linalg::FactorStatus::singular;
  std::copy(J.begin(), J.end(), J_.begin());
  const auto m = static_cast<std::size_t>(rows_.rows());
  Z_.setZero();
  for (std::size_t r = 0; r < m; ++r) {
    const auto column = static_cast<Eigen::Index>(r);
    closure_.col(column).setZero();
    if (std::isinf(softness[r])) {
      closure_(column, column) = 1;
      continue;
    }
    const std::span<double> z(Z_.col(column).data(), static_cast<std::size_t>(Z_.rows()));
    add_row(rows_, J_, r, 1, z);
    solver_->solve(z);
    for (std::size_t i = 0; i < m; ++i)
      if (!std::isinf(softness[i]))
        closure_(static_cast<Eigen::Index>(i), column) = row_times(rows_, J_, i, z);
    closure_(column, column) += softness[r];
  }
  if (m == 0) return linalg::FactorStatus::ok;
  if (!std::isfinite(closure_.sum())) return linalg::FactorStatus::not_finite;
  // Short rows are no more dependent than long ones: each is scaled to about one, by powers of two.
  for (Eigen::Index i = 0; i < closure_.rows(); ++i)
    scale_[i] = closure_(i, i) > 0 ? std::ldexp(1.0, -std::ilogb(closure_(i, i)) / 2) : 1;
  closure_ = scale_.asDiagonal() * closure_ * scale_.asDiagonal();
  lu_.compute(closure_);
  const auto& order = lu_.permutationP().indices();
  for (Eigen::Index i = 0; i < closure_.rows(); ++i)
    if (std::abs(lu_.matrixLU()(order[i], order[i])) <= kDependent * closure_.row(i).cwiseAbs().maxCoeff())
      return linalg::FactorStatus::singular;
  return linalg::FactorStatus::ok;
}

void RecursiveRows::solve(std::span<double> x, std::span<double> y) {
  solver_->solve(x);
  if (y.empty()) return;
  for (std::size_t r = 0; r < y.size(); ++r)
    rest_[static_cast<Eigen::Index>(r)] = row_times(rows_, J_, r, x) - y[r];
  Eigen::Map<Eigen::VectorXd> multipliers(y.data(), static_cast<Eigen::Index>(y.size()));
  rest_.array() *= scale_.array();
  multipliers = lu_.solve(rest_);
  multipliers.array() *= scale_.array();
  Eigen::Map<Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())).noalias() -= Z_ * multipliers;
}

}  // namespace trammel::formulations
