// RowTiles: adds Σ w_r g_r g_rᵀ over the rows g_r of Φ_v to a symmetric matrix in a solver's storage.
//
// A row of whole groups of K columns (row_shapes.h) is added tile by tile: K × K entries that stand in K
// neighbouring places of K columns. Where each tile goes is found once. Other rows go entry by entry.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "formulations/rows/row_shapes.h"
#include "linalg/pattern.h"
#include "system/terms.h"

namespace trammel::formulations {

class RowTiles {
 public:
  // place: of each entry of the pattern, in the storage.
  RowTiles(const system::RowPattern& rows, const linalg::Pattern& pattern, const std::vector<int>& place);

  void add(std::span<const double> g, std::span<const double> weight, double* storage) const;

 private:
  // Groups in the order of elimination: storage[start_ab + l·stride_b + k] += w g[group_b + l] g[group_a + k]
  // for a ≥ b, a + (a + 1)…: the tiles of b = 0 first.
  template <int K, int B>
  struct Row {
    int row;
    std::array<int, B> group, stride;
    std::array<int, B*(B + 1) / 2> start;
  };
  struct Entry {
    int place, column, row;  // of g
  };
  struct Loose {
    int row, entry, entries;  // entries in entries_
  };
  // Where an entry of row r stands: that of its columns number i and k.
  class Places;
  template <int K, int B>
  static bool fit(const Places& places, Row<K, B>& row);

  RowShapes<Row> shaped_;
  std::vector<Loose> loose_;
  std::vector<Entry> entries_;
};

}  // namespace trammel::formulations
