#include "formulations/row_tiles.h"

#include <array>

#include "formulations/rows.h"

namespace trammel {
namespace {

constexpr int kMostColumns = 24;  // of a row that is added by tiles: two bodies of space

}  // namespace

RowTiles::RowTiles(const RowPattern& rows, const Pattern& pattern, const std::vector<int>& place) {
  for (std::size_t r = 0; r + 1 < rows.start.size(); ++r) {
    Row row{rows.start[r], rows.start[r + 1] - rows.start[r], rows.edge[r], static_cast<int>(tiles_.size()),
            0};
    const int* columns = rows.column.data() + row.entry;
    if (row.count > kMostColumns) row.edge = 1;
    if (!add_tiles(columns, row.count, row.edge, pattern, place)) {
      row.edge = 1;
      tiles_.resize(static_cast<std::size_t>(row.tile));
      add_tiles(columns, row.count, 1, pattern, place);
    }
    row.tiles = static_cast<int>(tiles_.size()) - row.tile;
    rows_.push_back(row);
  }
}

bool RowTiles::add_tiles(const int* columns, int count, int edge, const Pattern& pattern,
                         const std::vector<int>& place) {
  const auto where = [&](int a, int b) {
    return place[static_cast<std::size_t>(pattern.find(columns[a], columns[b]))];
  };
  // Entries (a + k, b + l), the lower ones of a tile on the diagonal.
  const auto fits = [&](const Tile& tile) {
    for (int l = 0; l < edge; ++l)
      for (int k = tile.row == tile.column ? l : 0; k < edge; ++k)
        if (where(tile.row + k, tile.column + l) != tile.start + l * tile.stride + k) return false;
    return true;
  };
  for (int a = 0; a < count; a += edge)
    for (int b = 0; b <= a; b += edge) {
      const int start = where(a, b), last = edge - 1;
      const auto stride = [&](int end) { return last > 0 ? (end - start - (a == b ? last : 0)) / last : 0; };
      // Which of both are the rows of the tile depends on the order of elimination.
      const Tile straight{start, stride(a == b ? where(a + last, b + last) : where(a, b + last)), b, a},
          turned{start, stride(where(a + last, b)), a, b};
      if (fits(straight))
        tiles_.push_back(straight);
      else if (a != b && fits(turned))
        tiles_.push_back(turned);
      else
        return false;
    }
  return true;
}

template <int K>
void RowTiles::add_row(const Row& row, const double* g, double weight, double* storage) const {
  const Tile* tile = tiles_.data() + row.tile;
  const Tile* end = tile + row.tiles;
  if constexpr (K == 1) {
    for (; tile != end; ++tile) storage[tile->start] += weight * g[tile->column] * g[tile->row];
  } else {
    std::array<double, kMostColumns> wg;
    for (int k = 0; k < row.count; k += K) {
      store_pair(wg.data() + k, twice(weight) * load_pair(g + k));
      if constexpr (K == 3) wg[static_cast<std::size_t>(k) + 2] = weight * g[k + 2];
    }
    for (; tile != end; ++tile) {
      const double* by = wg.data() + tile->column;
      const double* of = g + tile->row;
      const Pair first = load_pair(of);
      double* to = storage + tile->start;
      for (int l = 0; l < K; ++l, to += tile->stride) {
        store_pair(to, load_pair(to) + twice(by[l]) * first);
        if constexpr (K == 3) to[2] += by[l] * of[2];
      }
    }
  }
}

void RowTiles::add(std::span<const double> g, std::span<const double> weight, double* storage) const {
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (weight[r] == 0) continue;
    const Row& row = rows_[r];
    with_edge(row.edge, [&](auto k) { add_row<k>(row, g.data() + row.entry, weight[r], storage); });
  }
}

}  // namespace trammel
