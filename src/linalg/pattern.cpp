#include "linalg/pattern.h"

#include <algorithm>
#include <cassert>

namespace trammel::linalg {

int Pattern::find(int i, int j) const {
  if (i < j) std::swap(i, j);
  if (j < 0 || i >= n) return -1;
  const auto begin = row.begin() + start[static_cast<std::size_t>(j)];
  const auto end = row.begin() + start[static_cast<std::size_t>(j) + 1];
  const auto found = std::lower_bound(begin, end, i);
  return found != end && *found == i ? static_cast<int>(found - row.begin()) : -1;
}

Pattern Pattern::from_cliques(int n, std::span<const std::vector<int>> cliques) {
  std::vector<std::vector<int>> columns(static_cast<std::size_t>(n));
  for (int j = 0; j < n; ++j) columns[static_cast<std::size_t>(j)].push_back(j);
  for (const auto& clique : cliques) {
    for (const int j : clique) {
      assert(0 <= j && j < n);
      for (const int i : clique) {
        if (i > j) columns[static_cast<std::size_t>(j)].push_back(i);
      }
    }
  }

  Pattern pattern;
  pattern.n = n;
  pattern.start.push_back(0);
  for (auto& column : columns) {
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    pattern.row.insert(pattern.row.end(), column.begin(), column.end());
    pattern.start.push_back(pattern.entries());
  }
  return pattern;
}

Pattern Pattern::expanded(int block) const {
  Pattern pattern;
  pattern.n = n * block;
  pattern.start.push_back(0);
  for (int j = 0; j < pattern.n; ++j) {
    const auto column = static_cast<std::size_t>(j / block);
    for (int k = start[column]; k < start[column + 1]; ++k) {
      const int first = row[static_cast<std::size_t>(k)] * block;
      for (int i = std::max(first, j); i < first + block; ++i) pattern.row.push_back(i);
    }
    pattern.start.push_back(pattern.entries());
  }
  return pattern;
}

MatrixValues MatrixValues::zeros(const Pattern& pattern, bool symmetric) {
  MatrixValues values;
  values.lower.assign(pattern.row.size(), 0.0);
  if (!symmetric) values.upper.assign(pattern.row.size(), 0.0);
  values.symmetric = symmetric;
  return values;
}

void MatrixValues::set_zero() {
  std::fill(lower.begin(), lower.end(), 0.0);
  std::fill(upper.begin(), upper.end(), 0.0);
}

}  // namespace trammel::linalg
