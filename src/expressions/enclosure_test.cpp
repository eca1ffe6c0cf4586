// Enclosures hold every value and slope of the function, and shrink with the interval.
#include "expressions/enclosure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "expressions/expression.h"

namespace trammel::tests::enclosure_test {
namespace {

using expressions::Enclosure;
using expressions::Expression;

struct Named {
  std::string name, text;
};

class Enclosures : public testing::TestWithParam<Named> {
 protected:
  Enclosures() {
    symbols_.variable("t");
    symbols_.function("table", expressions::Function1::table({-2, 0, 1, 3}, {1, -1, 4, 0}));
    symbols_.function("spline", expressions::Function1::spline({-2, 0, 1, 3}, {1, -1, 4, 0}));
    symbols_.function("clamped", expressions::Function1::clamped({-2, 0, 1, 3}, {1, -1, 4, 0}, 3, -2));
    symbols_.function("periodic", expressions::Function1::periodic({-2, 0, 1, 3}, {1, -1, 4, 1}));
    symbols_.function("monotone", expressions::Function1::monotone({-2, 0, 1, 3}, {1, -1, 4, 0}));
    f_ = std::get<Expression>(Expression::parse(GetParam().text, symbols_));
    scratch_.resize(static_cast<std::size_t>(f_.scratch_size()));
  }
  Enclosure over(double from, double to) {
    enclosures_.assign(f_.slots().size(), {{from, to}, {1, 1}});
    return f_.enclosure(enclosures_);
  }
  Expression::Taylor at(double t) { return f_.taylor({&t, 1}, 0, scratch_); }

  expressions::Symbols symbols_;
  Expression f_;
  std::vector<double> scratch_;
  std::vector<Enclosure> enclosures_;
};

TEST_P(Enclosures, HoldEveryValueAndSlope) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-4, 4), exponent(-3, 0.5), part(0, 1);
  for (int n = 0; n < 400; ++n) {
    const double from = place(random), h = std::pow(10, exponent(random));
    const Enclosure e = over(from, from + h);
    for (int k = 0; k < 20; ++k) {
      const Expression::Taylor f = at(from + h * part(random));
      if (!std::isfinite(f.f)) continue;
      const double rounding = 1e-12 * (1 + std::abs(f.f)), slope = 1e-12 * (1 + std::abs(f.fd));
      EXPECT_GE(f.f, e.f.lo - rounding) << from << " " << h;
      EXPECT_LE(f.f, e.f.hi + rounding) << from << " " << h;
      if (!std::isfinite(f.fd)) continue;
      EXPECT_GE(f.fd, e.d.lo - slope) << from << " " << h;
      EXPECT_LE(f.fd, e.d.hi + slope) << from << " " << h;
    }
  }
}

TEST_P(Enclosures, ShrinkWithTheInterval) {
  // Away from kinks, jumps and poles of all of them.
  const double t = 0.377, h = 1e-7;
  const Enclosure e = over(t - h, t + h);
  const Expression::Taylor f = at(t);
  EXPECT_LT(e.f.width(), 100 * h * (1 + std::abs(f.f) + std::abs(f.fd)));
  EXPECT_LT(e.d.width(), 1000 * h * (1 + std::abs(f.f) + std::abs(f.fd) + std::abs(f.fdd)));
}

INSTANTIATE_TEST_SUITE_P(
    All, Enclosures,
    testing::Values(
        Named{"line", "3*t - 2"}, Named{"square", "(t - 1)^2 - -t"}, Named{"cube", "t^3/(2 + t^2)"},
        Named{"root", "sqrt(t + 5) + sqrt(t)"}, Named{"inverse", "1/t + t^-2"},
        Named{"exponential", "t*exp(-t) + exp(-(t/0.1)^2)"}, Named{"logarithm", "log(t + 5) - log10(2 + t)"},
        Named{"sine", "sin(3*t)*cos(t)^21"}, Named{"tangent", "tan(t) + atan(t)"},
        Named{"arcs", "asin(t/5) - acos(t/4.5)"}, Named{"hyperbolic", "sinh(t)/cosh(t) - tanh(5*t)"},
        Named{"power", "(t + 5)^(t/3) + abs(t)^1.5"},
        Named{"angle", "atan2(t, 2 + sin(t)) + atan2(sin(t), t)"},
        Named{"hypot", "hypot(t, t - 1) + hypot(t, 2*t)"},
        Named{"corners", "max(t, 0.2)*min(t^2, 1, 2 - t) + abs(t - 0.5)"},
        Named{"jumps", "sign(t)*floor(2.5*t) + mod(t, 0.7) - mod(t, -0.9)"},
        Named{"choice", "if(t > 0.2 and not t > 1 or t == -1, t^2, 1 - t)"},
        Named{"step", "step(t, 0, 1, 1, -2) + smooth_sign(t - 1, 0.1)"},
        Named{"table", "table(t^2 - 1) + table(2*t)"}, Named{"spline", "spline(t) - spline(t^2/2)"},
        Named{"clamped", "clamped(t) - clamped(t^2/2)"}, Named{"periodic", "periodic(3*t) - periodic(t^2/2)"},
        Named{"monotone", "monotone(t) - monotone(t^2/2)"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace trammel::tests::enclosure_test
