#include "linalg/rank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace trammel::linalg::rank_test {
namespace {

using Groups = std::vector<std::vector<int>>;

constexpr double kTolerance = 1e-10;

Eigen::MatrixXd random_matrix(int m, int n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  return Eigen::MatrixXd::NullaryExpr(m, n, [&] { return uniform(random); });
}

// Rank and groups as expected, and a left null space that is one.
void expect(const Eigen::MatrixXd& A, int rank, const Groups& groups) {
  const RankResult result = rank_of_rows(A, kTolerance);
  EXPECT_EQ(result.rank, rank);
  EXPECT_EQ(dependent_rows(result), groups);
  const Eigen::MatrixXd& y = result.left_null;
  ASSERT_EQ(y.rows(), A.rows());
  ASSERT_EQ(y.cols(), A.rows() - rank);
  if (y.cols() == 0) return;
  EXPECT_LT((y.transpose() * y - Eigen::MatrixXd::Identity(y.cols(), y.cols())).norm(), 1e-13);
  EXPECT_LT((y.transpose() * A).norm(), 1e-13 * std::max(1.0, A.norm()));
}

TEST(Rank, of_independent_rows_is_full) { expect(random_matrix(5, 8, 1), 5, {}); }

TEST(Rank, counts_a_duplicated_row_once) {
  Eigen::MatrixXd A = random_matrix(5, 8, 2);
  A.row(3) = A.row(1);
  expect(A, 4, {{1, 3}});
}

TEST(Rank, finds_a_row_that_is_the_sum_of_others) {
  Eigen::MatrixXd A = random_matrix(6, 9, 3);
  A.row(4) = A.row(0) - 2.0 * A.row(2) + 0.5 * A.row(5);
  expect(A, 5, {{0, 2, 4, 5}});
}

TEST(Rank, keeps_independent_groups_apart) {
  Eigen::MatrixXd A = random_matrix(9, 12, 4);
  A.row(7) = A.row(0) + A.row(3);
  A.row(8) = -3.0 * A.row(5);
  expect(A, 7, {{0, 3, 7}, {5, 8}});
}

TEST(Rank, merges_groups_that_share_a_row) {
  Eigen::MatrixXd A = random_matrix(7, 12, 5);
  A.row(2) = A.row(0);
  A.row(5) = A.row(0) + A.row(1);
  expect(A, 5, {{0, 1, 2, 5}});
}

TEST(Rank, counts_a_row_of_zeros_as_dependent_by_itself) {
  Eigen::MatrixXd A = random_matrix(4, 6, 6);
  A.row(2).setZero();
  expect(A, 3, {{2}});
}

TEST(Rank, of_more_rows_than_columns_groups_them_all) {
  const Eigen::MatrixXd A = random_matrix(5, 3, 7);
  expect(A, 3, {{0, 1, 2, 3, 4}});
}

TEST(Rank, does_not_depend_on_the_units_of_a_row) {
  Eigen::MatrixXd A = random_matrix(6, 9, 8);
  A.row(4) = A.row(0) - 2.0 * A.row(2);
  A.row(5) = A.row(1);
  for (int i = 0; i < 6; ++i) A.row(i) *= std::pow(10.0, 2 * (i % 4) - 4);
  expect(A, 4, {{0, 2, 4}, {1, 5}});
}

TEST(Rank, obeys_the_tolerance) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(2, 2);
  A.row(1) << 1, 1e-6;
  EXPECT_EQ(rank_of_rows(A, 1e-5).rank, 1);
  EXPECT_EQ(rank_of_rows(A, 1e-7).rank, 2);
}

TEST(Rank, of_nothing_is_zero) {
  expect(Eigen::MatrixXd::Zero(3, 4), 0, {{0}, {1}, {2}});
  expect(Eigen::MatrixXd(2, 0), 0, {{0}, {1}});
  expect(Eigen::MatrixXd(0, 4), 0, {});
}

// Of a row from the span of those before it, relative to its length.
TEST(RankPivots, LeastDistanceIsThatOfTheNearestRow) {
  RankPivots rows(3, 4);
  rows.matrix() << 2, 0, 0, 0,  //
      3, 4e-3, 0, 0,            //
      1, 1, 5, 0;
  EXPECT_NEAR(rows.least_distance(), 4e-3 / std::hypot(3, 4e-3), 1e-12);
  rows.matrix().row(2) = 2 * rows.matrix().row(0) - rows.matrix().row(1);
  EXPECT_EQ(rows.least_distance(), 0);
  rows.matrix() << 0, 7, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1e-9;
  EXPECT_DOUBLE_EQ(rows.least_distance(), 1);
}

}  // namespace
}  // namespace trammel::linalg::rank_test
