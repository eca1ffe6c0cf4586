// Smooth pulses: steps end where they begin and at their tops, so that none passes them unseen.
#include "simulation/peaks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::peaks_test {
namespace {

using expressions::Expression;
using simulation::Peaks;

std::vector<double> peaks_of(const std::string& text, double until, double step = 0) {
  expressions::Symbols symbols;
  symbols.variable("t");
  symbols.variable("x");
  std::vector<double> all;
  for (const Expression& part : std::get<Expression>(Expression::parse(text, symbols)).parts(0)) {
    Peaks peaks(part);
    Peaks::Course course;
    for (double t = 0; t < until;) {
      t = peaks.after(t, until, step, course);
      if (t == course.peak && t <= until) all.push_back(t);
    }
  }
  return all;
}

void expect_times(const std::vector<double>& found, const std::vector<double>& expected, double within) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], within) << k;
}

TEST(Peaks, AreFoundHoweverNarrow) {
  for (const double width : {1e-1, 1e-3, 1e-5}) {
    const std::string gauss = "20*exp(-((t - 7.7)/" + std::to_string(width) + ")^2)";
    expect_times(peaks_of(gauss, 100), {7.7}, 0.01 * width);
    expect_times(peaks_of("x*(3 + " + gauss + ")", 100), {7.7}, 0.01 * width);
    expect_times(peaks_of("5 - " + gauss, 100), {7.7}, 0.01 * width);
  }
  const double pi = std::numbers::pi;
  expect_times(peaks_of("sin(t)^2000", 10), {0.5 * pi, 1.5 * pi, 2.5 * pi}, 1e-3);
  expect_times(peaks_of("1/(1 + ((t - 3)/1e-3)^2)", 10), {3}, 1e-5);
  // Of both signs, with rest between them.
  expect_times(peaks_of("sin(2*t)^5001", 5), {0.25 * pi, 0.75 * pi, 1.25 * pi}, 1e-3);
  // A top that is flat but for rounding: anywhere on it.
  expect_times(peaks_of("smooth_sign(t - 4, 1e-3) - smooth_sign(t - 4.1, 1e-3)", 10), {4.05}, 0.05);
}

// However large others are, in sums, products and choices.
TEST(Peaks, AreNotHiddenByLargerOnes) {
  const std::string small = "10*exp(-((t - 50.3)/0.05)^2)", gauss = "1e6*exp(-((t - 7.7)/1e-6)^2)";
  for (const std::string& text :
       {gauss + " + " + small, "2*(" + small + " - 3*" + gauss + ")",
        "if(t < 90, " + gauss + " + " + small + ", 0)", "max(" + gauss + ", " + small + ")"})
    EXPECT_TRUE(std::ranges::any_of(peaks_of(text, 100), [](double t) { return std::abs(t - 50.3) < 1e-3; }))
        << text;
  EXPECT_EQ(peaks_of("if(t < 1e-5, 1e6, 0) + " + small, 100).size(), 1);
  EXPECT_EQ(peaks_of("exp(-t/1e-6)*1e7 + " + small, 100).size(), 1);
}

TEST(Peaks, WavesHaveNoneByTolerance) {
  for (const char* wave : {"sin(7*t)", "3 + cos(7*t + 1)", "sin(t)^2", "sin(t) + 0.2*sin(3*t)",
                           "exp(-t)*sin(9*t)", "t^2", "exp(-t) - exp(-2*t)", "smooth_sign(t - 7.7, 1e-4)",
                           "sin(t^2)", "sign(sin(t))", "abs(t - 3) + floor(t)"})
    EXPECT_TRUE(peaks_of(wave, 20).empty()) << wave;
}

// Beyond the edge of its domain, and where it oscillates without end, a function is left alone.
TEST(Peaks, AreNotSearchedForever) {
  for (const char* odd :
       {"sqrt(0.5 - t)", "log(t - 3)*sqrt(-1 - t)", "sin(1/(t - 3.3))", "tan(50*t)", "1/(t - 5)^2"})
    EXPECT_LE(peaks_of(odd, 10).size(), 1000U) << odd;
}

// Steps of one period would meet a sine at its zeros only.
TEST(Peaks, OfAWaveAreNarrowForLongSteps) {
  expect_times(peaks_of("sin(20*pi*t)", 0.2, 0.1), {0.025, 0.075, 0.125, 0.175}, 1e-3);
  expect_times(peaks_of("sin(20*pi*t)", 10, 0.01), {}, 0);
}

std::string slider(const std::string& force, const std::string& plan) {
  return "trammel: 1\nplane: xy\nbodies: {a: {mass: 2, inertia: 1}}\n"
         "joints: {s: {prismatic: [a, ground], axis: [1, 0]}}\nforces: {push: {force: [\"" +
         force + "\", 0], at: a.com}}\nsimulate: {duration: 10, " + plan + "}\n";
}

struct Way {
  std::string name, plan;
};
class SmoothPulses : public testing::TestWithParam<Way> {};

// m v = F w sqrt(pi)
TEST_P(SmoothPulses, AreNeverSteppedOver) {
  for (const double width : {0.05, 1e-3}) {
    const Mechanism mechanism =
        read_model_text(slider("20*exp(-((t - 7.7)/" + std::to_string(width) + ")^2)", GetParam().plan),
                        "p.yaml")
            .value();
    Simulation simulation(mechanism, mechanism.plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    ASSERT_TRUE(simulation.advance_to(10).report.accepted());
    const double v = 20 * width * std::sqrt(std::numbers::pi) / 2;
    EXPECT_NEAR(simulation.speed("s"), v, 3e-4) << width;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SmoothPulses,
    testing::Values(Way{"usual", "tolerance: 1e-6"}, Way{"fine", "tolerance: 1e-9"},
                    Way{"relative", "tolerance: 1e-6, coordinates: relative"},
                    Way{"radau", "tolerance: 1e-7, formulation: lagrange, integrator: radau9"},
                    Way{"bdf", "tolerance: 1e-10, formulation: lagrange, integrator: cvode-bdf"},
                    Way{"index3", "tolerance: 1e-6, formulation: augmented-lagrangian-index3"}),
    [](const auto& test) { return test.param.name; });

// With steps of a fixed length they are seen, and the second run tells how well. After 10 s the slider is at
// F w sqrt(pi) (10 - 7.713)/m, or 10 F/(m omega) where the force is a sine.
TEST(Peaks, FixedStepsDoNotPassThemSilently) {
  const double pi = std::numbers::pi;
  const std::pair<std::string, double> forces[] = {
      {"20*exp(-((t - 7.713)/0.005)^2)", 0.05 * std::sqrt(pi) * 2.287},
      {"sin(20*pi*t)", 5 / (20 * pi)},
      {"sin(40*pi*t)", 5 / (40 * pi)},
      // of which the means are 2/pi and 35/128
      {"abs(sin(20*pi*t))", 50 / pi},
      {"sin(20*pi*t)^8", 25 * 35.0 / 128}};
  for (const auto& [force, x] : forces)
    for (const char* method : {"", ", formulation: lagrange, integrator: rk4", ", integrator: newmark"}) {
      const Mechanism mechanism =
          read_model_text(slider(force, std::string("step: 0.1") + method), "p.yaml").value();
      Simulation simulation(mechanism, mechanism.plan);
      const RunResult result = run(simulation);
      if (result.summary.status != RunStatus::ok) continue;
      EXPECT_NEAR(result.trajectory.column("s.displacement").back(), x, 3e-3 * x) << force << method;
    }
}

}  // namespace
}  // namespace trammel::tests::peaks_test
