// Rank of a dense matrix, and which of its rows depend on each other: redundant constraints.
//
// Aᵀ P = Q R by column-pivoted Householder QR. Rows are scaled to length 1 first, so that the units of a
// constraint do not matter; a row of zeros stays one and counts as dependent, by itself.
// Dense, for up to a few hundred rows.
#pragma once

#include <Eigen/QR>
#include <span>
#include <vector>

#include "linalg/dense.h"

namespace trammel::linalg {

struct RankResult {
  int rank = 0;
  std::vector<double> singular_values_or_pivots;  // |R_kk|, descending, of the scaled matrix
  Eigen::MatrixXd left_null;                      // m × (m − rank), orthonormal columns y with yᵀ A = 0
  Eigen::VectorXd row_length;                     // |row i| of A; 1 for a row of zeros
};

// |R_kk| alone, again and again for matrices of one size; allocates nothing after construction.
class RankPivots {
 public:
  RankPivots(int rows, int columns);
  // To be filled with A, which must be finite; of() scales its rows.
  Eigen::MatrixXd& matrix() { return matrix_; }
  std::span<const double> of();
  // A bound that costs a tenth: how far, at least, a row is from the span of those before it; 0 where one
  // depends on them.
  double least_distance();

 private:
  Eigen::MatrixXd matrix_, transposed_, products_;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr_;
  std::vector<double> pivots_;
};

// A must be finite. The rank is the number of pivots |R_kk| > relative_tolerance · |R_00|.
RankResult rank_of_rows(const Eigen::MatrixXd& A, double relative_tolerance);

// Groups of rows that depend on each other, as small as elimination finds them; each group ascending,
// groups in the order of their first row. No group: the rows are independent.
std::vector<std::vector<int>> dependent_rows(const RankResult& result);

}  // namespace trammel::linalg
