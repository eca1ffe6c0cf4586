// unroll<N>(f): f(0), f(1), … f(N − 1) written out, each argument a compile-time constant. Loops over a
// handful of numbers then stay in registers, whatever the compiler thinks of them.
#pragma once

#include <type_traits>
#include <utility>

namespace trammel::math {

template <int N, class F>
[[gnu::always_inline]] inline void unroll(F&& f) {
  [&]<int... kIndex>(std::integer_sequence<int, kIndex...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, kIndex>{}), ...);
  }
  (std::make_integer_sequence<int, N>{});
}

}  // namespace trammel::math
