#include <gtest/gtest.h>

#include "linalg/klu_solver.h"
#include "linalg/linear_solver.h"
#include "linalg/test_matrices.h"

namespace trammel::linalg::auto_solver_test {
namespace {

// Symmetric, well conditioned, one negative eigenvalue for each unknown `negative`.
MatrixValues indefinite_values(const Pattern& pattern, Random& random, int negative) {
  MatrixValues values = dominant_values(pattern, random, true);
  const auto diagonal = static_cast<std::size_t>(pattern.find(negative, negative));
  values.lower[diagonal] = -values.lower[diagonal];
  return values;
}

TEST(AutoSolver, takes_dense_solvers_for_few_unknowns_and_sparse_ones_for_many) {
  Random random(1);
  for (const int n : {6, 80}) {
    const Pattern pattern = random_pattern(n, random);
    AutoSolver solver(pattern);
    ASSERT_EQ(solver.factor(dominant_values(pattern, random, true)), FactorStatus::ok);
    EXPECT_EQ(solver.name(), n == 6 ? "dense-cholesky" : "sparse-cholesky");
    ASSERT_EQ(solver.factor(dominant_values(pattern, random, false)), FactorStatus::ok);
    EXPECT_EQ(solver.name(), n == 6 ? "dense-lu" : "klu");
    EXPECT_EQ(solver.fallovers(), 0);
  }
}

TEST(AutoSolver, falls_over_to_lu_counts_it_and_comes_back) {
  Random random(2);
  for (const int n : {6, 80}) {
    const Pattern pattern = random_pattern(n, random);
    AutoSolver solver(pattern);
    const MatrixValues values = indefinite_values(pattern, random, n / 2);
    for (int times = 1; times <= 3; ++times) {
      ASSERT_EQ(solver.factor(values), FactorStatus::ok);
      EXPECT_EQ(solver.fallovers(), times);
      std::vector<double> x(static_cast<std::size_t>(n), 1.0);
      solver.solve(x);
      const Eigen::VectorXd product = dense_copy(pattern, values) * Eigen::Map<Eigen::VectorXd>(x.data(), n);
      EXPECT_LT((product.array() - 1.0).abs().maxCoeff(), 1e-12);
    }
    ASSERT_EQ(solver.factor(dominant_values(pattern, random, true)), FactorStatus::ok);
    EXPECT_EQ(solver.name(), n == 6 ? "dense-cholesky" : "sparse-cholesky");
    EXPECT_EQ(solver.fallovers(), 3);
  }
}

TEST(AutoSolver, keeps_to_a_solver_named_by_the_user) {
  Random random(3);
  const Pattern pattern = random_pattern(20, random);
  const MatrixValues definite = dominant_values(pattern, random, true);
  const MatrixValues indefinite = indefinite_values(pattern, random, 10);
  for (const auto choice : {SolverChoice::dense_cholesky, SolverChoice::sparse_cholesky}) {
    AutoSolver solver(pattern, choice);
    EXPECT_EQ(solver.name(), choice == SolverChoice::dense_cholesky ? "dense-cholesky" : "sparse-cholesky");
    EXPECT_EQ(solver.factor(definite), FactorStatus::ok);
    EXPECT_EQ(solver.factor(indefinite), FactorStatus::not_positive_definite);
    EXPECT_EQ(solver.factor(dominant_values(pattern, random, false)), FactorStatus::not_positive_definite);
    EXPECT_EQ(solver.fallovers(), 0);
  }
  for (const auto choice : {SolverChoice::dense_lu, SolverChoice::klu}) {
    AutoSolver solver(pattern, choice);
    EXPECT_EQ(solver.factor(definite), FactorStatus::ok);
    EXPECT_EQ(solver.name(), choice == SolverChoice::dense_lu ? "dense-lu" : "klu");
    EXPECT_EQ(solver.factor(indefinite), FactorStatus::ok);
  }
}

TEST(KluSolver, chooses_new_pivots_only_when_the_old_ones_fail) {
  const Pattern pattern = full_pattern(2);
  KluSolver solver(pattern);
  const auto factor = [&](double a, double b, double c) {
    return solver.factor(from_dense(pattern, Eigen::Matrix2d{{a, b}, {b, c}}, true));
  };
  // Diagonal pivots serve.
  EXPECT_EQ(factor(2, 1, 2), FactorStatus::ok);
  EXPECT_EQ(solver.refactorizations(), 0);
  // A zero pivot, then one so small that the growth would cost ten digits.
  EXPECT_EQ(factor(0, 1, 0), FactorStatus::ok);
  EXPECT_EQ(solver.refactorizations(), 1);
  EXPECT_EQ(factor(0, 2, 1), FactorStatus::ok);
  EXPECT_EQ(solver.refactorizations(), 1);
  EXPECT_EQ(factor(1, 1e-10, 1), FactorStatus::ok);
  EXPECT_EQ(solver.refactorizations(), 2);
  EXPECT_EQ(factor(1e-10, 1, 1), FactorStatus::ok);
  EXPECT_EQ(solver.refactorizations(), 3);
  // What was chosen is forgotten: diagonal pivots serve again.
  solver.forget();
  EXPECT_EQ(factor(2, 1, 2), FactorStatus::ok);
  EXPECT_EQ(solver.refactorizations(), 3);
  EXPECT_EQ(factor(1e-10, 1, 1), FactorStatus::ok);
  EXPECT_EQ(solver.refactorizations(), 4);
  std::vector<double> x{1 + 1e-10, 2};
  solver.solve(x);
  EXPECT_NEAR(x[0], 1, 1e-15);
  EXPECT_NEAR(x[1], 1, 1e-15);
}

}  // namespace
}  // namespace trammel::linalg::auto_solver_test
