// Lanes: the same number of one row, or of two rows of a shape side by side. What is done with two rows at
// once gives the bits that each would give alone.
#pragma once

#include <array>
#include <type_traits>
#include <vector>

#include "math/packed.h"

namespace trammel::math {

template <int L>
using Lanes = std::conditional_t<L == 1, double, Pair>;

// f(lane)
template <int L, class F>
inline Lanes<L> each(F&& f) {
  if constexpr (L == 1)
    return f(0);
  else
    return Pair{f(0), f(1)};
}
// of[index of each lane]
template <int L, class Index>
inline Lanes<L> gather(const double* of, const Index& index) {
  return each<L>([&](int l) { return of[index(l)]; });
}
template <int L, class Index>
inline void scatter(double* to, const Index& index, Lanes<L> x) {
  if constexpr (L == 1) {
    to[index(0)] = x;
  } else {
    to[index(0)] = x[0];
    to[index(1)] = x[1];
  }
}
inline double lane(double x, int) { return x; }
inline double lane(Pair x, int l) { return x[l]; }

// The sum of each lane's coordinates.
inline double sums(const Packed<2> (&x)[1]) { return x[0].sum(); }
inline double sums(const Packed<3> (&x)[1]) { return x[0].sum(); }
inline Pair sums(const Packed<2> (&x)[2]) {
  return Pair{x[0].xy[0], x[1].xy[0]} + Pair{x[0].xy[1], x[1].xy[1]};
}
inline Pair sums(const Packed<3> (&x)[2]) {
  return Pair{x[0].xy[0], x[1].xy[0]} + Pair{x[0].xy[1], x[1].xy[1]} + Pair{x[0].z, x[1].z};
}

// A list that is gone through two at a time: visit(items, lanes) with two neighbours, then with the odd one.
template <class T>
class Twos {
 public:
  using Item = T;

  void push_back(const T& item) {
    if (has_odd_)
      twos_.push_back({odd_, item});
    else
      odd_ = item;
    has_odd_ = !has_odd_;
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& two : twos_) visit(two.data(), std::integral_constant<int, 2>{});
    if (has_odd_) visit(&odd_, std::integral_constant<int, 1>{});
  }

 private:
  std::vector<std::array<T, 2>> twos_;
  T odd_{};
  bool has_odd_ = false;
};

}  // namespace trammel::math
