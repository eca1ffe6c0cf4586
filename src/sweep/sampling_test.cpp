// Random numbers by counter, permutations, Sobol' sequences and distributions.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "sweep/counter_random.h"
#include "sweep/distribution.h"
#include "sweep/permutation.h"
#include "sweep/sobol_sequence.h"

namespace trammel::sweep::sampling_test {
namespace {

// The authors' known answers (Random123, kat_vectors: philox4x32 of 10 rounds).
TEST(CounterRandom, HasTheKnownAnswersOfItsAuthors) {
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t f = 0xffffffff;
  EXPECT_EQ(philox({f, f, f, f}, {f, f}), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(CounterRandom, IsNeverZeroNorOne) {
  EXPECT_GT(unit_number(0), 0);
  EXPECT_LT(unit_number(~std::uint64_t{0}), 1);
}

TEST(Permutation, HasEveryNumberOnce) {
  for (const std::uint64_t n : {1, 2, 3, 7, 64, 1000, 4097}) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t k = 0; k < n; ++k) seen.insert(permuted(k, n, 5, 2));
    EXPECT_EQ(seen.size(), n);
    EXPECT_EQ(*seen.rbegin(), n - 1);
  }
}

TEST(Permutation, DiffersBySeedAndDimension) {
  const auto list = [](std::uint64_t seed, std::uint32_t dimension) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t k = 0; k < 50; ++k) all.push_back(permuted(k, 50, seed, dimension));
    return all;
  };
  EXPECT_NE(list(1, 0), list(2, 0));
  EXPECT_NE(list(1, 0), list(1, 1));
}

// There are φ(2^d − 1)/d primitive polynomials of degree d.
TEST(Sobol, FindsAsManyPrimitivePolynomialsAsThereAre) {
  const std::vector<int> expected = {1, 1, 2, 2, 6, 6, 18, 16, 48};
  int all = 0;
  for (const int count : expected) all += count;
  const auto found = primitive_polynomials(static_cast<std::size_t>(all));
  std::vector<int> counted(expected.size());
  for (const std::uint32_t p : found) ++counted[static_cast<std::size_t>(std::bit_width(p)) - 2];
  EXPECT_EQ(counted, expected);
}

// The first 2^m points have one in each of 2^m equal parts of every axis, whatever the shift.
TEST(Sobol, IsStratifiedInEveryDimension) {
  const SobolSequence sobol(40, 7);
  for (int d = 0; d < 40; ++d) {
    std::set<int> parts;
    for (std::uint64_t k = 0; k < 256; ++k) parts.insert(static_cast<int>(sobol.at(k, d) * 256));
    EXPECT_EQ(parts.size(), 256U) << d;
  }
}

// A (t, m, 2)-net has 2^t points in every box of area 2^(t−m): the t of the direction numbers against
// counting.
TEST(Sobol, TValuesAgreeWithCounting) {
  const SobolSequence sobol(6, 1);
  const int m = 6;
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < a; ++b) {
      const int t = t_value(sobol.directions(a), sobol.directions(b), m);
      const auto is_net = [&](int tried) {
        for (int i = 0; i <= m - tried; ++i) {
          std::map<std::pair<int, int>, int> count;
          const int j = m - tried - i;
          for (std::uint64_t k = 0; k < (1U << m); ++k)
            ++count[{static_cast<int>(sobol.at(k, a) * (1 << i)),
                     static_cast<int>(sobol.at(k, b) * (1 << j))}];
          for (int x = 0; x < (1 << i); ++x)
            for (int y = 0; y < (1 << j); ++y)
              if (count[{x, y}] != (1 << tried)) return false;
        }
        return true;
      };
      EXPECT_TRUE(is_net(t)) << a << " " << b;
      EXPECT_TRUE(t == 0 || !is_net(t - 1)) << a << " " << b;
    }
}

// ∏(1 + (x − ½)/j) has the integral 1. Random points err by some 1/√n; these by far less.
TEST(Sobol, IntegratesBetterThanRandomPoints) {
  constexpr int kDimensions = 10;
  constexpr std::uint64_t kPoints = 4096;
  const SobolSequence sobol(kDimensions, 3);
  double ours = 0, random = 0;
  for (std::uint64_t k = 0; k < kPoints; ++k) {
    double a = 1, b = 1;
    for (int d = 0; d < kDimensions; ++d) {
      a *= 1 + (sobol.at(k, d) - 0.5) / (d + 1);
      b *=
          1 + (unit_number(random_bits(3, Stream::sample, k, static_cast<std::uint32_t>(d))) - 0.5) / (d + 1);
    }
    ours += a / kPoints, random += b / kPoints;
  }
  EXPECT_LT(std::abs(ours - 1), 3e-4);  // 4096 random points: 0.006 is one deviation
  EXPECT_GT(std::abs(random - 1), std::abs(ours - 1));
}

