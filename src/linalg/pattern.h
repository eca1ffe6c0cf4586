// Pattern: which entries of a structurally symmetric matrix may differ from zero, fixed for a whole run.
// MatrixValues: numbers on a Pattern. The pattern is analysed once; the values are refilled at every step.
//
// Only the lower triangle is listed, column by column, rows ascending. The diagonal is always present and
// so comes first in its column.
#pragma once

#include <span>
#include <vector>

namespace trammel::linalg {

struct Pattern {
  int n = 0;
  std::vector<int> start;  // n + 1: column j holds entries start[j] … start[j + 1] − 1
  std::vector<int> row;    // row index of each entry

  int entries() const { return static_cast<int>(row.size()); }

  // Index of the entry (max(i, j), min(i, j)); −1 if it is not in the pattern.
  int find(int i, int j) const;

  // The pattern in which the indices of each clique are all coupled with each other, plus the diagonal.
  // Cliques may overlap, repeat an index, or stand in any order.
  static Pattern from_cliques(int n, std::span<const std::vector<int>> cliques);

  // The pattern in which each unknown stands for `block` neighbours, coupled with each other.
  Pattern expanded(int block) const;
};

// lower[k] is the entry (row, column), upper[k] the entry (column, row); they agree on the diagonal.
// When `symmetric`, upper is not read and may be empty.
struct MatrixValues {
  std::vector<double> lower, upper;
  bool symmetric = true;

  // Zeros on a pattern, with room for both triangles unless `symmetric`.
  static MatrixValues zeros(const Pattern& pattern, bool symmetric = true);

  void set_zero();
};

}  // namespace trammel::linalg
