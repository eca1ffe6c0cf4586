// Sobol' sequence (Sobol', 1967) with direction numbers computed here.
//
// Dimension 0 is van der Corput's. Dimension j > 0 has a primitive polynomial of degree d over GF(2),
//   x^d + a_1 x^(d−1) + … + a_(d−1) x + 1,  and  m_i = 2 a_1 m_(i−1) ⊕ … ⊕ 2^d m_(i−d) ⊕ m_(i−d).
// The first d numbers m_i, odd and below 2^i, are free. Of several drawn ones those are taken that leave the
// smallest t-values in the planes with earlier dimensions (as Joe & Kuo, 2008, do), among those with Sobol's
// property A where there are some. A random shift of the digits (Cranley & Patterson, 1976, in base 2) makes
// each point uniform, and another seed another sequence.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace trammel::sweep {

class SobolSequence {
 public:
  static constexpr int kBits = 52;         // of a coordinate
  static constexpr int kDimensions = 200;  // at most

  SobolSequence(int dimensions, std::uint64_t seed);

  // In the open interval (0, 1).
  double at(std::uint64_t index, int dimension) const;

  // Row i − 1 is the direction number of bit i of the index.
  using Directions = std::array<std::uint64_t, kBits>;
  const Directions& directions(int dimension) const {
    return directions_[static_cast<std::size_t>(dimension)];
  }

 private:
  std::vector<Directions> directions_;
  std::vector<std::uint64_t> shifts_;
};

// Primitive polynomials over GF(2), by degree and value; bit k is the coefficient of x^k.
std::vector<std::uint32_t> primitive_polynomials(std::size_t count);

// The least t such that the first 2^m points of two dimensions are a (t, m, 2)-net.
int t_value(const SobolSequence::Directions& a, const SobolSequence::Directions& b, int m);

}  // namespace trammel::sweep
