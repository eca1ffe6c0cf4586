#include "expressions/function1.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace trammel::expressions::function1_test {
namespace {

const std::vector<double> kX{-1, 0, 0.5, 2, 3.5};
const std::vector<double> kY{2, -1, 0.25, 4, 1};

// A few roundings of numbers of order 10
constexpr double kRounding = 1e-13;

TEST(Function1, BothInterpolate) {
  for (const Function1& f : {Function1::table(kX, kY), Function1::spline(kX, kY)})
    for (std::size_t i = 0; i < kX.size(); ++i) EXPECT_NEAR(f.value(kX[i]), kY[i], kRounding);
}

TEST(Function1, TableIsPiecewiseLinear) {
  const Function1 f = Function1::table(kX, kY);
  EXPECT_NEAR(f.value(0.25), -0.375, kRounding);
  EXPECT_NEAR(f.first(0.25), 2.5, kRounding);
  EXPECT_NEAR(f.first(0), 2.5, kRounding);  // at a point: the segment to the right
  EXPECT_EQ(f.second(0.25), 0);
}

TEST(Function1, BothGoOnAlongTheEndSlope) {
  for (const Function1& f : {Function1::table(kX, kY), Function1::spline(kX, kY)}) {
    EXPECT_NEAR(f.value(-3), kY.front() - 2 * f.first(-1), kRounding);
    EXPECT_NEAR(f.value(5.5), kY.back() + 2 * f.first(3.5), kRounding);
    EXPECT_EQ(f.first(-3), f.first(-1));
    EXPECT_EQ(f.second(5.5), 0);
  }
  EXPECT_NEAR(Function1::table(kX, kY).first(9), -2, kRounding);
}

TEST(Function1, SplineIsNaturalAndC2) {
  const Function1 f = Function1::spline(kX, kY);
  EXPECT_NEAR(f.second(kX.front()), 0, kRounding);
  EXPECT_NEAR(f.second(kX.back()), 0, kRounding);
  // Jumps across 2e-9 stay below 2e-9 times the next derivative, which is below 100.
  const double h = 1e-9;
  for (const double x : kX) {
    EXPECT_NEAR(f.value(x - h), f.value(x + h), 2e-7);
    EXPECT_NEAR(f.first(x - h), f.first(x + h), 2e-7);
    EXPECT_NEAR(f.second(x - h), f.second(x + h), 2e-7);
  }
}

TEST(Function1, SplineDerivativesMatchDifferences) {
  const Function1 f = Function1::spline(kX, kY);
  // Within a cubic: error h^2 f'''/6 + eps/h, about 1e-9 with h = 1e-5.
  const double h = 1e-5;
  for (const double x : {-2.0, -0.7, 0.2, 1.1, 3.0, 4.0}) {
    EXPECT_NEAR(f.first(x), (f.value(x + h) - f.value(x - h)) / (2 * h), 1e-8);
    EXPECT_NEAR(f.second(x), (f.first(x + h) - f.first(x - h)) / (2 * h), 1e-8);
  }
}

TEST(Function1, LinearDataGiveTheLine) {
  for (const std::vector<double>& x : {std::vector<double>{0, 1}, {0, 1, 1.5, 4}}) {
    std::vector<double> y;
    y.reserve(x.size());
    for (const double xi : x) y.push_back(3 - 2 * xi);
    const Function1 f = Function1::spline(x, y);
    for (const double at : {-5.0, 0.0, 0.3, 1.2, 3.9, 10.0}) {
      EXPECT_NEAR(f.value(at), 3 - 2 * at, kRounding);
      EXPECT_NEAR(f.first(at), -2, kRounding);
      EXPECT_NEAR(f.second(at), 0, kRounding);
    }
  }
}

TEST(Function1, NaNStaysNaN) {
  EXPECT_TRUE(std::isnan(Function1::table(kX, kY).value(std::numeric_limits<double>::quiet_NaN())));
}

std::string complaint(const std::vector<double>& x, const std::vector<double>& y) {
  try {
    Function1::table(x, y);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Function1, BadDataAreRefusedWithTheRemedy) {
  EXPECT_EQ(complaint({0, 1}, {0}), "2 x values but 1 y values: give one y for each x");
  EXPECT_EQ(complaint({0}, {0}), "1 data points: give at least two");
  EXPECT_EQ(complaint({0, 2, 2}, {0, 1, 2}),
            "x must increase strictly, but x = 2 follows 2: sort the points and remove repeated ones");
  EXPECT_EQ(complaint({0, NAN}, {0, 1}), "data point 2 is (nan, 1): give finite numbers");
}

// A cubic is its own clamped spline, and a spline's error is of fourth order.
TEST(Function1, ClampedReproducesCubics) {
  const auto cubic = [](double x) { return 1 - 2 * x + 0.5 * x * x + 0.25 * x * x * x; };
  const auto slope = [](double x) { return -2 + x + 0.75 * x * x; };
  std::vector<double> y;
  for (const double x : kX) y.push_back(cubic(x));
  const Function1 f = Function1::clamped(kX, y, slope(kX.front()), slope(kX.back()));
  for (const double x : {-1.0, -0.6, 0.2, 0.5, 1.7, 3.4, 3.5}) {
    EXPECT_NEAR(f.value(x), cubic(x), 10 * kRounding);
    EXPECT_NEAR(f.first(x), slope(x), 10 * kRounding);
    EXPECT_NEAR(f.second(x), 1 + 1.5 * x, 100 * kRounding);
  }
  EXPECT_NEAR(f.value(4.5), cubic(3.5) + slope(3.5), 100 * kRounding);
}

// The largest error of the interpolated sine over a period.
double error_of_sine(std::size_t n) {
  const double kTurn = 2 * M_PI;
  std::vector<double> x, y;
  for (std::size_t i = 0; i <= n; ++i) {
    x.push_back(0.3 + kTurn * static_cast<double>(i) / static_cast<double>(n));
    y.push_back(i == n ? y.front() : std::sin(x.back()));
  }
  const Function1 f = Function1::periodic(x, y);
  double error = 0;
  for (double at = -20; at < 20; at += 0.0137) error = std::max(error, std::abs(f.value(at) - std::sin(at)));
  return error;
}

TEST(Function1, PeriodicRepeatsAndIsOfFourthOrder) {
  // h^4/384 of the fourth derivative, which is at most 1, and terms of sixth order: 4 % at n = 16.
  const double leading = std::pow(2 * M_PI / 16, 4) / 384;
  EXPECT_NEAR(error_of_sine(16), leading, 0.05 * leading);
  EXPECT_NEAR(error_of_sine(16) / error_of_sine(32), 16, 0.05 * 16);
  const Function1 f = Function1::periodic({1, 2, 2.5, 4}, {1, 3, -1, 1});
  EXPECT_EQ(f.period(), 3);
  for (const double x : {1.2, 2.2, 3.9}) {
    EXPECT_NEAR(f.value(x + 6), f.value(x), 100 * kRounding);
    EXPECT_NEAR(f.second(x - 3), f.second(x), 100 * kRounding);
  }
  const double h = 1e-9;
  for (const double x : {1.0, 4.0, -2.0}) {
    EXPECT_NEAR(f.first(x - h), f.first(x + h), 1e-6);
    EXPECT_NEAR(f.second(x - h), f.second(x + h), 1e-6);
  }
}

TEST(Function1, KnotsOfAPeriodicOneGoOn) {
  const Function1 f = Function1::periodic({1, 2, 2.5, 4}, {1, 3, -1, 1});
  double below = 0, above = 0;
  for (const auto& [x, low, high] :
       {std::array{0.5, -0.5, 1.0}, std::array{1.0, 1.0, 2.0}, std::array{3.9, 2.5, 4.0},
        std::array{4.0, 4.0, 5.0}, std::array{8.1, 8.0, 8.5}}) {
    f.knots_around(x, below, above);
    EXPECT_DOUBLE_EQ(below, low) << x;
    EXPECT_DOUBLE_EQ(above, high) << x;
  }
}

// Slopes of Fritsch and Butland by hand: h = 1, 2 and slopes 1, 4 give 9/(5/1 + 4/4) = 1.5 in the middle.
TEST(Function1, MonotoneHasNoExtremumBetweenPoints) {
  const Function1 by_hand = Function1::monotone({0, 1, 3}, {0, 1, 9});
  EXPECT_NEAR(by_hand.first(1), 1.5, kRounding);
  // ((2 h0 + h1) s0 - h0 s1)/(h0 + h1) = (4 - 4)/3 = 0 at the first end, (5*4 - 2*1)/3 = 6 at the last
  EXPECT_NEAR(by_hand.first(0), 0, kRounding);
  EXPECT_NEAR(by_hand.first(3), 6, kRounding);
  const std::vector<double> x{0, 1, 1.1, 3, 4, 5, 7}, y{0, 0.1, 5, 5.1, 5.1, 9, 8};
  const Function1 f = Function1::monotone(x, y), natural = Function1::spline(x, y);
  const auto overshoots = [&](const Function1& g) {
    for (std::size_t i = 0; i + 1 < x.size(); ++i)
      for (double b = 0; b <= 1; b += 0.01) {
        const double at = g.value(x[i] + b * (x[i + 1] - x[i]));
        if (at < std::min(y[i], y[i + 1]) - 1e-12 || at > std::max(y[i], y[i + 1]) + 1e-12) return true;
      }
    return false;
  };
  EXPECT_FALSE(overshoots(f));
  EXPECT_TRUE(overshoots(natural));
  const double h = 1e-6;
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(f.value(x[i]), y[i], kRounding);
    // second derivatives are below 1e4
    EXPECT_NEAR(f.first(x[i] - h), f.first(x[i] + h), 2e-2);
  }
  for (const double at : {0.3, 1.05, 2.0, 4.4, 6.0}) {
    EXPECT_NEAR(f.first(at), (f.value(at + h) - f.value(at - h)) / (2 * h), 1e-6);
    EXPECT_NEAR(f.second(at), (f.first(at + h) - f.first(at - h)) / (2 * h), 1e-4);
  }
}

TEST(Function1, BadPeriodsAndSlopesSayWhatIsWrong) {
  EXPECT_THROW(Function1::periodic({0, 1}, {1, 1}), std::invalid_argument);
  EXPECT_THROW(Function1::periodic({0, 1, 2}, {1, 2, 1.5}), std::invalid_argument);
  EXPECT_THROW(Function1::clamped({0, 1, 2}, {1, 2, 1.5}, NAN, 0), std::invalid_argument);
}

}  // namespace
}  // namespace trammel::expressions::function1_test
