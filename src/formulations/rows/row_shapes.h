// RowShapes: rows of Φ_v sorted by shape, so that what a step does with all of them are loops of fixed size.
//
// A shape (K, B): B groups of K neighbouring columns, the coordinates of B points or vectors. Row<K, B> is
// what is kept of such a row.
#pragma once

#include <algorithm>
#include <tuple>

#include "math/lanes.h"
#include "math/unroll.h"

namespace trammel::formulations {

template <template <int, int> class Row>
class RowShapes {
 public:
  // Sorts in a row of B groups of K columns, as fill(row) makes it; false when there is no such shape, or
  // when fill() says so.
  template <class Fill>
  bool add(int edge, int groups, Fill&& fill) {
    bool added = false;
    const auto try_list = [&]<int K, int B>(List<K, B>& list) {
      if (edge != K || groups != B) return;
      Row<K, B> row;
      added = fill(row);
      if (added) list.push_back(row);
    };
    const auto try_all = [&](auto&... list) { (try_list(list), ...); };
    std::apply(try_all, planar_);
    std::apply(try_all, spatial_);
    int& most = edge == 2 ? planar_most_ : spatial_most_;
    if (added) most = std::max(most, groups);
    return added;
  }

  // visit(rows, lanes) for all rows, shape by shape: two rows at a time, then the odd one.
  template <class Visit>
  void for_each(Visit&& visit) const {
    // Shapes with more groups than any row has are not looked at.
    const auto all = [&](int most, const auto& lists) {
      math::unroll<4>([&](auto i) {
        if (i < most) std::get<i>(lists).for_each(visit);
      });
    };
    all(planar_most_, planar_);
    all(spatial_most_, spatial_);
  }

 private:
  template <int K, int B>
  using List = math::Twos<Row<K, B>>;

  std::tuple<List<2, 1>, List<2, 2>, List<2, 3>, List<2, 4>> planar_;
  std::tuple<List<3, 1>, List<3, 2>, List<3, 3>, List<3, 4>> spatial_;
  int planar_most_ = 0, spatial_most_ = 0;  // groups of a row
};

}  // namespace trammel::formulations
