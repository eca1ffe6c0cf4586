#include "formulations/rows/row_tiles.h"

#include <algorithm>

#include "math/packed.h"
#include "math/unroll.h"

namespace trammel::formulations {

class RowTiles::Places {
 public:
  Places(const system::RowPattern& rows, std::size_t r, const linalg::Pattern& pattern,
         const std::vector<int>& place)
      : entry(rows.start[r]),
        count(rows.start[r + 1] - entry),
        columns_(rows.column.data() + entry),
        pattern_(pattern),
        place_(place) {}

  int operator()(int i, int k) const {
    return place_[static_cast<std::size_t>(pattern_.find(columns_[i], columns_[k]))];
  }
  // One group's columns are eliminated before another's: entries with it stand in its own columns, neighbours
  // in neighbouring places.
  bool before(int a, int b) const { return (*this)(b + 1, a) == (*this)(b, a) + 1; }

  int entry, count;

 private:
  const int* columns_;
  const linalg::Pattern& pattern_;
  const std::vector<int>& place_;
};

// False where the tiles are not as the loops need them.
template <int K, int B>
bool RowTiles::fit(const Places& places, Row<K, B>& row) {
  for (int b = 0; b < B; ++b) row.group[static_cast<std::size_t>(b)] = K * b;
  std::sort(row.group.begin(), row.group.end(), [&](int a, int b) { return a != b && places.before(a, b); });
  std::size_t tile = 0;
  for (std::size_t b = 0; b < B; ++b) {
    const int own = row.group[b];
    row.stride[b] = places(own + K - 1, own + 1) - places(own + K - 1, own);
    for (std::size_t a = b; a < B; ++a) {
      const int start = row.start[tile++] = places(row.group[a], own);
      for (int l = 0; l < K; ++l)
        for (int k = a == b ? l : 0; k < K; ++k)
          if (places(row.group[a] + k, own + l) != start + l * row.stride[b] + k) return false;
    }
  }
  for (int& group : row.group) group += places.entry;
  return true;
}

RowTiles::RowTiles(const system::RowPattern& rows, const linalg::Pattern& pattern,
                   const std::vector<int>& place) {
  for (std::size_t r = 0; r + 1 < rows.start.size(); ++r) {
    const Places places(rows, r, pattern, place);
    const bool shaped =
        shaped_.add(rows.edge[r], places.count / rows.edge[r], [&]<int K, int B>(Row<K, B>& row) {
          row.row = static_cast<int>(r);
          return fit(places, row);
        });
    if (shaped) continue;
    loose_.push_back({static_cast<int>(r), static_cast<int>(entries_.size()), 0});
    for (int i = 0; i < places.count; ++i)
      for (int k = 0; k <= i; ++k) entries_.push_back({places(i, k), places.entry + k, places.entry + i});
    loose_.back().entries = static_cast<int>(entries_.size()) - loose_.back().entry;
  }
}

[[gnu::flatten]] void RowTiles::add(std::span<const double> g, std::span<const double> weight,
                                    double* storage) const {
  const auto add_one = [g = g.data(), weight = weight.data(), storage]<int K, int B>(const Row<K, B>& row) {
    const double w = weight[row.row];
    const int* start = row.start.data();
    math::Packed<K> all[B];
    math::unroll<B>([&](auto b) { all[b] = math::Packed<K>::load(g + row.group[b]); });
    math::unroll<B>([&](auto b) {
      const std::ptrdiff_t stride = row.stride[b];
      const math::Packed<K> wg = all[b] * w;
      math::unroll<B - b>([&](auto next) {
        double* to = storage + *start++;
        math::unroll<K>([&](auto l) { math::add_to(to + l * stride, all[b + next] * wg[l]); });
      });
    });
  };
  shaped_.for_each(
      [&](const auto* rows, auto lanes) { math::unroll<lanes>([&](auto l) { add_one(rows[l]); }); });
  for (const Loose& row : loose_) {
    const double w = weight[static_cast<std::size_t>(row.row)];
    if (w == 0) continue;
    const Entry* entry = entries_.data() + row.entry;
    for (const Entry* end = entry + row.entries; entry != end; ++entry)
      storage[entry->place] +=
          w * g[static_cast<std::size_t>(entry->column)] * g[static_cast<std::size_t>(entry->row)];
  }
}

}  // namespace trammel::formulations