TEST(Distribution, NormalQuantileInvertsTheErrorFunction) {
  for (const double u : {1e-300, 1e-20, 1e-6, 0.02, 0.074, 0.3, 0.5, 0.7, 0.93, 0.99}) {
    const double x = normal_quantile(u);
    // Rounding of x alone changes the probability by about |x| ε φ(x)/Φ(x) ≈ x² ε.
    EXPECT_NEAR(normal_probability(x) / u, 1, 1e-15 * (4 + x * x)) << u;
    if (u > 1e-6) {
      EXPECT_NEAR(normal_quantile(1 - u), -x, 1e-9 * (1 + std::abs(x)));
    }
  }
}

// Means and variances by the midpoint rule over u, against closed forms.
TEST(Distribution, HasTheMomentsOfItsName) {
  struct Case {
    const char* text;
    double mean, variance;
  };
  const double pi = 3.14159265358979;
  for (const Case& one :
       {Case{"uniform(2, 5)", 3.5, 0.75}, Case{"normal(1, 0.1)", 1, 0.01},
        Case{"triangular(0, 1, 4)", 5.0 / 3, (16 + 1 - 4) / 18.0}, Case{"exponential(2)", 2, 4},
        Case{"lognormal(0, 0.5)", std::exp(0.125), (std::exp(0.25) - 1) * std::exp(0.25)},
        Case{"loguniform(1, 10)", 9 / std::log(10.0),
             99 / (2 * std::log(10.0)) - 81 / std::pow(std::log(10.0), 2)},
        Case{"weibull(1, 2)", std::sqrt(pi) / 2, 1 - pi / 4}, Case{"choice(1, 2, 6)", 3, 14.0 / 3},
        // Between ± one deviation: variance 1 − 2φ(1)/(2Φ(1) − 1).
        Case{"normal(0, 1, -1, 1)", 0, 0.291125}}) {
    const Distribution d = read_distribution(one.text, std::nullopt);
    constexpr int kParts = 300000;  // choice() jumps at thirds
    double sum = 0, squares = 0;
    for (int k = 0; k < kParts; ++k) {
      const double x = d.quantile((k + 0.5) / kParts);
      sum += x / kParts, squares += x * x / kParts;
    }
    EXPECT_NEAR(sum, one.mean, 1e-4 * (1 + std::abs(one.mean))) << one.text;
    EXPECT_NEAR(squares - sum * sum, one.variance, 1e-3 * (1 + one.variance)) << one.text;
  }
}

std::string error_of(const std::string& text, const std::optional<expressions::Dimension>& unit = {}) {
  try {
    read_distribution(text, unit);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Distribution, MistakesAreNamedWithTheirRemedy) {
  EXPECT_EQ(error_of("nomal(1, 2)").find("there is no distribution 'nomal'; did you mean 'normal'?"), 0U);
  EXPECT_EQ(
      error_of("normal(1)"),
      "'normal(1)' has 1 arguments; write normal(mean, deviation) or normal(mean, deviation, low, high)");
  EXPECT_NE(error_of("normal(1, -1)").find("the deviation must be positive"), std::string::npos);
  EXPECT_NE(error_of("uniform(2, 1)").find("low must be below high"), std::string::npos);
  EXPECT_NE(error_of("normal(0, 1, 50, 60)").find("too far from the mean"), std::string::npos);
  EXPECT_NE(error_of("triangular(0, 5, 4)").find("low ≤ mode ≤ high"), std::string::npos);
  EXPECT_NE(error_of("uniform(a, 2)").find("'a' is not a number"), std::string::npos);
  EXPECT_NE(error_of("uniform").find("lacks its parentheses"), std::string::npos);
  const expressions::Dimension length{1, 0, 0, 0};
  EXPECT_EQ(error_of("normal(3 kg, 1 kg)", length),
            "'3 kg' is in kg, but the model has this parameter in m; give it in that unit");
  EXPECT_EQ(error_of("normal(30 mm, 1 mm)", length), "");
}

}  // namespace
}  // namespace trammel::sweep::sampling_test
