// Derivatives of every operator and function against central differences; special points exactly.
#include "expressions/expression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "expressions/builtins.h"

namespace trammel::expressions::expression_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Symbols symbols_xyz() {
  Symbols symbols;
  for (const char* name : {"unused", "x", "y", "z"}) symbols.variable(name);
  symbols.function("table", Function1::table({-1, 0.1, 2}, {1, 3, -1}));
  symbols.function("spline", Function1::spline({-1, 0, 0.5, 2}, {1, 3, -1, 2}));
  return symbols;
}

// An expression with its own scratch.
struct Probe {
  explicit Probe(const std::string& text) : f(std::get<Expression>(Expression::parse(text, symbols_xyz()))) {
    n = f.slots().size();
    g.resize(n);
    h.resize(n * n);
    scratch.assign(static_cast<std::size_t>(f.scratch_size()), NAN);
  }
  double value(const std::vector<double>& x) { return f.value(x, scratch); }
  const std::vector<double>& gradient(const std::vector<double>& x) {
    f.gradient(x, g, scratch);
    return g;
  }
  const std::vector<double>& hessian(const std::vector<double>& x) {
    f.hessian(x, g, h, scratch);
    return h;
  }
  Expression::Taylor taylor(const std::vector<double>& x) { return f.taylor(x, 1, scratch); }

  Expression f;
  std::size_t n;
  std::vector<double> g, h, scratch;
};

// Central differences with h = 1e-5 err by h^2 f'''/6 ~ 2e-11 f''' and by eps f/h ~ 2e-11 f. The functions
// below have third derivatives up to some 100 times their size here: 1e-7 leaves a margin and still fails on
// any wrong term.
constexpr double kStep = 1e-5;
double tolerance(double a, double b) { return 1e-7 * (1 + std::max(std::abs(a), std::abs(b))); }

void expect_close(double exact, double difference) {
  EXPECT_NEAR(exact, difference, tolerance(exact, difference));
}

void check_derivatives(const std::string& text, const std::vector<double>& x) {
  SCOPED_TRACE(testing::Message() << text << " at " << testing::PrintToString(x));
  Probe probe(text);
  const double f = probe.value(x);
  ASSERT_TRUE(std::isfinite(f));
  const std::vector<double> g = probe.gradient(x), h = probe.hessian(x);
  EXPECT_EQ(probe.f.gradient(x, probe.g, probe.scratch), f);
  EXPECT_EQ(probe.f.hessian(x, probe.g, probe.h, probe.scratch), f);
  EXPECT_EQ(probe.g, g);
  for (std::size_t k = 0; k < probe.n; ++k) {
    const int slot = probe.f.slots()[k];
    std::vector<double> above = x, below = x;
    above[static_cast<std::size_t>(slot)] += kStep;
    below[static_cast<std::size_t>(slot)] -= kStep;
    expect_close(g[k], (probe.value(above) - probe.value(below)) / (2 * kStep));
    const std::vector<double> g_above = probe.gradient(above), g_below = probe.gradient(below);
    for (std::size_t j = 0; j < probe.n; ++j) {
      expect_close(h[k * probe.n + j], (g_above[j] - g_below[j]) / (2 * kStep));
      EXPECT_EQ(h[k * probe.n + j], h[j * probe.n + k]);
    }
    const Expression::Taylor taylor = probe.f.taylor(x, slot, probe.scratch);
    EXPECT_EQ(taylor.f, f);
    // The same numbers by another order of summation
    EXPECT_NEAR(taylor.fd, g[k], 1e-12 * (1 + std::abs(g[k])));
    EXPECT_NEAR(taylor.fdd, h[k * probe.n + k], 1e-12 * (1 + std::abs(h[k * probe.n + k])));
  }
}

