// Questions about many numbers at once.
#pragma once

#include <cmath>
#include <span>

#include "math/pair.h"

namespace trammel {

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

// max |x_i| w_i for w ≥ 0, at least zero; NaN counts as infinite.
inline double largest(std::span<const double> x, std::span<const double> weight) {
  Pair most{}, least{}, sum{};
  std::size_t k = 0;
  const auto see = [&](Pair y) {
    most = y > most ? y : most;
    least = y < least ? y : least;
    sum += y - y;
  };
  for (; k + 2 <= x.size(); k += 2) see(load_pair(x.data() + k) * load_pair(weight.data() + k));
  if (k < x.size()) see(twice(x[k] * weight[k]));
  if (std::isnan(sum_of(sum))) return INFINITY;
  const Pair size = most > -least ? most : -least;
  return size[0] > size[1] ? size[0] : size[1];
}

}  // namespace trammel
