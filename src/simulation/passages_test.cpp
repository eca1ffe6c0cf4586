// Smooth pulses of the motion: no step passes them unseen.
#include "simulation/passages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::passages_test {
namespace {

using simulation::SignalPath;

TEST(SignalPath, HasItsValuesAndRates) {
  const SignalPath path(2, 4, 1, 3, 5, -1);
  const double h = 1e-6;
  EXPECT_DOUBLE_EQ(path.at(2), 1);
  EXPECT_DOUBLE_EQ(path.at(4), 5);
  EXPECT_NEAR((path.at(2 + h) - path.at(2)) / h, 3, 1e-5);
  EXPECT_NEAR((path.at(4) - path.at(4 - h)) / h, -1, 1e-5);
}

TEST(SignalPath, StaysInItsEnclosures) {
  const SignalPath path(2, 4, 1, 3, 5, -10);
  for (const double length : {2.0, 0.5, 0.01})
    for (double from = 2; from + length <= 4; from += length) {
      const expressions::Enclosure over = path.over(from, from + length);
      // It errs by no more than the curvature of the cubic, at most 30, allows.
      EXPECT_LT(over.d.width(), 30 * length + 1e-9);
      for (int k = 0; k <= 10; ++k) {
        const double t = from + 0.1 * k * length;
        EXPECT_GE(path.at(t), over.f.lo - 1e-14);
        EXPECT_LE(path.at(t), over.f.hi + 1e-14);
      }
    }
}

// 1 kg that slides along x, at 1 m/s at x = 0.
std::string slider(const std::string& force, const std::string& simulate) {
  return "trammel: 1\nplane: xy\nbodies: {a: {mass: 1, inertia: 1}}\n"
         "joints: {s: {prismatic: [a, ground], axis: [1, 0]}}\nforces: {push: {force: [\"" +
         force + "\", 0], at: a.com}}\ninitial: {s: {speed: 1}}\nsimulate: {" + simulate + "}\n";
}

RunResult run_of(const std::string& force, const std::string& simulate) {
  const Mechanism mechanism = read_model_text(slider(force, simulate), "passage.yaml").value();
  Simulation simulation(mechanism, mechanism.plan);
  return run(simulation);
}

struct Way {
  std::string name, simulate;
};
class Passages : public testing::TestWithParam<Way> {};

// The kinetic energy grows by the work of the pulse, F w sqrt(pi), whatever its width.
TEST_P(Passages, DoTheirWork) {
  for (const double width : {1e-1, 1e-3, 1e-5}) {
    const double work = 0.4, force = work / (width * std::sqrt(std::numbers::pi));
    for (const double sign : {1.0, -1.0}) {
      const RunResult result = run_of(
          std::to_string(sign * force) + "*exp(-((s.displacement - 5.3)/" + std::to_string(width) + ")^2)",
          "duration: 10, " + GetParam().simulate);
      EXPECT_EQ(result.summary.status, RunStatus::ok);
      EXPECT_NEAR(result.trajectory.column("s.rate").back(), std::sqrt(1 + 2 * sign * work), 1e-4)
          << width << ", " << sign;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Passages,
                         testing::Values(Way{"usual", "tolerance: 1e-6"}, Way{"fine", "tolerance: 1e-9"},
                                         Way{"relative", "tolerance: 1e-6, coordinates: relative"},
                                         Way{"reference", "tolerance: 1e-6, coordinates: reference"},
                                         Way{"radau",
                                             "tolerance: 1e-7, formulation: lagrange, integrator: radau9"}),
                         [](const auto& test) { return test.param.name; });

TEST(Passages, OfOtherShapesAndBesideOtherForces) {
  const double w = 1e-3, pi = std::numbers::pi;
  const std::pair<std::string, double> forces[] = {
      // 2000 N over the 1 mm between two smooth jumps
      {"1000*(smooth_sign(s.displacement - 5, 1e-5) - smooth_sign(s.displacement - 5.001, 1e-5))", 2},
      {"200/(1 + ((s.displacement - 4)/0.001)^2)", 200 * w * pi},
      {"0.01*(s.displacement^2 + 1)^1.5/(s.displacement^2 + 1)^1.5*s.displacement + "
       "300*exp(-((s.displacement - 5.3)/0.001)^2) - "
       "0.01*s.displacement",
       300 * w * std::sqrt(pi)}};
  for (const auto& [force, work] : forces) {
    const RunResult result = run_of(force, "duration: 6, tolerance: 1e-6");
    EXPECT_NEAR(result.trajectory.column("s.rate").back(), std::sqrt(1 + 2 * work), 1e-3) << force;
  }
}

// With steps of a fixed length, and by rules of low order, they are seen, and the second run tells how well.
TEST(Passages, AreNotPassedSilently) {
  for (const char* method :
       {"step: 0.1", "step: 0.1, formulation: lagrange, integrator: rk4", "step: 0.1, integrator: newmark",
        "tolerance: 1e-6, formulation: augmented-lagrangian-index3"}) {
    const RunResult result =
        run_of("20*exp(-((s.displacement - 5.313)/0.005)^2)", std::string("duration: 10, ") + method);
    if (result.summary.status != RunStatus::ok) continue;
    EXPECT_NEAR(result.trajectory.column("s.rate").back(), std::sqrt(1 + 0.2 * std::sqrt(std::numbers::pi)),
                3e-3)
        << method;
  }
}

// Ordinary laws cost no steps.
TEST(Passages, OfOrdinaryForcesThereAreNone) {
  const auto steps = [](const std::string& force) {
    return run_of(force, "duration: 10, tolerance: 1e-6").summary.steps;
  };
  EXPECT_EQ(steps("-s.displacement^3"), steps("-s.displacement*s.displacement*s.displacement"));
  EXPECT_EQ(steps("-tanh(s.rate)"), steps("-(exp(s.rate) - exp(-s.rate))/(exp(s.rate) + exp(-s.rate))"));
}

}  // namespace
}  // namespace trammel::tests::passages_test