// Away from kinks at all of kPoints.
const std::vector<std::string> kCases = {"x + y",
                                         "x - y",
                                         "x*y",
                                         "x/y",
                                         "-x",
                                         "+x",
                                         "x*x",
                                         "x^2",
                                         "x^3",
                                         "x^-1",
                                         "x^-2",
                                         "(1 + x^2)^0.3",
                                         "(1 + x^2)^y",
                                         "2^x",
                                         "x**5",
                                         "x < y",
                                         "x <= y",
                                         "x > y",
                                         "x >= y",
                                         "x == y",
                                         "x != y",
                                         "x and y",
                                         "x or y",
                                         "not x",
                                         "sin(x*y)",
                                         "cos(x + y^2)",
                                         "tan(x/2)",
                                         "asin(x/3)",
                                         "acos(x*y/10)",
                                         "atan(x*y)",
                                         "atan2(x, y)",
                                         "atan2(sin(x), y*z)",
                                         "sinh(x)",
                                         "cosh(x*y)",
                                         "tanh(x - y)",
                                         "exp(x*y)",
                                         "log(x^2 + y)",
                                         "log10(3 + x)",
                                         "sqrt(x^2 + y^2 + z^2)",
                                         "abs(x)*y",
                                         "sign(x)*y",
                                         "min(x, y*y, z)",
                                         "max(x, y*y, z)",
                                         "hypot(x, y)",
                                         "hypot(x*z, y)",
                                         "floor(3*x)*y",
                                         "mod(x, y)",
                                         "mod(x^2, 0.4)",
                                         "if(x > y, x*y, x^3 + y)",
                                         "step(x, -2, 1, 3, y)",
                                         "step(x*y, 0, z, y + 4, 2)",
                                         "step(x, 3, 1, -2, 4)",
                                         "smooth_sign(x, y)",
                                         "clamp(x, -0.5, 0.9)",
                                         "clamp(x*x, y, z)",
                                         "table(x)",
                                         "spline(x)*y",
                                         "spline(x*y) + table(sin(x))",
                                         "sin(x)^2 + cos(x)^2",
                                         "exp(-x^2)*sin(3*y)/(1 + z^2)",
                                         "x*y*z",
                                         "(x - y)^3*(y - z)^4",
                                         "7",
                                         "y"};

// slots: unused, x, y, z
const std::vector<std::vector<double>> kPoints = {
    {NAN, 0.7, 1.3, 0.4}, {NAN, -0.8, 0.6, 1.7}, {NAN, 1.35, 0.55, -0.3}, {NAN, -1.7, 2.1, 0.9}};

TEST(ExpressionDerivatives, MatchDifferences) {
  for (const std::string& text : kCases)
    for (const std::vector<double>& x : kPoints) check_derivatives(text, x);
}

TEST(ExpressionDerivatives, TheBatteryHoldsEveryFunction) {
  for (const Builtin& builtin : builtins()) {
    const std::string call = std::string(builtin.name) + "(";
    EXPECT_TRUE(std::any_of(kCases.begin(), kCases.end(),
                            [&](const std::string& text) { return text.find(call) != text.npos; }))
        << builtin.name << " is not among the cases";
  }
}

TEST(ExpressionDerivatives, StepIsC2AtItsEnds) {
  Probe step("step(x, 0, 1, 2, 5)");
  for (const double x : {-1.0, 0.0, 2.0, 3.0}) {
    EXPECT_EQ(step.taylor({0, x}).fd, 0);
    EXPECT_EQ(step.taylor({0, x}).fdd, 0);
  }
  // The second derivative leaves zero with slope 60 (y1 - y0)/(x1 - x0)^3 = 30.
  EXPECT_NEAR(step.taylor({0, 1e-9}).fdd, 0, 1e-7);
  EXPECT_NEAR(step.taylor({0, 2 - 1e-9}).fdd, 0, 1e-7);
}

// Value and two derivatives of an expression of x at one point.
void expect_jet(const std::string& text, double x, double f, double fd, double fdd) {
  SCOPED_TRACE(testing::Message() << text << " at x = " << x);
  Probe probe(text);
  const std::vector<double> at{0, x, 0, 0};
  const Expression::Taylor taylor = probe.taylor(at);
  EXPECT_EQ(taylor.f, f);
  EXPECT_EQ(taylor.fd, fd);
  EXPECT_EQ(taylor.fdd, fdd);
  if (probe.n == 0) return;
  EXPECT_EQ(probe.gradient(at)[0], fd);
  EXPECT_EQ(probe.hessian(at)[0], fdd);
}

TEST(ExpressionDerivatives, PowersAtZeroAndBelow) {
  expect_jet("x^0", 0, 1, 0, 0);
  expect_jet("x^1", 0, 0, 1, 0);
  expect_jet("x^2", 0, 0, 0, 2);
  expect_jet("x^3", 0, 0, 0, 0);
  expect_jet("x^3", -2, -8, 12, -12);
  expect_jet("x^-2", -2, 0.25, 0.25, 0.375);
  expect_jet("x^1.5", 0, 0, 0, kInfinity);
  expect_jet("x^(2 + 0*y)", 0, 0, 0, 2);
  expect_jet("x^(1 + 0*y)", 0, 0, 1, 0);
  expect_jet("x^(0*y)", 0, 1, 0, 0);
  expect_jet("x^(3 + 0*y)", -2, -8, 12, -12);
  expect_jet("0^(1 + x)", 1, 0, 0, 0);
}

