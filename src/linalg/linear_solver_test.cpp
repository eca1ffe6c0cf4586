// One battery for every LinearSolver: what any of them must do, whatever its method.
#include "linalg/linear_solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linalg/test_matrices.h"

namespace trammel::linalg::linear_solver_test {
namespace {

struct Kind {
  const char* name;
  std::unique_ptr<LinearSolver> (*make)(const Pattern&);
  bool cholesky;
};

template <std::unique_ptr<CholeskySolver> (*make)(const Pattern&)>
std::unique_ptr<LinearSolver> cholesky(const Pattern& pattern) {
  return make(pattern);
}

std::unique_ptr<LinearSolver> make_auto(const Pattern& pattern) {
  return std::make_unique<AutoSolver>(pattern);
}

class Solvers : public testing::TestWithParam<Kind> {
 protected:
  std::unique_ptr<LinearSolver> make(const Pattern& pattern) const { return GetParam().make(pattern); }
  FactorStatus failed() const {
    return GetParam().cholesky ? FactorStatus::not_positive_definite : FactorStatus::singular;
  }
};

INSTANTIATE_TEST_SUITE_P(All, Solvers,
                         testing::Values(Kind{"dense_cholesky", cholesky<make_dense_cholesky>, true},
                                         Kind{"sparse_cholesky", cholesky<make_sparse_cholesky>, true},
                                         Kind{"dense_lu", make_dense_lu, false}, Kind{"klu", make_klu, false},
                                         Kind{"sparse_lu", make_sparse_lu, false},
                                         Kind{"automatic", make_auto, false}),
                         [](const auto& kind) { return kind.param.name; });

// Largest error of the solution with right side A·x for a random x, relative to x.
double solution_error(LinearSolver& solver, const Pattern& pattern, const MatrixValues& values,
                      Random& random) {
  const Eigen::VectorXd exact = Eigen::VectorXd::NullaryExpr(pattern.n, [&] { return uniform(random); });
  Eigen::VectorXd x = dense_copy(pattern, values) * exact;
  EXPECT_EQ(solver.factor(values), FactorStatus::ok);
  solver.solve(std::span(x.data(), static_cast<std::size_t>(x.size())));
  return (x - exact).cwiseAbs().maxCoeff() / exact.cwiseAbs().maxCoeff();
}

// The matrices are diagonally dominant, condition below 100: 1e-12 leaves room for n·eps.
constexpr double kTolerance = 1e-12;

TEST_P(Solvers, solve_random_positive_definite_systems_of_every_size) {
  Random random(1);
  for (int n = 1; n <= 100; ++n) {
    const Pattern pattern = random_pattern(n, random);
    const auto solver = make(pattern);
    const MatrixValues values = dominant_values(pattern, random, true);
    EXPECT_LT(solution_error(*solver, pattern, values, random), kTolerance) << "n = " << n;
  }
}

TEST_P(Solvers, solve_full_matrices_and_chains) {
  Random random(2);
  std::vector<Pattern> patterns;
  for (int n = 1; n <= 20; ++n) patterns.push_back(full_pattern(n));
  for (int size = 1; size <= 7; ++size) patterns.push_back(chain_pattern(12, size));
  patterns.push_back(Pattern::from_cliques(30, {}));
  for (const Pattern& pattern : patterns) {
    const auto solver = make(pattern);
    const MatrixValues values = dominant_values(pattern, random, true);
    EXPECT_LT(solution_error(*solver, pattern, values, random), kTolerance) << "n = " << pattern.n;
  }
}

TEST_P(Solvers, take_new_values_again_and_again) {
  Random random(3);
  const Pattern pattern = random_pattern(60, random);
  const auto solver = make(pattern);
  for (int refill = 0; refill < 20; ++refill) {
    const MatrixValues values = dominant_values(pattern, random, true);
    EXPECT_LT(solution_error(*solver, pattern, values, random), kTolerance);
  }
}

TEST_P(Solvers, do_not_mind_units_twelve_decades_apart) {
  Random random(4);
  for (int n : {6, 40}) {
    const Pattern pattern = random_pattern(n, random);
    const auto solver = make(pattern);
    const MatrixValues values = dominant_values(pattern, random, true, 6);
    ASSERT_EQ(solver->factor(values), FactorStatus::ok);
    // x from right side 1; compare in the matrix's own units, row by row.
    std::vector<double> x(static_cast<std::size_t>(n), 1.0);
    solver->solve(x);
    const Eigen::MatrixXd A = dense_copy(pattern, values);
    const Eigen::Map<const Eigen::VectorXd> solution(x.data(), n);
    const Eigen::VectorXd residual = (A * solution).array() - 1.0;
    const Eigen::VectorXd size = A.cwiseAbs() * solution.cwiseAbs();
    EXPECT_LT(residual.cwiseAbs().cwiseQuotient(size).maxCoeff(), kTolerance) << solver->name();
  }
}

TEST_P(Solvers, give_the_same_bits_again) {
  Random random(5);
  const Pattern pattern = random_pattern(50, random);
  const MatrixValues values = dominant_values(pattern, random, true),
                     others = dominant_values(pattern, random, true);
  const auto a = make(pattern), b = make(pattern);
  ASSERT_EQ(b->factor(others), FactorStatus::ok);
  ASSERT_EQ(a->factor(values), FactorStatus::ok);
  ASSERT_EQ(b->factor(values), FactorStatus::ok);
  std::vector<double> x(50, 1.0), y(50, 1.0);
  a->solve(x);
  b->solve(y);
  EXPECT_EQ(x, y);
}

TEST_P(Solvers, report_a_singular_matrix_and_recover) {
  Random random(6);
  for (int n : {1, 5, 8, 9, 30}) {
    const Pattern pattern = full_pattern(n);
    const auto solver = make(pattern);
    // Gᵀ G of an (n − 1) × n matrix is positive semidefinite of rank n − 1.
    const Eigen::MatrixXd G = Eigen::MatrixXd::NullaryExpr(n - 1, n, [&] { return uniform(random); });
    EXPECT_EQ(solver->factor(from_dense(pattern, G.transpose() * G, true)), failed()) << "n = " << n;
    EXPECT_EQ(solver->factor(MatrixValues::zeros(pattern)), failed()) << "n = " << n;
    const MatrixValues values = dominant_values(pattern, random, true);
    EXPECT_LT(solution_error(*solver, pattern, values, random), kTolerance);
  }
}

TEST_P(Solvers, report_what_is_not_finite_and_recover) {
  Random random(7);
  for (const Pattern& pattern : {full_pattern(4), random_pattern(40, random)}) {
    const auto solver = make(pattern);
    const MatrixValues good = dominant_values(pattern, random, true);
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity()}) {
      for (std::size_t k = 0; k < good.lower.size(); ++k) {
        MatrixValues values = good;
        values.lower[k] = bad;
        EXPECT_EQ(solver->factor(values), FactorStatus::not_finite) << "entry " << k << " = " << bad;
      }
    }
    EXPECT_LT(solution_error(*solver, pattern, good, random), kTolerance);
  }
}

