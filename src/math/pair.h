// Pair: two numbers side by side in one register of any machine. Each half gives the bits that it would give
// alone.
#pragma once

#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace trammel::math {

using Pair = double __attribute__((vector_size(16)));

inline Pair load_pair(const double* p) {
  Pair x;
  std::memcpy(&x, p, sizeof x);
  return x;
}
inline void store_pair(double* p, Pair x) { std::memcpy(p, &x, sizeof x); }
inline Pair twice(double x) { return Pair{x, x}; }
inline double sum_of(Pair x) { return x[0] + x[1]; }
inline Pair size_of(Pair x) {
  using Bits = long long __attribute__((vector_size(16)));
  constexpr long long kAllButSign = 0x7fffffffffffffff;
  return reinterpret_cast<Pair>(reinterpret_cast<Bits>(x) & Bits{kAllButSign, kAllButSign});
}
inline Pair larger_of(Pair x, Pair y) {
#ifdef __SSE2__
  return _mm_max_pd(x, y);
#else
  return x > y ? x : y;
#endif
}

}  // namespace trammel::math
