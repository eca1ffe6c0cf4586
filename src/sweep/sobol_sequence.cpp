#include "sweep/sobol_sequence.h"

#include <algorithm>
#include <bit>

#include "sweep/counter_random.h"

namespace trammel::sweep {
namespace {

using Directions = SobolSequence::Directions;
constexpr int kBits = SobolSequence::kBits;
constexpr int kCandidates = 40;                // sets of first numbers that are tried for a dimension
constexpr int kNeighbours = 30;                // earlier dimensions whose planes with it are looked at
constexpr int kNetBits[] = {4, 6, 8, 10, 12};  // sizes of point sets by which planes are judged
// Of the choice, which is the same for every seed of a sweep.
constexpr std::uint64_t kChoiceSeed = 1967;

// Product of polynomials over GF(2) modulo p of degree d.
std::uint32_t multiply(std::uint32_t a, std::uint32_t b, std::uint32_t p, int d) {
  std::uint32_t product = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1U) != 0) product ^= a;
    a <<= 1;
    if ((a >> d & 1U) != 0) a ^= p;
  }
  return product;
}

std::uint32_t power_of_x(std::uint64_t exponent, std::uint32_t p, int d) {
  std::uint32_t result = 1, factor = d == 1 ? 1 : 2;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1U) != 0) result = multiply(result, factor, p, d);
    factor = multiply(factor, factor, p, d);
  }
  return result;
}

// x generates all 2^d − 1 elements that are not zero: x^(2^d−1) = 1, and no x^((2^d−1)/q) for a prime q.
bool is_primitive(std::uint32_t p, int d) {
  if (d == 1) return true;
  const std::uint64_t order = (std::uint64_t{1} << d) - 1;
  if (power_of_x(order, p, d) != 1) return false;
  std::uint64_t rest = order;
  for (std::uint64_t q = 2; rest > 1; ++q) {
    if (q * q > rest) q = rest;
    if (rest % q != 0) continue;
    if (power_of_x(order / q, p, d) == 1) return false;
    while (rest % q == 0) rest /= q;
  }
  return true;
}

Directions van_der_corput() {
  Directions v{};
  for (int i = 0; i < kBits; ++i) v[static_cast<std::size_t>(i)] = std::uint64_t{1} << (kBits - 1 - i);
  return v;
}

// The first numbers of a candidate, then the recurrence.
Directions directions_of(std::uint32_t polynomial, std::uint32_t dimension, int candidate) {
  const auto d = static_cast<int>(std::bit_width(polynomial)) - 1;
  std::array<std::uint64_t, kBits> m{};
  for (int i = 0; i < kBits; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (i < d) {
      const std::uint64_t index = static_cast<std::uint64_t>(candidate) * kBits + at;
      m[at] = (random_bits(kChoiceSeed, Stream::direction, index, dimension) &
               ((std::uint64_t{1} << (i + 1)) - 1)) |
              1U;
      continue;
    }
    const auto before = static_cast<std::size_t>(i - d);
    m[at] = m[before] ^ (m[before] << d);
    for (int k = 1; k < d; ++k)
      if ((polynomial >> (d - k) & 1U) != 0) m[at] ^= m[at - static_cast<std::size_t>(k)] << k;
  }
  Directions v{};
  for (int i = 0; i < kBits; ++i)
    v[static_cast<std::size_t>(i)] = m[static_cast<std::size_t>(i)] << (kBits - 1 - i);
  return v;
}

// Sum of squares of t over the planes with earlier dimensions: the smaller, the better.
long badness(const Directions& candidate, const std::vector<Directions>& before) {
  long sum = 0;
  const std::size_t first = before.size() > kNeighbours ? before.size() - kNeighbours : 0;
  for (std::size_t k = first; k < before.size(); ++k)
    for (const int m : kNetBits) {
      const long t = t_value(before[k], candidate, m);
      sum += t * t;
    }
  return sum;
}

