// A random permutation of 0 … n−1 that needs no memory: a Feistel network of four rounds on the smallest
// even number of bits that holds n, repeated until the result is below n (cycle walking; Black & Rogaway,
// 2002).
#pragma once

#include <cstdint>

namespace trammel::sweep {

// Where `index` goes. `dimension` tells permutations of one seed apart.
std::uint64_t permuted(std::uint64_t index, std::uint64_t n, std::uint64_t seed, std::uint32_t dimension);

}  // namespace trammel::sweep
