// factor() and solve() take nothing from the heap.
#include <gtest/gtest.h>

#include "linalg/linear_solver.h"
#include "linalg/test_matrices.h"
#include "math/count_malloc.h"

namespace trammel::linalg::no_allocation_test {
namespace {

class NoAllocation : public testing::Test {
 protected:
  void SetUp() override {
#ifndef TRAMMEL_COUNTS_MALLOC
    GTEST_SKIP() << "malloc cannot be counted in this build";
#endif
  }

  // Allocations of factor and solve with each of the values in turn.
  static long count(LinearSolver& solver, const std::vector<MatrixValues>& matrices, int n) {
    std::vector<double> x(static_cast<std::size_t>(n), 1.0);
    const long before = allocations;
    bool ok = true;
    for (const MatrixValues& values : matrices) {
      ok = solver.factor(values) == FactorStatus::ok && ok;
      solver.solve(x);
    }
    const long after = allocations;
    EXPECT_TRUE(ok);
    return after - before;
  }
};

TEST_F(NoAllocation, is_seen_when_it_happens) {
  const long before = allocations;
  const auto made = std::make_unique<std::vector<double>>(1000);
  EXPECT_GE(allocations - before, 2) << made->size();
}

TEST_F(NoAllocation, in_any_solver) {
  Random random(1);
  using Make = std::unique_ptr<LinearSolver> (*)(const Pattern&);
  for (const Make make :
       {Make([](const Pattern& p) -> std::unique_ptr<LinearSolver> { return make_dense_cholesky(p); }),
        Make([](const Pattern& p) -> std::unique_ptr<LinearSolver> { return make_sparse_cholesky(p); }),
        Make(make_dense_lu), Make(make_klu)}) {
    for (const int n : {3, 8, 12, 100}) {
      const Pattern pattern = random_pattern(n, random);
      const auto solver = make(pattern);
      std::vector<MatrixValues> matrices(5);
      for (auto& values : matrices) values = dominant_values(pattern, random, true);
      EXPECT_EQ(count(*solver, matrices, n), 0) << solver->name() << ", n = " << n;
    }
  }
}

TEST_F(NoAllocation, in_a_fallover_to_lu) {
  Random random(2);
  for (const int n : {6, 80}) {
    const Pattern pattern = random_pattern(n, random);
    AutoSolver solver(pattern);
    MatrixValues indefinite = dominant_values(pattern, random, true);
    indefinite.lower.back() *= -1;
    EXPECT_EQ(count(solver, {indefinite, dominant_values(pattern, random, false)}, n), 0);
    EXPECT_EQ(solver.fallovers(), 1);
  }
}

TEST_F(NoAllocation, with_pivots_that_klu_chose_once) {
  // A saddle point: zeros on the diagonal force new pivots at the first factor(), never after.
  const Pattern pattern = chain_pattern(20, 2);
  std::vector<MatrixValues> matrices;
  for (int k = 0; k < 5; ++k) {
    MatrixValues values = MatrixValues::zeros(pattern);
    for_each_entry(pattern, [&](std::size_t entry, int i, int j) {
      if (i == j && i % 2 == 0) values.lower[entry] = 1.0;
      if (i == j + 1) values.lower[entry] = j % 2 == 0 ? 2.0 + 0.1 * k : 0.5;
    });
    matrices.push_back(values);
  }
  const auto solver = make_klu(pattern);
  ASSERT_EQ(solver->factor(matrices[0]), FactorStatus::ok);
  EXPECT_EQ(count(*solver, matrices, pattern.n), 0);
}

}  // namespace
}  // namespace trammel::linalg::no_allocation_test