// First digits of the first n direction numbers of n dimensions, as a matrix over GF(2), have full rank.
bool has_property_a(const std::vector<Directions>& before, const Directions& last) {
  const std::size_t n = before.size() + 1;
  if (n > kBits) return true;
  std::vector<std::uint64_t> rows;
  for (std::size_t j = 0; j < n; ++j) {
    const Directions& v = j < before.size() ? before[j] : last;
    std::uint64_t row = 0;
    for (std::size_t i = 0; i < n; ++i) row |= (v[i] >> (kBits - 1) & 1U) << i;
    for (const std::uint64_t other : rows) row = std::min(row, row ^ other);
    if (row == 0) return false;
    rows.push_back(row);
  }
  return true;
}

Directions best_directions(std::uint32_t polynomial, const std::vector<Directions>& before) {
  Directions best{};
  long least = -1;
  bool best_has_a = false;
  for (int candidate = 0; candidate < kCandidates; ++candidate) {
    const Directions v = directions_of(polynomial, static_cast<std::uint32_t>(before.size()), candidate);
    const bool has_a = has_property_a(before, v);
    if (best_has_a && !has_a) continue;
    const long bad = badness(v, before);
    if (least >= 0 && has_a == best_has_a && bad >= least) continue;
    best = v, least = bad, best_has_a = has_a;
  }
  return best;
}

}  // namespace

std::vector<std::uint32_t> primitive_polynomials(std::size_t count) {
  std::vector<std::uint32_t> found;
  for (int d = 1; found.size() < count; ++d)
    for (std::uint32_t p = (1U << d) | 1U; p < (2U << d) && found.size() < count; p += 2)
      if (is_primitive(p, d)) found.push_back(p);
  return found;
}

int t_value(const Directions& a, const Directions& b, int m) {
  // Digit r of the first 2^m points is a row of m bits; k of them, the first ones of a and of b, must be
  // independent for every division of k.
  const auto row = [m](const Directions& v, int digit) {
    std::uint64_t bits = 0;
    for (int i = 0; i < m; ++i) bits |= (v[static_cast<std::size_t>(i)] >> (kBits - 1 - digit) & 1U) << i;
    return bits;
  };
  for (int k = m; k > 0; --k) {
    bool independent = true;
    for (int of_a = 0; of_a <= k && independent; ++of_a) {
      std::array<std::uint64_t, kBits> basis{};
      for (int r = 0; r < k && independent; ++r) {
        std::uint64_t bits = r < of_a ? row(a, r) : row(b, r - of_a);
        while (bits != 0 && basis[static_cast<std::size_t>(std::bit_width(bits) - 1)] != 0)
          bits ^= basis[static_cast<std::size_t>(std::bit_width(bits) - 1)];
        if (bits == 0)
          independent = false;
        else
          basis[static_cast<std::size_t>(std::bit_width(bits) - 1)] = bits;
      }
    }
    if (independent) return m - k;
  }
  return m;
}

SobolSequence::SobolSequence(int dimensions, std::uint64_t seed) {
  const auto count = static_cast<std::size_t>(dimensions);
  const std::vector<std::uint32_t> polynomials = primitive_polynomials(count > 1 ? count - 1 : 0);
  directions_.push_back(van_der_corput());
  for (std::size_t j = 1; j < count; ++j)
    directions_.push_back(best_directions(polynomials[j - 1], directions_));
  for (std::size_t j = 0; j < count; ++j)
    shifts_.push_back(random_bits(seed, Stream::shift, 0, static_cast<std::uint32_t>(j)) >> (64 - kBits));
}

double SobolSequence::at(std::uint64_t index, int dimension) const {
  const auto j = static_cast<std::size_t>(dimension);
  std::uint64_t bits = shifts_[j];
  for (std::size_t i = 0; index != 0; ++i, index >>= 1)
    if ((index & 1U) != 0) bits ^= directions_[j][i];
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

}  // namespace trammel::sweep
