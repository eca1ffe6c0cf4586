// Angles beyond half a turn at the start: couplers, bushings and drivers count turns as joints do.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::turns_test {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

class Turns : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Simulation> at(const std::string& text, double t) const {
    Mechanism mechanism = read_model_text("trammel: 1\nplane: xy\n" + text, "turns.yaml").value();
    mechanism.plan.coordinates = GetParam();
    auto simulation = std::make_unique<Simulation>(mechanism, mechanism.plan);
    EXPECT_TRUE(simulation->assemble().report.accepted());
    EXPECT_TRUE(simulation->advance_to(t).report.accepted());
    return simulation;
  }
};

const char* const kGear = R"(
bodies:
  a: {mass: 1, inertia: 1, angle: ANGLE}
  b: {mass: 1, inertia: 2, at: [3, 0]}
joints:
  ja: {revolute: [a, ground], at: [0, 0]}
  jb: {revolute: [b, ground], at: [3, 0]}
  g: {gear: [ja, jb], ratio: 2}
simulate: {duration: 1, step: 1 ms}
)";

std::string gear(const std::string& angle) {
  std::string text = kGear;
  return text.replace(text.find("ANGLE"), 5, angle);
}

TEST_P(Turns, AGearStartsWhereItsWheelsArePlaced) {
  const auto simulation = at(gear("200 deg") + "initial: {ja: {speed: 1}}\n", 0.5);
  EXPECT_NEAR(simulation->coordinate("ja"), 200 * kDegree + 0.5, 1e-6);
  EXPECT_NEAR(simulation->coordinate("jb"), -0.25, 1e-6);
}

// The driver says 200°, the wheel is placed at −160°: the same place, and the other wheel need not move.
TEST_P(Turns, ADriverSaysHowManyTurnsAGearHasMade) {
  const auto simulation = at(gear("-160 deg") + "drivers: {m: {joint: ja, equals: 200*pi/180 + t}}\n", 0.5);
  EXPECT_NEAR(simulation->coordinate("ja"), 200 * kDegree + 0.5, 1e-6);
  EXPECT_NEAR(simulation->coordinate("jb"), -0.25, 1e-6);
}

TEST_P(Turns, ARackStartsWhereItIsPlaced) {
  const auto simulation = at(R"(
bodies:
  b0: {mass: 1, inertia: 1, angle: 2}
  b1: {mass: 1, inertia: 1, at: [1, 0], com: [0.2, 0], angle: -2}
joints:
  j0: {prismatic: [b0, ground], axis: [1, 0]}
  j1: {revolute: [b1, b0], at: [1, 0]}
  ck: {rack: [j1, j0], radius: 1}
simulate: {duration: 0.1, step: 1 ms}
)",
                             0.05);
  // Without gravity and speed nothing moves.
  EXPECT_NEAR(simulation->coordinate("j1"), -4, 1e-9);
  EXPECT_NEAR(simulation->coordinate("j0"), 0, 1e-9);
}

TEST_P(Turns, ABushingIsFreeWhereItsBodiesArePlaced) {
  const auto simulation = at(R"(
bodies:
  a: {mass: 1, inertia: 1, angle: 200 deg}
joints: {j: {revolute: [a, ground], at: [0, 0]}}
forces: {f: {bushing: [a, ground], at: [0, 0], stiffness: [100, 100, 10]}}
simulate: {duration: 1, step: 1 ms}
)",
                             0.5);
  EXPECT_NEAR(simulation->coordinate("j"), 200 * kDegree, 1e-9);
  EXPECT_NEAR(simulation->energy().potential, 0, 1e-12);
}

Trajectory rows_of(const std::string& text, const std::string& coordinates, double tolerance) {
  Mechanism mechanism = read_model_text("trammel: 1\n" + text, "turns.yaml").value();
  mechanism.plan.coordinates = coordinates;
  mechanism.plan.tolerance = tolerance;
  mechanism.plan.verify = false;
  Simulation simulation(mechanism, mechanism.plan);
  RunResult result = run(simulation);
  EXPECT_EQ(result.summary.status, RunStatus::ok) << result.summary.message;
  return std::move(result.trajectory);
}

// Angles that turn by many radians in a step: counted, or the step is shortened.
class LongSteps : public testing::TestWithParam<std::tuple<std::string, double>> {
 protected:
  // An angle, rows within steps included, is that of the closed form, and the way of the run's own rate.
  void expect_turns(const std::string& text, const std::string& angle, const std::string& rate,
                    double (*exact)(double)) const {
    const auto [coordinates, tolerance] = GetParam();
    const Trajectory all = rows_of(text, coordinates, tolerance);
    const std::vector<double> times = all.column("t"), angles = all.column(angle), rates = all.column(rate);
    // A hundred radians times a hundred tolerances; at the coarsest an error of phase is more than a turn.
    const double allowed = 1e4 * tolerance;
    // The way by the trapezoidal rule errs by 100 rad/s² · (20 ms)²/12 = 3 mrad, and steps by a tolerance in
    // radians each: together far less than a radian, and a turn that is lost is six.
    double way = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (i > 0) way += 0.5 * (times[i] - times[i - 1]) * (rates[i - 1] + rates[i]);
      ASSERT_NEAR(angles[i], exact(times[i]), allowed) << times[i];
      ASSERT_NEAR(angles[i] - angles[0], way, 1) << times[i];
    }
  }
};

