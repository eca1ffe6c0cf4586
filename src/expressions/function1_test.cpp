#include "expressions/function1.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace trammel::expressions::function1_test
