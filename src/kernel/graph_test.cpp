// Formulas that were recorded: simplified without changing their value, differentiated as differences say.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "kernel/emit.h"
#include "kernel/graph.h"

namespace trammel::kernel::graph_test {
namespace {

// The value of a recorded formula where the inputs x have these values.
double value(const Graph& graph, const Recorded& f, const std::vector<double>& x) {
  if (f.is_number()) return f.value();
  const std::function<double(int)> at = [&](int k) -> double {
    const GraphNode& node = graph.nodes()[static_cast<std::size_t>(k)];
    if (node.op == Op::number) return node.value;
    if (node.op == Op::input) return x[static_cast<std::size_t>(node.b)];
    const double a = at(node.a), b = node.b >= 0 ? at(node.b) : 0, c = node.c >= 0 ? at(node.c) : 0;
    switch (node.op) {
      case Op::add:
        return a + b;
      case Op::subtract:
        return a - b;
      case Op::multiply:
        return a * b;
      case Op::divide:
        return a / b;
      case Op::negate:
        return -a;
      case Op::sqrt:
        return std::sqrt(a);
      case Op::exp:
        return std::exp(a);
      case Op::log:
        return std::log(a);
      case Op::sin:
        return std::sin(a);
      case Op::cos:
        return std::cos(a);
      case Op::tan:
        return std::tan(a);
      case Op::asin:
        return std::asin(a);
      case Op::acos:
        return std::acos(a);
      case Op::atan:
        return std::atan(a);
      case Op::sinh:
        return std::sinh(a);
      case Op::cosh:
        return std::cosh(a);
      case Op::tanh:
        return std::tanh(a);
      case Op::abs:
        return std::abs(a);
      case Op::atan2:
        return std::atan2(a, b);
      case Op::pow:
        return std::pow(a, b);
      case Op::min:
        return std::min(a, b);
      case Op::max:
        return std::max(a, b);
      case Op::less:
        return a < b ? 1 : 0;
      case Op::less_equal:
        return a <= b ? 1 : 0;
      case Op::select:
        return c != 0 ? a : b;
      default:
        return std::nan("");
    }
  };
  return at(f.node());
}

using Formula = std::function<Recorded(const Recorded&, const Recorded&)>;
const std::vector<Formula> kFormulas{
    [](auto& x, auto& y) { return sin(x * y) + cos(x - y); },
    [](auto& x, auto& y) { return atan2(y, x) * sqrt(x * x + y * y); },
    [](auto& x, auto& y) { return exp(x) / (1 + y * y) - log(x) * tanh(y); },
    [](auto& x, auto& y) { return pow(x, 2.5) + pow(x, y) - abs(x - y); },
    [](auto& x, auto& y) { return asin(x / 3) + acos(y / 3) + atan(x * y) + tan(x); },
    [](auto& x, auto& y) { return sinh(x) * cosh(y) + min(x, y) * max(x, y); },
    [](auto& x, auto& y) { return select(less(x, y), x * x, y * x) - 2 * (0.5 * x) + x; },
};

TEST(Graph, DerivativesAreThoseOfDifferences) {
  for (std::size_t k = 0; k < kFormulas.size(); ++k) {
    Graph graph;
    const Recorded x = graph.input("x", 0), y = graph.input("x", 1), f = kFormulas[k](x, y);
    const std::vector<Recorded> slopes = gradient(graph, f, {x, y});
    Tangents along(graph);
    along.seed(x, 0.7);
    along.seed(y, -0.4);
    const Recorded rate = along.of(f), curvature = along.of(rate);
    const std::vector<double> at{0.8, 1.3};
    const auto moved = [&](double s) { return value(graph, f, {at[0] + 0.7 * s, at[1] - 0.4 * s}); };
    const double h = 1e-4;  // differences of second order err by about 1e-8
    EXPECT_NEAR(value(graph, rate, at), (moved(h) - moved(-h)) / (2 * h), 1e-7) << k;
    EXPECT_NEAR(value(graph, curvature, at), (moved(h) - 2 * moved(0) + moved(-h)) / (h * h), 1e-6) << k;
    EXPECT_NEAR(value(graph, rate, at), 0.7 * value(graph, slopes[0], at) - 0.4 * value(graph, slopes[1], at),
                1e-13)
        << k;
  }
}

TEST(Graph, WhatIsSaidTwiceIsRecordedOnce) {
  Graph graph;
  const Recorded x = graph.input("x", 0), y = graph.input("x", 1);
  EXPECT_EQ((x * y + 1).node(), (1 + y * x).node());
  EXPECT_TRUE((x - x).is(0));
  EXPECT_EQ((0.5 * x + 0.5 * x).node(), x.node());
  EXPECT_EQ((-(-x)).node(), x.node());
  EXPECT_TRUE((x * 0).is(0));
  EXPECT_EQ((3 * (2 * x)).node(), (6 * x).node());
}

TEST(Graph, NumbersKeepTheirLastBit) {
  for (const double number : {0.1, 1.0 / 3, 1e-300, 123456789.0, 2.0}) {
    EXPECT_EQ(std::stod(literal(number)), number);
    EXPECT_EQ(literal(-number), "(-" + literal(number) + ")");
  }
}

}  // namespace
}  // namespace trammel::kernel::graph_test
