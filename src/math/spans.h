// Loops over lists of numbers, two at a time: what a step does with its few coordinates and rows is mostly
// the loop, and the compiler, which must think of lists that overlap, writes more of it.
#pragma once

#include <cmath>
#include <span>

#include "math/pair.h"

namespace trammel::math {

// f(k, width) for k = 0, 2, 4, …, and for an odd one at the end; the width is a Pair or a double to load as.
template <class F>
[[gnu::always_inline]] inline void by_pairs(std::size_t count, F&& f) {
  std::size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    f(k, Pair{});
    f(k + 2, Pair{});
  }
  if (count & 2) {
    f(k, Pair{});
    k += 2;
  }
  if (count & 1) f(k, 0.0);
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
// Two numbers, the second zero where there is but one.
inline Pair widened(double x) { return Pair{x, 0}; }
inline Pair widened(Pair x) { return x; }
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

// y = x
inline void copy(std::span<double> y, const double* x) {
  by_pairs(y.size(), [x, y = y.data()](std::size_t k, auto width) {
    using W = decltype(width);
    store<W>(y + k, load<W>(x + k));
  });
}

// y = 0
inline void set_zero(std::span<double> y) {
  by_pairs(y.size(), [y = y.data()](std::size_t k, auto width) { store(y + k, decltype(width){}); });
}

// False for NaN and ±infinity alike.
inline bool all_finite(std::span<const double> numbers) {
  // 0 x is 0 for a finite x, NaN for all others.
  Pair sum{};
  by_pairs(numbers.size(), [&sum, x = numbers.data()](std::size_t k, auto width) {
    sum += Pair{} * widened(load<decltype(width)>(x + k));
  });
  return sum_of(sum) == 0;
}

// The largest |x| of those seen, infinite where one is not a finite number: that is lost in comparisons, but
// not in a sum.
class Largest {
 public:
  template <class Width>
  void see(Width x) {
    const Pair size = size_of(widened(x));
    most_ = larger_of(most_, size);
    sum_ += size;
  }
  double value() const {
    if (!std::isfinite(sum_of(sum_))) return INFINITY;
    return most_[0] > most_[1] ? most_[0] : most_[1];
  }

 private:
  Pair most_{}, sum_{};
};

// max |x_i|
inline double largest(std::span<const double> x) {
  Largest all;
  by_pairs(x.size(),
           [&all, x = x.data()](std::size_t k, auto width) { all.see(load<decltype(width)>(x + k)); });
  return all.value();
}

// max |x_i| w_i for w ≥ 0
inline double largest(std::span<const double> x, std::span<const double> weight) {
  Largest all;
  by_pairs(x.size(), [&all, x = x.data(), w = weight.data()](std::size_t k, auto width) {
    using W = decltype(width);
    all.see(load<W>(x + k) * load<W>(w + k));
  });
  return all.value();
}

// x ← f x; the largest |x_i| w_i then
inline double scale(std::span<double> x, double f, std::span<const double> weight) {
  Largest all;
  by_pairs(x.size(), [&all, f, x = x.data(), w = weight.data()](std::size_t k, auto width) {
    using W = decltype(width);
    const W y = spread<W>(f) * load<W>(x + k);
    store<W>(x + k, y);
    all.see(y * load<W>(w + k));
  });
  return all.value();
}

}  // namespace trammel::math
