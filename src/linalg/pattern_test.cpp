#include "linalg/pattern.h"

#include <gtest/gtest.h>

namespace trammel::linalg::pattern_test {
namespace {

using Cliques = std::vector<std::vector<int>>;

TEST(Pattern, of_cliques_has_the_diagonal_and_every_pair_once) {
  const Pattern p = Pattern::from_cliques(5, Cliques{{3, 0}, {0, 3, 2}, {4}});
  EXPECT_EQ(p.n, 5);
  EXPECT_EQ(p.start, (std::vector<int>{0, 3, 4, 6, 7, 8}));
  EXPECT_EQ(p.row, (std::vector<int>{0, 2, 3, 1, 2, 3, 3, 4}));
  EXPECT_EQ(p.entries(), 8);
}

TEST(Pattern, finds_an_entry_from_either_side) {
  const Pattern p = Pattern::from_cliques(4, Cliques{{0, 1}, {1, 3}});
  EXPECT_EQ(p.find(1, 0), 1);
  EXPECT_EQ(p.find(0, 1), 1);
  EXPECT_EQ(p.find(3, 3), p.entries() - 1);
  EXPECT_EQ(p.find(0, 3), -1);
  EXPECT_EQ(p.find(-1, 2), -1);
  EXPECT_EQ(p.find(2, 4), -1);
}

TEST(Pattern, may_be_empty) {
  const Pattern p = Pattern::from_cliques(0, Cliques{});
  EXPECT_EQ(p.entries(), 0);
  EXPECT_EQ(p.start, std::vector<int>{0});
}

TEST(MatrixValues, have_both_triangles_unless_symmetric) {
  const Pattern p = Pattern::from_cliques(2, Cliques{{0, 1}});
  EXPECT_TRUE(MatrixValues::zeros(p).upper.empty());
  MatrixValues values = MatrixValues::zeros(p, false);
  EXPECT_FALSE(values.symmetric);
  values.lower[1] = values.upper[1] = 2;
  values.set_zero();
  EXPECT_EQ(values.lower, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(values.upper, (std::vector<double>{0, 0, 0}));
}

TEST(Pattern, expands_each_unknown_to_a_block) {
  const Pattern points = Pattern::from_cliques(3, std::vector<std::vector<int>>{{0, 2}});
  const Pattern expected = Pattern::from_cliques(6, std::vector<std::vector<int>>{{0, 1, 4, 5}, {2, 3}});
  const Pattern pattern = points.expanded(2);
  EXPECT_EQ(pattern.n, 6);
  EXPECT_EQ(pattern.start, expected.start);
  EXPECT_EQ(pattern.row, expected.row);
}

}  // namespace
}  // namespace trammel::linalg::pattern_test
