#include "linalg/ordering.h"

#include <amd.h>

#include <algorithm>
#include <cassert>
#include <numeric>

namespace trammel {
namespace {

std::vector<int> inverse(const std::vector<int>& order) {
  std::vector<int> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    position[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  return position;
}

// Multiplications of the numeric factorization: Σ over columns of (entries)²/2.
double operations(const Pattern& pattern) {
  double sum = 0;
  for (const auto& column : factor_columns(pattern)) {
    const auto entries = static_cast<double>(column.size());
    sum += 0.5 * entries * entries;
  }
  return sum;
}

std::vector<int> minimum_degree_order(const Pattern& pattern) {
  std::vector<int> order(static_cast<std::size_t>(pattern.n));
  // AMD takes the lower triangle alone: it works on A + Aᵀ.
  [[maybe_unused]] const int status =
      amd_order(pattern.n, pattern.start.data(), pattern.row.data(), order.data(), nullptr, nullptr);
  assert(status == AMD_OK);
  return order;
}

}  // namespace

Pattern permuted(const Pattern& pattern, const std::vector<int>& order) {
  const std::vector<int> position = inverse(order);
  std::vector<std::vector<int>> pairs;
  pairs.reserve(pattern.row.size());
  for (std::size_t j = 0; j < order.size(); ++j) {
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) {
      const auto i = static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(k)]);
      pairs.push_back({position[i], position[j]});
    }
  }
  return Pattern::from_cliques(pattern.n, pairs);
}

std::vector<std::vector<int>> factor_columns(const Pattern& pattern) {
  const auto n = static_cast<std::size_t>(pattern.n);
  std::vector<std::vector<int>> columns(n);
  std::vector<std::vector<std::size_t>> children(n);  // of the elimination tree
  std::vector<std::size_t> seen_in(n, n);
  for (std::size_t j = 0; j < n; ++j) {
    auto& column = columns[j];
    const auto add = [&](int i) {
      if (seen_in[static_cast<std::size_t>(i)] == j) return;
      seen_in[static_cast<std::size_t>(i)] = j;
      column.push_back(i);
    };
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k)
      add(pattern.row[static_cast<std::size_t>(k)]);
    // Eliminating a child leaves its rows, less its own, coupled in its parent.
    for (const std::size_t child : children[j]) {
      std::for_each(columns[child].begin() + 1, columns[child].end(), add);
    }
    std::sort(column.begin(), column.end());
    if (column.size() > 1) children[static_cast<std::size_t>(column[1])].push_back(j);
  }
  return columns;
}

std::vector<int> elimination_order(const Pattern& pattern) {
  std::vector<int> natural(static_cast<std::size_t>(pattern.n));
  std::iota(natural.begin(), natural.end(), 0);
  if (pattern.n == 0) return natural;
  std::vector<int> amd = minimum_degree_order(pattern);
  return operations(permuted(pattern, amd)) < operations(pattern) ? amd : natural;
}

}  // namespace trammel
