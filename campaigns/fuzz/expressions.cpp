// Fuzz target: expressions and quantities.
//
// The four sweeps over an expression (value, gradient, Hessian, Taylor) agree on its value to the bit. Where
// differences of values show that it is smooth, the gradient is their limit, and likewise the Hessian that of
// the gradient. A unit that is read, written and read again is the same unit.
#include "expressions/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "expressions/units.h"
#include "support.h"

namespace trammel::fuzz {
namespace {

using expressions::Expression;
using expressions::ExpressionError;
using expressions::Function1;

expressions::Symbols make_symbols() {
  expressions::Symbols symbols;
  for (const char* name : {"t", "x", "y", "hinge.angle", "hinge.rate"}) symbols.variable(name);
  symbols.constant("L", 0.3);
  symbols.function("table", Function1::table({-1, 0.1, 2}, {1, 3, -1}));
  symbols.function("spline", Function1::spline({-1, 0, 0.5, 2}, {1, 3, -1, 2}));
  return symbols;
}

// Off every number that a person writes, so that no kink lies exactly here.
const std::vector<std::vector<double>> kPoints = {
    {0.7310585786300049, -0.3141592653589793, 1.6180339887498949, 0.2718281828459045, -2.2360679774997896},
    {12.345678901234567, 3.3166247903554, -7.0710678118654755, -0.5772156649015329, 41.41592653589793}};

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

bool agree(double a, double b, double relative) {
  return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

// The slope of f at 0, where the differences of three sizes and both sides show that there is one; else NaN.
// A slope of zero is not told from one that rounding swallows. Rounding makes a staircase of a function. If
// the sizes were halves of each other, differences of 4, 2 and 1 of its steps would agree on a slope. The
// golden ratio is the number that fractions approximate worst: those that agree to 1e-4 have over 60 steps.
template <class F>
double slope(F f, double h) {
  constexpr double kGolden = 1 / std::numbers::phi;
  const double middle = f(0);
  double before = 0;
  for (const double part : {1.0, kGolden, kGolden * kGolden}) {
    const double right = (f(part * h) - middle) / (part * h), left = (middle - f(-part * h)) / (part * h);
    const double both = (right + left) / 2;
    if (!std::isfinite(both) || both == 0 || !agree(right, left, 1e-2)) return NAN;
    if (part < 1 && !agree(both, before, 1e-4)) return NAN;
    before = both;
  }
  return before;
}

// An expression and its results about one point.
class Probe {
 public:
  Probe(const Expression& f, const std::vector<double>& x)
      : f_(f),
        n_(f.slots().size()),
        x_(x),
        crossings_(f.crossings(0)),
        g_(n_),
        h_(n_ * n_),
        nearby_(n_),
        scratch_(static_cast<std::size_t>(f.scratch_size()), NAN) {}

  void check() {
    const double value = f_.value(x_, scratch_);
    require(same_bits(f_.gradient(x_, g_, scratch_), value), "value and gradient agree on the value");
    require(same_bits(f_.hessian(x_, g_, h_, scratch_), value), "value and Hessian agree on the value");
    for (std::size_t i = 0; i < n_; ++i) {
      const int slot = f_.slots()[i];
      require(same_bits(f_.taylor(x_, slot, scratch_).f, value), "value and Taylor agree on the value");
      check_slope(i, g_[i], "the gradient", [&] { return f_.value(x_, scratch_); });
      // One entry of each row: with all of them an input would take ten times as long.
      const std::size_t k = (i + 1) % n_;
      check_slope(i, h_[i * n_ + k], "the Hessian", [&] {
        f_.gradient(x_, nearby_, scratch_);
        return nearby_[k];
      });
    }
  }

 private:
  // Differences agree to 1e-4 with each other: a limit that is off by more than 1e-2 is another one.
  template <class F>
  void check_slope(std::size_t i, double exact, const char* what, F f) {
    double& x = x_[static_cast<std::size_t>(f_.slots()[i])];
    const double here = x;
    const auto moved = [&](double by) {
      x = here + by;
      return f();
    };
    const double h = 1e-4 * std::max(1.0, std::abs(here));
    const double difference = is_smooth(x, here - h, here + h) ? slope(moved, h) : NAN;
    x = here;
    require(std::isnan(difference) || agree(exact, difference, 1e-2),
            fmt::format("{} by variable {} of {} is {}, not {}", what, f_.slots()[i], f_.text(), difference,
                        exact));
  }

  // Whether no jump or kink lies between two values of a variable: a staircase of many steps looks steep.
  bool is_smooth(double& x, double left, double right) {
    return std::ranges::all_of(crossings_, [&](const expressions::Tape::Crossing& crossing) {
      const auto argument = [&](double at) {
        x = at;
        return f_.crossing_value(crossing, x_, 0, scratch_).f;
      };
      double below = 0, above = 0;
      f_.levels_around(crossing, argument(left), below, above);
      const double w = argument(right);
      return below <= w && w <= above;
    });
  }

  const Expression& f_;
  std::size_t n_;
  std::vector<double> x_;
  std::vector<expressions::Tape::Crossing> crossings_;
  std::vector<double> g_, h_, nearby_, scratch_;
};

void check_crossings(const Expression& f, const std::vector<double>& x) {
  std::vector<double> scratch(static_cast<std::size_t>(f.scratch_size()));
  const auto crossings = f.crossings(0);
  for (std::size_t k = 0; k < crossings.size(); ++k) {
    const double w = f.crossing_value(crossings[k], x, 0, scratch).f;
    double below = 0, above = 0;
    f.levels_around(crossings[k], w, below, above);
    require(std::isnan(w) || (below <= w && w <= above), "a value lies between the levels around it");
    const Expression argument = f.crossing_argument(static_cast<int>(k));
    std::vector<double> own(static_cast<std::size_t>(argument.scratch_size()));
    const double again = argument.value(x, own);
    require(same_bits(again / crossings[k].unit, w),
            fmt::format("a crossing's argument is its value: {} is {}", again, w));
  }
}

void check_expression(const std::string& text) {
  static const expressions::Symbols kSymbols = make_symbols();
  const auto parsed = Expression::parse(text, kSymbols);
  if (const auto* error = std::get_if<ExpressionError>(&parsed)) {
    require(!error->message.empty() && error->column <= text.size(), "an error has a message and a place");
    return;
  }
  const auto& f = std::get<Expression>(parsed);
  for (const std::vector<double>& x : kPoints) {
    Probe(f, x).check();
    check_crossings(f, x);
  }
}

void check_quantity(const std::string& text) {
  const auto read = expressions::parse_quantity(text);
  expressions::leading_quantity(text.substr(0, 100));
  if (!read) return;
  if (const auto* error = std::get_if<ExpressionError>(&*read)) {
    require(!error->message.empty() && error->column <= text.size(), "an error has a message and a place");
    return;
  }
  const auto& quantity = std::get<expressions::Quantity>(*read);
  require(std::isfinite(quantity.value), "a quantity is finite");
  if (!quantity.dimension) return;
  const expressions::Dimension& d = *quantity.dimension;
  // Larger powers can be multiplied together, but not written.
  if (std::max({std::abs(d.length), std::abs(d.mass), std::abs(d.time), std::abs(d.angle)}) > 9) return;
  const std::string unit = expressions::to_string(d);
  if (unit == "1") return;
  const auto again = expressions::parse_quantity("1 " + unit);
  const auto* same = again ? std::get_if<expressions::Quantity>(&*again) : nullptr;
  require(same != nullptr && same->dimension == d && same->value == 1,
          "the unit " + unit + " is read as itself");
}

}  // namespace
}  // namespace trammel::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  trammel::fuzz::check_expression(text);
  trammel::fuzz::check_quantity(text);
  return 0;
}
