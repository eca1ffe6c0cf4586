// Random numbers by counter: Philox4x32-10 (Salmon, Moraes, Dror & Shaw, 2011, "Parallel random numbers: as
// easy as 1, 2, 3"). Number k of a stream needs no number before it, so that run k is the same on any thread,
// process and machine.
#pragma once

#include <array>
#include <cstdint>

namespace trammel::sweep {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

// What a stream is for: streams of different purposes have no numbers in common.
enum class Stream : std::uint32_t { sample, stratum, shuffle, shift, direction, bootstrap, noise };

// 64 random bits.
std::uint64_t random_bits(std::uint64_t seed, Stream stream, std::uint64_t index, std::uint32_t dimension);

// Uniform in the open interval (0, 1): the middle of one of 2^52 equal parts, which a double holds exactly.
double unit_number(std::uint64_t bits);

}  // namespace trammel::sweep
