// f(0), f(1), … f(N−1) with numbers that the compiler knows: a loop as one would write it out by hand.
#pragma once

#include <type_traits>
#include <utility>

namespace trammel::bench {

template <int N, class F>
inline __attribute__((always_inline)) void written_out(F&& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, I>{}), ...);
  }
  (std::make_integer_sequence<int, N>{});
}

}  // namespace trammel::bench
