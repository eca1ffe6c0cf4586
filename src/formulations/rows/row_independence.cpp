#include "formulations/rows/row_independence.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "formulations/rows/rows.h"

namespace trammel::formulations {
namespace {

// Squares lose half of the digits: below this a singular value drowns in the rounding of G.
constexpr double kTold = 1e-5;

// Rows that share a column are coupled.
linalg::Pattern gram_pattern(const system::Dynamics& system) {
  const system::RowPattern& rows = system.jacobian();
  std::vector<std::vector<int>> cliques(static_cast<std::size_t>(system.sizes().v));
  for (int r = 0; r < rows.rows(); ++r)
    for (int k = rows.start[static_cast<std::size_t>(r)]; k < rows.start[static_cast<std::size_t>(r) + 1];
         ++k)
      cliques[static_cast<std::size_t>(rows.column[static_cast<std::size_t>(k)])].push_back(r);
  return linalg::Pattern::from_cliques(rows.rows(), cliques);
}

}  // namespace

RowIndependence::RowIndependence(const system::Dynamics& system)
    : system_(system),
      pattern_(gram_pattern(system)),
      values_(linalg::MatrixValues::zeros(pattern_)),
      solver_(linalg::make_sparse_cholesky(pattern_)),
      scaled_(system.jacobian().column.size()) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> part(0.5, 1.5);
  for (int r = 0; r < pattern_.n; ++r) probe_.push_back(random() % 2 == 0 ? part(random) : -part(random));
}

double RowIndependence::product(const std::vector<double>& values, std::size_t r, std::size_t s) const {
  const system::RowPattern& rows = system_.jacobian();
  double sum = 0;
  for (int i = rows.start[r]; i < rows.start[r + 1]; ++i)
    for (int k = rows.start[s]; k < rows.start[s + 1]; ++k)
      if (rows.column[static_cast<std::size_t>(i)] == rows.column[static_cast<std::size_t>(k)])
        sum += values[static_cast<std::size_t>(i)] * values[static_cast<std::size_t>(k)];
  return sum;
}

double RowIndependence::smallest(const system::Terms& terms) {
  const system::RowPattern& rows = system_.jacobian();
  for (std::size_t r = 0; r < probe_.size(); ++r) {
    double square = 0;
    const auto begin = static_cast<std::size_t>(rows.start[r]),
               end = static_cast<std::size_t>(rows.start[r + 1]);
    for (std::size_t k = begin; k < end; ++k) {
      scaled_[k] = terms.Phi_v[k] * system_.coordinate_scale()[static_cast<std::size_t>(rows.column[k])];
      square += scaled_[k] * scaled_[k];
    }
    if (std::sqrt(square) <= kVanishedRow * system_.rows()[r].scale) return 0;
    for (std::size_t k = begin; k < end; ++k) scaled_[k] /= std::sqrt(square);
  }
  for (int c = 0; c < pattern_.n; ++c)
    for (int k = pattern_.start[static_cast<std::size_t>(c)];
         k < pattern_.start[static_cast<std::size_t>(c) + 1]; ++k)
      values_.lower[static_cast<std::size_t>(k)] =
          product(scaled_, static_cast<std::size_t>(pattern_.row[static_cast<std::size_t>(k)]),
                  static_cast<std::size_t>(c));
  if (solver_->factor(values_) != linalg::FactorStatus::ok) return 0;
  work_ = probe_;
  solver_->solve(work_);
  const auto norm = [](const std::vector<double>& x) {
    return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
  };
  const double estimate = std::sqrt(norm(probe_) / norm(work_));
  return estimate > kTold ? estimate : 0;
}

}  // namespace trammel::formulations
