#include "sweep/permutation.h"

#include <bit>

#include "sweep/counter_random.h"

namespace trammel::sweep {

std::uint64_t permuted(std::uint64_t index, std::uint64_t n, std::uint64_t seed, std::uint32_t dimension) {
  if (n < 2) return 0;
  const auto half = static_cast<int>((std::bit_width(n - 1) + 1) / 2);
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = index >> half, right = index & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t mixed = random_bits(seed, Stream::shuffle, right | (round << 60), dimension);
      const std::uint64_t next = left ^ (mixed & mask);
      left = right;
      right = next;
    }
    index = (left << half) | right;
  } while (index >= n);
  return index;
}

}  // namespace trammel::sweep
