#include "linalg/supernodes.h"

#include <gtest/gtest.h>

#include "linalg/ordering.h"
#include "linalg/panel.h"
#include "linalg/test_matrices.h"

namespace trammel::linalg::supernodes_test {
namespace {

TEST(Ordering, leaves_a_chain_as_it_is_numbered) {
  const std::vector<int> order = elimination_order(chain_pattern(40, 2));
  for (int k = 0; k < 80; ++k) EXPECT_EQ(order[static_cast<std::size_t>(k)], k);
}

TEST(Ordering, eliminates_the_hub_of_a_star_last) {
  std::vector<std::vector<int>> spokes;
  for (int k = 1; k < 20; ++k) spokes.push_back({0, k});
  const Pattern star = Pattern::from_cliques(20, spokes);
  const std::vector<int> order = elimination_order(star);
  // Hub first would fill the whole triangle; a hub among the last two fills nothing.
  const auto columns = factor_columns(permuted(star, order));
  std::size_t entries = 0;
  for (const auto& column : columns) entries += column.size();
  EXPECT_EQ(entries, 39u);
}

TEST(Ordering, finds_the_fill_of_a_ring) {
  const Pattern ring =
      Pattern::from_cliques(4, std::vector<std::vector<int>>{{0, 1}, {1, 2}, {2, 3}, {0, 3}});
  const auto columns = factor_columns(ring);
  EXPECT_EQ(columns[0], (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(columns[1], (std::vector<int>{1, 2, 3}));  // (3, 1) is fill
  EXPECT_EQ(columns[2], (std::vector<int>{2, 3}));
  EXPECT_EQ(columns[3], (std::vector<int>{3}));
}

TEST(Supernodes, of_a_chain_are_its_blocks) {
  const Supernodes s(chain_pattern(5, 3));
  ASSERT_EQ(s.nodes.size(), 4u);  // the last two blocks are one full triangle
  for (const Supernode& node : s.nodes) EXPECT_EQ(node.rows, 6);
  EXPECT_EQ(s.nodes.front().width, 3);
  EXPECT_EQ(s.nodes.back().width, 6);
  EXPECT_TRUE(s.relative_row.empty()) << "the rows of a chain are neighbours";
  EXPECT_EQ(s.longest_row, 6);
}

TEST(Supernodes, of_a_full_matrix_are_as_wide_as_panels_may_be) {
  const Supernodes s(full_pattern(7));
  ASSERT_EQ(s.nodes.size(), 2u);
  EXPECT_EQ(s.nodes.front().width, kWidest);
  EXPECT_EQ(s.values, 7 * kWidest + 1);
}

TEST(Ordering, keeps_the_coordinates_of_a_point_together) {
  // Points of three coordinates on a grid, numbered so badly that minimum degree renumbers them.
  std::vector<std::vector<int>> cliques;
  for (int k = 0; k < 12; ++k) {
    const int a = 3 * ((5 * k) % 12), b = 3 * ((5 * k + 5) % 12);
    cliques.push_back({a, a + 1, a + 2, b, b + 1, b + 2});
  }
  const std::vector<int> order = elimination_order(Pattern::from_cliques(36, cliques));
  for (std::size_t k = 0; k < order.size(); k += 3) {
    EXPECT_EQ(order[k] % 3, 0);
    EXPECT_EQ(order[k + 1], order[k] + 1);
    EXPECT_EQ(order[k + 2], order[k] + 2);
  }
}

}  // namespace
}  // namespace trammel::linalg::supernodes_test
