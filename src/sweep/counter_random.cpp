#include "sweep/counter_random.h"

namespace trammel::sweep {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kM0 = 0xD2511F53, kM1 = 0xCD9E8D57;
  constexpr std::uint32_t kW0 = 0x9E3779B9, kW1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = kM0 * counter[0], p1 = kM1 * counter[2];
    counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p0)};
    key = {key[0] + kW0, key[1] + kW1};
  }
  return counter;
}

std::uint64_t random_bits(std::uint64_t seed, Stream stream, std::uint64_t index, std::uint32_t dimension) {
  const auto words = philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                             dimension, static_cast<std::uint32_t>(stream)},
                            {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return (static_cast<std::uint64_t>(words[1]) << 32) | words[0];
}

double unit_number(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

}  // namespace trammel::sweep