TEST_P(Solvers, accept_a_system_without_unknowns) {
  const Pattern pattern = Pattern::from_cliques(0, {});
  const auto solver = make(pattern);
  EXPECT_EQ(solver->factor(MatrixValues::zeros(pattern)), FactorStatus::ok);
  solver->solve({});
}

// Unsymmetric or indefinite: LU solves, Cholesky refuses.
TEST_P(Solvers, solve_unsymmetric_systems_or_refuse_them) {
  Random random(8);
  for (int n = 1; n <= 100; ++n) {
    const Pattern pattern = random_pattern(n, random);
    const auto solver = make(pattern);
    const MatrixValues values = dominant_values(pattern, random, false);
    if (GetParam().cholesky) {
      EXPECT_EQ(solver->factor(values), FactorStatus::not_positive_definite);
    } else {
      EXPECT_LT(solution_error(*solver, pattern, values, random), kTolerance) << "n = " << n;
    }
  }
}

TEST_P(Solvers, solve_saddle_points_or_refuse_them) {
  Random random(9);
  for (int n : {2, 6, 12, 40}) {
    const Pattern pattern = chain_pattern(n / 2, 2);
    // Masses on even unknowns, multipliers with a zero diagonal on odd ones.
    MatrixValues values = MatrixValues::zeros(pattern);
    for_each_entry(pattern, [&](std::size_t k, int i, int j) {
      if (i % 2 == 0 && i == j) values.lower[k] = 2 + uniform(random);
      if (j % 2 == 0 && i == j + 1) values.lower[k] = 3 + uniform(random);
      if (j % 2 == 1 && i == j + 1) values.lower[k] = uniform(random);
    });
    const auto solver = make(pattern);
    if (GetParam().cholesky) {
      EXPECT_EQ(solver->factor(values), FactorStatus::not_positive_definite);
    } else {
      EXPECT_LT(solution_error(*solver, pattern, values, random), kTolerance) << "n = " << n;
    }
  }
}

TEST_P(Solvers, refuse_a_negative_diagonal_or_use_it) {
  const Pattern pattern = full_pattern(3);
  Eigen::Matrix3d A;
  A << 4, 1, 0, 1, -4, 1, 0, 1, 4;
  const FactorStatus status = make(pattern)->factor(from_dense(pattern, A, true));
  EXPECT_EQ(status, GetParam().cholesky ? FactorStatus::not_positive_definite : FactorStatus::ok);
}

// Values written to their places give the same bits as values handed over.
TEST(CholeskySolver, factors_what_is_written_to_its_storage) {
  Random random(10);
  for (const auto make : {make_dense_cholesky, make_sparse_cholesky})
    for (const int n : {4, 12, 60}) {
      const Pattern pattern = random_pattern(n, random);
      const MatrixValues values = dominant_values(pattern, random, true);
      const auto given = make(pattern), written = make(pattern);
      ASSERT_EQ(given->factor(values), FactorStatus::ok);
      std::fill(written->storage().begin(), written->storage().end(), 0.0);
      for (std::size_t k = 0; k < values.lower.size(); ++k)
        written->storage()[static_cast<std::size_t>(written->place()[k])] = values.lower[k];
      ASSERT_EQ(written->factor_storage(), FactorStatus::ok);
      std::vector<double> x(static_cast<std::size_t>(n), 1.0), y = x;
      given->solve(x);
      written->solve(y);
      EXPECT_EQ(x, y) << given->name() << ", n = " << n;
    }
}

}  // namespace
}  // namespace trammel::linalg::linear_solver_test
