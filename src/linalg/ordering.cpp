#include "linalg/ordering.h"

#ifdef TRAMMEL_KLU
#include <amd.h>
#else
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#endif

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace trammel::linalg {
namespace {

std::vector<int> inverse(const std::vector<int>& order) {
  std::vector<int> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    position[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  return position;
}

// The columns of each row's entries below the diagonal, ascending.
std::vector<std::vector<int>> columns_of_rows(const Pattern& pattern) {
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(pattern.n));
  for (int j = 0; j < pattern.n; ++j)
    for (int k = pattern.start[static_cast<std::size_t>(j)] + 1;
         k < pattern.start[static_cast<std::size_t>(j) + 1]; ++k)
      rows[static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(k)])].push_back(j);
  return rows;
}

// Multiplications of the numeric factorization, Σ over columns of (entries)²/2; or more than `limit`, as soon
// as that is certain. Each row of the factor is a subtree of the elimination tree: Liu (1990), 5.1. Nothing
// is stored: a bad order may fill the whole triangle.
double operations(const Pattern& pattern, double limit) {
  const auto n = static_cast<std::size_t>(pattern.n);
  const std::vector<std::vector<int>> rows = columns_of_rows(pattern);
  std::vector<std::size_t> parent(n, n), seen_in(n, n);
  std::vector<double> entries(n, 1.0);
  double sum = 0.5 * static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    seen_in[i] = i;
    for (const int column : rows[i])
      for (auto j = static_cast<std::size_t>(column); seen_in[j] != i; j = parent[j]) {
        if (parent[j] == n) parent[j] = i;
        seen_in[j] = i;
        sum += entries[j] + 0.5;
        entries[j] += 1;
      }
    if (sum > limit) return sum;
  }
  return sum;
}

// Neighbours that are coupled with the same unknowns and with each other get one number.
std::vector<int> group_twins(const Pattern& pattern) {
  const std::vector<std::vector<int>> rows = columns_of_rows(pattern);
  std::vector<int> group(static_cast<std::size_t>(pattern.n), 0);
  for (std::size_t j = 1; j < group.size(); ++j) {
    const auto begin = [&](std::size_t k) { return pattern.row.begin() + pattern.start[k]; };
    // The column before, less its diagonal, is this one; this row, less the one before, is the one before.
    const bool twins = std::equal(begin(j - 1) + 1, begin(j), begin(j), begin(j + 1)) &&
                       rows[j].size() == rows[j - 1].size() + 1 &&
                       std::equal(rows[j - 1].begin(), rows[j - 1].end(), rows[j].begin());
    group[j] = group[j - 1] + (twins ? 0 : 1);
  }
  return group;
}

// order[new] = old by SuiteSparse, or by Eigen in builds without it.
std::vector<int> approximate_minimum_degree(const Pattern& pattern) {
  std::vector<int> order(static_cast<std::size_t>(pattern.n));
#ifdef TRAMMEL_KLU
  // AMD takes the lower triangle alone: it works on A + Aᵀ.
  [[maybe_unused]] const int status =
      amd_order(pattern.n, pattern.start.data(), pattern.row.data(), order.data(), nullptr, nullptr);
  assert(status == AMD_OK);
#else
  const std::vector<double> ones(pattern.row.size(), 1);
  const Eigen::Map<const Eigen::SparseMatrix<double>> lower(
      pattern.n, pattern.n, pattern.entries(), pattern.start.data(), pattern.row.data(), ones.data());
  const Eigen::SparseMatrix<double> copy = lower;
  Eigen::AMDOrdering<int>::PermutationType found;
  Eigen::AMDOrdering<int>()(copy.selfadjointView<Eigen::Lower>(), found);
  std::copy_n(found.indices().data(), order.size(), order.begin());
#endif
  return order;
}

std::vector<int> minimum_degree_order(const Pattern& pattern) {
  const std::vector<int> group = group_twins(pattern);
  const int groups = group.back() + 1;
  std::vector<std::vector<int>> pairs, members(static_cast<std::size_t>(groups));
  for (std::size_t j = 0; j < group.size(); ++j) {
    members[static_cast<std::size_t>(group[j])].push_back(static_cast<int>(j));
    if (j > 0 && group[j] == group[j - 1]) continue;
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k)
      pairs.push_back({group[static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(k)])], group[j]});
  }
  const Pattern quotient = Pattern::from_cliques(groups, pairs);
  std::vector<int> order;
  for (const int g : approximate_minimum_degree(quotient))
    order.insert(order.end(), members[static_cast<std::size_t>(g)].begin(),
                 members[static_cast<std::size_t>(g)].end());
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
  const double most = operations(permuted(pattern, amd), INFINITY);
  return operations(pattern, most) <= most ? natural : amd;
}

}  // namespace trammel::linalg
