// RowTiles: adds Σ w_r g_r g_rᵀ over the rows g_r of Φ_v to a symmetric matrix in a solver's storage.
//
// A row whose columns are whole groups of neighbours (RowPattern::edge) is added tile by tile: K × K entries
// that stand in K neighbouring places of K columns. Where each tile goes is found once.
#pragma once

#include <span>
#include <vector>

#include "linalg/pattern.h"
#include "system/terms.h"

namespace trammel {

class RowTiles {
 public:
  // place: of each entry of the pattern, in the storage.
  RowTiles(const RowPattern& rows, const Pattern& pattern, const std::vector<int>& place);

  void add(std::span<const double> g, std::span<const double> weight, double* storage) const;

 private:
  struct Row {
    int entry, count;  // of g
    int edge;
    int tile, tiles;
  };
  // storage[start + l·stride + k] += w g[column + l] g[row + k]
  struct Tile {
    int start, stride, column, row;
  };
  // False where the tiles of the row are not as the storage needs them.
  bool add_tiles(const int* columns, int count, int edge, const Pattern& pattern,
                 const std::vector<int>& place);
  template <int K>
  void add_row(const Row& row, const double* g, double weight, double* storage) const;

  std::vector<Row> rows_;
  std::vector<Tile> tiles_;
};

}  // namespace trammel