// 1e-20 − 1 is rounded to −1, and (−2)^−1 has a value.
TEST(ExpressionDerivatives, APowerWithoutAValueHasNone) {
  for (const char* text : {"x^1e-20", "x^(1e-20 + 0*y)"}) {
    Probe probe(text);
    const std::vector<double> at{0, -2, 0, 0};
    const Expression::Taylor taylor = probe.taylor(at);
    EXPECT_TRUE(std::isnan(taylor.f) && std::isnan(taylor.fd) && std::isnan(taylor.fdd)) << text;
    EXPECT_TRUE(std::isnan(probe.gradient(at)[0])) << text;
    EXPECT_TRUE(std::isnan(probe.hessian(at)[0])) << text;
  }
}

// exp(1000) overflows, and 0.5^∞ = 0 whatever stands for 0.5.
TEST(ExpressionDerivatives, AnExponentThatOverflows) {
  expect_jet("x^exp(1000 + y) + x", 0.5, 0.5, 1, 0);
  expect_jet("0.5^exp(1000*x) + x", 1, 1, 1, 0);
}

TEST(ExpressionDerivatives, RootsAtZero) {
  expect_jet("sqrt(x)", 0, 0, kInfinity, -kInfinity);
  expect_jet("sqrt(-x)", 0, -0.0, -kInfinity, -kInfinity);
  expect_jet("x*sqrt(x)", 0, 0, 0, kInfinity);
  expect_jet("sqrt(x^2 + y^2)", 0, 0, 0, kInfinity);
}

TEST(ExpressionDerivatives, KinksTakeABranch) {
  expect_jet("abs(x)", 0, 0, 0, 0);
  expect_jet("hypot(x, 0)", 0, 0, 0, 0);
  expect_jet("sign(x)", 0, 0, 0, 0);
  expect_jet("min(x, 2*x)", 0, 0, 1, 0);
  expect_jet("max(x, 2*x)", 0, 0, 1, 0);
  expect_jet("clamp(x, 1, 2)", 0, 1, 0, 0);
  expect_jet("mod(x, 2)", 4, 0, 1, 0);
}

TEST(ExpressionDerivatives, ABranchNotTakenSpoilsNothing) {
  expect_jet("if(x > 0, log(x), x^2)", -1, 1, -2, 2);
  expect_jet("if(x > 0, sqrt(x), 3*x)", 0, 0, 3, 0);
  expect_jet("if(x == 0, 1, sin(x)/x)", 0, 1, 0, 0);
  expect_jet("max(x, sqrt(x - 1)*0 + 2)", 1, 2, 0, 0);
}

TEST(ExpressionDerivatives, TaylorByAVariableItDoesNotHave) {
  Probe probe("y^2");
  const Expression::Taylor taylor = probe.taylor({0, 1, 3, 0});
  EXPECT_EQ(taylor.f, 9);
  EXPECT_EQ(taylor.fd, 0);
  EXPECT_EQ(taylor.fdd, 0);
}

TEST(ExpressionDegree, IsThatOfTheTermsAsWritten) {
  struct Case {
    const char* text;
    int low, high;  // in y and z
  };
  for (const Case& c :
       {Case{"sin(x) + 2", 0, 0}, Case{"y", 1, 1}, Case{"x*y - sin(x)*z/x", 1, 1}, Case{"-(y + z)*x^2", 1, 1},
        Case{"y + x", 0, 1}, Case{"if(x > 0, y, z)", 1, 1}, Case{"if(x > 0, y, 0)", 0, 1}, Case{"y*z", 2, 2},
        Case{"y*(1 + z)", 1, 2}, Case{"y^2", 0, 2}, Case{"sin(y)", 0, 2}, Case{"x/y", 0, 2},
        Case{"abs(z)", 0, 2}, Case{"if(y > 0, x, 1)", 0, 2}, Case{"spline(y)", 0, 2}, Case{"y*y/y", 0, 2}}) {
    const Tape::Degree degree = Probe(c.text).f.degree(2);
    EXPECT_EQ(degree.low, c.low) << c.text;
    EXPECT_EQ(degree.high, c.high) << c.text;
    EXPECT_EQ(degree.is_linear(), c.high < 2) << c.text;
  }
}

}  // namespace
}  // namespace trammel::expressions::expression_test
