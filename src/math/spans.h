// Loops over lists of numbers, two at a time: what a step does with its few coordinates and rows is mostly
// the loop, and the compiler, which must think of lists that overlap, writes more of it.
#pragma once

#include <cmath>
#include <span>

#include "math/pair.h"

namespace trammel {

// f(k, width) for k = 0, 2, 4, …, and for an odd one at the end; the width is a Pair or a double to load as.
template <class F>
[[gnu::always_inline]] inline void by_pairs(std::size_t count, F&& f) {
  std::size_t k = 0;
  for (; k + 2 <= count; k += 2) f(k, Pair{});
  if (k < count) f(k, 0.0);
}

template <class Width>
inline Width load(const double* p) {
  Width x;
  std::memcpy(&x, p, sizeof x);
  return x;
}
template <class Width>
inline void store(double* p, Width x) {
  std::memcpy(p, &x, sizeof x);
}
template <class Width>
inline Width spread(double x) {
  if constexpr (sizeof(Width) == sizeof x)
    return x;
  else
    return twice(x);
}

// y += f x
inline void add_scaled(std::span<double> y, double f, const double* x) {
  by_pairs(y.size(), [f, x, y = y.data()](std::size_t k, auto width) {
    using W = decltype(width);
    store<W>(y + k, load<W>(y + k) + spread<W>(f) * load<W>(x + k));
  });
}

// y = f x
inline void set_scaled(std::span<double> y, double f, const double* x) {
  by_pairs(y.size(), [f, x, y = y.data()](std::size_t k, auto width) {
    using W = decltype(width);
    store<W>(y + k, spread<W>(f) * load<W>(x + k));
  });
}

// y += x z, one by one
inline void add_products(std::span<double> y, const double* x, const double* z) {
  by_pairs(y.size(), [x, z, y = y.data()](std::size_t k, auto width) {
    using W = decltype(width);
    store<W>(y + k, load<W>(y + k) + load<W>(x + k) * load<W>(z + k));
  });
}

// False for NaN and ±infinity alike.
inline bool all_finite(std::span<const double> numbers) {
  // x − x is 0 for a finite x, NaN for all others.
  Pair sum{};
  std::size_t k = 0;
  for (; k + 2 <= numbers.size(); k += 2) {
    const Pair x = load_pair(numbers.data() + k);
    sum += x - x;
  }
  if (k < numbers.size()) sum[0] += numbers[k] - numbers[k];
  return sum_of(sum) == 0;
}

// max |x_i|; NaN counts as infinite.
inline double largest(std::span<const double> x) {
  Pair most{}, sum{};
  std::size_t k = 0;
  for (; k + 2 <= x.size(); k += 2) {
    const Pair y = load_pair(x.data() + k);
    most = larger_of(size_of(y), most);
    sum += y - y;
  }
  if (k < x.size()) {
    most = larger_of(size_of(twice(x[k])), most);
    sum += twice(x[k] - x[k]);
  }
  if (std::isnan(sum_of(sum))) return INFINITY;
  return most[0] > most[1] ? most[0] : most[1];
}

// max |x_i| w_i for w ≥ 0, at least zero; NaN counts as infinite.
inline double largest(std::span<const double> x, std::span<const double> weight) {
  Pair most{}, sum{};
  std::size_t k = 0;
  const auto see = [&](Pair y) {
    most = larger_of(size_of(y), most);
    sum += y - y;
  };
  for (; k + 2 <= x.size(); k += 2) see(load_pair(x.data() + k) * load_pair(weight.data() + k));
  if (k < x.size()) see(twice(x[k] * weight[k]));
  if (std::isnan(sum_of(sum))) return INFINITY;
  return most[0] > most[1] ? most[0] : most[1];
}

}  // namespace trammel
