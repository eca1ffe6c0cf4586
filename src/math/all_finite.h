// False for NaN and ±infinity alike.
#pragma once

#include <span>

#include "math/pair.h"

namespace trammel {

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

}  // namespace trammel
