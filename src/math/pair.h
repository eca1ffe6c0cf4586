// Pair: two numbers side by side in one register of any machine. Each half gives the bits that it would give
// alone.
#pragma once

#include <cstring>

namespace trammel {

using Pair = double __attribute__((vector_size(16)));

inline Pair load_pair(const double* p) {
  Pair x;
  std::memcpy(&x, p, sizeof x);
  return x;
}
inline void store_pair(double* p, Pair x) { std::memcpy(p, &x, sizeof x); }
inline Pair twice(double x) { return Pair{x, x}; }
inline double sum_of(Pair x) { return x[0] + x[1]; }

}  // namespace trammel
