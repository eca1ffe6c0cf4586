// RowShapes: rows of Φ_v sorted by shape, so that what a step does with all of them are loops of fixed size.
//
// A shape (K, B): B groups of K neighbouring columns, the coordinates of B points or vectors. Row<K, B> is
// what is kept of such a row.
#pragma once

#include <tuple>
#include <vector>

namespace trammel {

template <template <int, int> class Row>
class RowShapes {
 public:
  // Sorts in a row of B groups of K columns, as fill(row) makes it; false when there is no such shape, or
  // when fill() says so.
  template <class Fill>
  bool add(int edge, int groups, Fill&& fill) {
    bool added = false;
    const auto try_list = [&]<int K, int B>(std::vector<Row<K, B>>& list) {
      if (edge != K || groups != B) return;
      Row<K, B> row;
      added = fill(row);
      if (added) list.push_back(row);
    };
    const auto try_all = [&](auto&... list) { (try_list(list), ...); };
    std::apply(try_all, planar_);
    std::apply(try_all, spatial_);
    (edge == 2 ? has_planar_ : has_spatial_) |= added;
    return added;
  }

  // visit(row) for all rows, shape by shape.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const auto each = [&](const auto& list) {
      for (const auto& row : list) visit(row);
    };
    const auto all = [&](const auto&... list) { (each(list), ...); };
    if (has_planar_) std::apply(all, planar_);
    if (has_spatial_) std::apply(all, spatial_);
  }

 private:
  template <int K, int B>
  using List = std::vector<Row<K, B>>;

  std::tuple<List<2, 1>, List<2, 2>, List<2, 3>, List<2, 4>> planar_;
  std::tuple<List<3, 1>, List<3, 2>, List<3, 3>, List<3, 4>> spatial_;
  bool has_planar_ = false, has_spatial_ = false;
};

}  // namespace trammel
