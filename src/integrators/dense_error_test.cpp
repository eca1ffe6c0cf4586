// What rules say of the error of their dense output, against closed forms. It may be far larger than that of
// the step, whose end alone the step size control sees.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "integrators/ode_test_forms.h"

namespace trammel::integrators::dense_error_test {
namespace {

using namespace test;

// Equations of one position, or one with its velocity, and their motion from any state.
struct Motion {
  const char* name;
  TestForm form;
  State start;
  std::function<std::vector<double>(const State& from, double t)> exact;  // q, v
};

Motion swing() {
  return {"oscillator", oscillator(), state_of({1}, {0}), [](const State& from, double t) {
            const double c = std::cos(t - from.t), s = std::sin(t - from.t);
            return std::vector{c * from.q[0] + s * from.v[0], c * from.v[0] - s * from.q[0]};
          }};
}

Motion drawn(double k) {
  return {"drawn to cos t", stiff_linear(k, 1), state_of({1}, {}), [k](const State& from, double t) {
            return std::vector{std::cos(t) + (from.q[0] - std::cos(from.t)) * std::exp(-k * (t - from.t))};
          }};
}

// ẏ = sech²((t − 3)/w)/w
Motion kicked(double w) {
  const auto reached = [w](double t) { return std::tanh((t - 3) / w); };
  TestForm form(1, 1, [=](double t, auto, auto y_dot) { y_dot[0] = (1 - reached(t) * reached(t)) / w; });
  return {"kicked", form, state_of({0}, {}),
          [=](const State& from, double t) { return std::vector{from.q[0] + reached(t) - reached(from.t)}; }};
}

struct Errors {
  double rows = 0, ends = 0;          // the largest of the motion, in units of the tolerance
  double least = INFINITY, most = 0;  // of what is said of a step by what it errs
};

// Of each step from its own beginning. What errs by less than a tenth of the tolerance is not compared:
// Newton's method may leave that.
Errors errors(const char* name, const Motion& motion, double tolerance) {
  OdeOptions options;
  options.tolerance = tolerance;
  const auto rule = make_ode_integrator(name, options);
  TestForm form = motion.form;
  State state = motion.start, row;
  Errors all;
  const auto error = [&](const State& begin, const State& s) {
    const std::vector<double> exact = motion.exact(begin, s.t);
    double largest = std::abs(s.q[0] - exact[0]);
    if (!s.v.empty()) largest = std::max(largest, std::abs(s.v[0] - exact[1]));
    return largest / tolerance;
  };
  while (state.t < 10) {
    const State begin = state;
    if (!rule->advance(form, state, 10 - state.t).report.accepted()) ADD_FAILURE() << state.t;
    double rows = 0;
    for (int k = 1; k < 40; ++k) {
      const double t = begin.t + (state.t - begin.t) * k / 40;
      EXPECT_TRUE(rule->between(form, t, row, Wanted::all).report.accepted());
      rows = std::max(rows, error(begin, row));
    }
    const double said = rule->dense_error(form);
    all.rows = std::max(all.rows, rows);
    all.ends = std::max(all.ends, error(begin, state));
    if (rows > 0.1) {
      all.least = std::min(all.least, said / rows);
      all.most = std::max(all.most, said / rows);
    } else {
      EXPECT_LT(said, 1) << begin.t;
    }
  }
  return all;
}

// What is said of a step is within this factor of what it errs: the error within a step is not quite the
// polynomial that it is taken for.
constexpr double kFactor = 3;

void expect_told(const Errors& e) {
  EXPECT_GT(e.least, 1 / kFactor);
  EXPECT_LT(e.most, kFactor);
}

// Stages of a stiff motion lie on it, and with them the end of a step, however long: the polynomial between
// them does not, and no error estimate of the step sees it.
TEST(DenseError, OfRadauIsToldInAStiffMotion) {
  for (const char* rule : {"radau5", "radau9"})
    for (const double tolerance : {1e-4, 1e-7}) {
      SCOPED_TRACE(rule + std::to_string(tolerance));
      const Errors e = errors(rule, drawn(1e4), tolerance);
      EXPECT_GT(e.rows, 10);
      EXPECT_LT(e.ends, kFactor);  // the estimate of a step's error is as good
      expect_told(e);
    }
}

// Elsewhere a step of Radau is as short as its order at the stages asks, where its end is far better: rows
// need no steps of their own.
TEST(DenseError, OfRadauIsSmallWhereNothingIsStiff) {
  for (const char* rule : {"radau5", "radau9"})
    for (const Motion& motion : {swing(), kicked(0.1)}) {
      SCOPED_TRACE(std::string(rule) + ", " + motion.name);
      const Errors e = errors(rule, motion, 1e-7);
      EXPECT_LT(e.rows, 0.5);
      EXPECT_LT(e.most * e.rows, 1);
    }
}

// A kick in time makes the end of a step, whose stages are many, better than its rows.
TEST(DenseError, OfAPairIsToldInAKick) {
  for (const double duration : {0.1, 0.3}) {
    const Errors e = errors("dopri5", kicked(duration), 1e-7);
    EXPECT_GT(e.rows, 5);
    EXPECT_LT(e.ends, 1);
    expect_told(e);
  }
  const Errors e = errors("dop853", kicked(0.3), 1e-4);
  EXPECT_GT(e.rows, 5);
  expect_told(e);
}

}  // namespace
}  // namespace trammel::integrators::dense_error_test