TEST_P(LongSteps, AFreeWheel) {
  expect_turns(R"(
plane: xy
points: {O: {at: [0, 0], on: ground}}
bodies: {wheel: {mass: 1, inertia: 0.02, carries: [O]}}
initial: {wheel: {angular-velocity: 10}}
simulate: {duration: 10 s, tolerance: 1e-6}
outputs: {interval: 0.02}
)",
               "wheel.angle", "wheel.omega", [](double t) { return 10 * t; });
}

TEST_P(LongSteps, AWheelOnASoftSpring) {
  expect_turns(R"(
plane: xy
points: {O: {at: [0, 0], on: ground}}
bodies: {wheel: {mass: 1, inertia: 0.02, carries: [O]}}
forces: {coil: {torque: -0.02*wheel.angle, on: wheel}}
initial: {wheel: {angular-velocity: 100}}
simulate: {duration: 6 s, tolerance: 1e-6}
outputs: {interval: 0.02}
)",
               "wheel.angle", "wheel.omega", [](double t) { return 100 * std::sin(t); });
}

TEST_P(LongSteps, AWheelOnASoftSpringInSpace) {
  expect_turns(R"(
bodies: {wheel: {mass: 1, inertia: [0.01, 0.01, 0.02]}}
joints: {hub: {revolute: [wheel, ground], at: [0, 0, 0], axis: [0, 0, 1]}}
forces: {coil: {joint-spring: hub, torque: 0.02*hub.angle}}
initial: {hub: {speed: 100}}
simulate: {duration: 6 s, tolerance: 1e-6}
outputs: {interval: 0.02}
)",
               "hub.angle", "hub.rate", [](double t) { return 100 * std::sin(t); });
}

TEST_P(LongSteps, AWheelThatARackDrives) {
  expect_turns(R"(
plane: xy
points: {O: {at: [0, 0], on: ground}}
bodies:
  wheel: {mass: 1, inertia: 0.0002, carries: [O]}
  bar: {mass: 0.5, inertia: 0.1, at: [0, 0.02]}
joints:
  slide: {prismatic: [bar, ground], axis: [1, 0]}
  teeth: {rack: [O, slide], radius: 0.02}
forces: {coil: {joint-spring: slide, stiffness: 1, free: 1}}
simulate: {duration: 6 s, tolerance: 1e-6}
outputs: {interval: 0.02}
)",
               "wheel.angle", "wheel.omega", [](double t) { return 50 * (1 - std::cos(t)); });
}

// The error of an angle counts in radians, however far the wheel has turned: on a spring whose other end
// turns at 1 rad/s, by 10⁴ rad in all, it errs as much against sin(t/100) as where that end stands. The
// spring is so soft that the error of the angle, not that of the speed, decides on the steps.
class FarTurns : public testing::TestWithParam<std::string> {};

TEST_P(FarTurns, AnAngleErrsNoMoreAfterManyTurns) {
  const auto error = [](double turning, double tolerance) {
    const std::string c = std::to_string(turning);
    const Trajectory all = rows_of(R"(
plane: xy
points: {O: {at: [0, 0], on: ground}}
bodies: {wheel: {mass: 1, inertia: 0.02, carries: [O]}}
forces: {coil: {torque: -0.02e-4*(wheel.angle - )" +
                                       c +
                                       R"(*t), on: wheel}}
initial: {wheel: {angular-velocity: 0.01 + )" +
                                       c + R"(}}
simulate: {duration: 10000 s}
outputs: {interval: 100}
)",
                                   GetParam(), tolerance);
    const std::vector<double> times = all.column("t"), angles = all.column("wheel.angle");
    double largest = 0;
    for (std::size_t i = 0; i < times.size(); ++i)
      largest = std::max(largest, std::abs(angles[i] - turning * times[i] - std::sin(times[i] / 100)));
    return largest;
  };
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    const double still = error(0, tolerance), turning = error(1, tolerance);
    // Rounding changes the steps a little; relative to the angle the error would be sixty times as large.
    EXPECT_NEAR(std::log2(turning / still), 0, 1) << tolerance;
  }
}

INSTANTIATE_TEST_SUITE_P(All, FarTurns, testing::Values("reference", "relative"),
                         [](const auto& test) { return test.param; });

INSTANTIATE_TEST_SUITE_P(All, LongSteps,
                         testing::Combine(testing::Values("natural", "reference", "relative"),
                                          testing::Values(1e-3, 1e-4, 1e-6)));

INSTANTIATE_TEST_SUITE_P(All, Turns, testing::Values("natural", "reference", "relative"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace trammel::tests::turns_test
