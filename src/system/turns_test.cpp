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

// Angles that turn by many radians in a step: counted, or the step is shortened.
class LongSteps : public testing::TestWithParam<std::tuple<std::string, double>> {
 protected:
  // The largest error of a column, rows within steps included.
  double error(const std::string& text, const std::string& column, double (*exact)(double)) const {
    Mechanism mechanism = read_model_text("trammel: 1\n" + text, "turns.yaml").value();
    mechanism.plan.coordinates = std::get<0>(GetParam());
    mechanism.plan.tolerance = std::get<1>(GetParam());
    mechanism.plan.verify = false;
    Simulation simulation(mechanism, mechanism.plan);
    const RunResult result = run(simulation);
    EXPECT_EQ(result.summary.status, RunStatus::ok) << result.summary.message;
    const Trajectory& all = result.trajectory;
    const std::vector<double> times = all.column("t"), values = all.column(column);
    double largest = 0;
    for (std::size_t i = 0; i < times.size(); ++i)
      largest = std::max(largest, std::abs(values[i] - exact(times[i])));
    return largest;
  }
  // Of a motion of a hundred radians.
  double allowed() const { return 1e4 * std::get<1>(GetParam()); }
};

TEST_P(LongSteps, AFreeWheel) {
  EXPECT_LT(error(R"(
plane: xy
points: {O: {at: [0, 0], on: ground}}
bodies: {wheel: {mass: 1, inertia: 0.02, carries: [O]}}
initial: {wheel: {angular-velocity: 10}}
simulate: {duration: 10 s, tolerance: 1e-6}
outputs: {interval: 0.02}
)",
                  "wheel.angle", [](double t) { return 10 * t; }),
            allowed());
}

TEST_P(LongSteps, AWheelOnASoftSpring) {
  EXPECT_LT(error(R"(
plane: xy
points: {O: {at: [0, 0], on: ground}}
bodies: {wheel: {mass: 1, inertia: 0.02, carries: [O]}}
forces: {coil: {torque: -0.02*wheel.angle, on: wheel}}
initial: {wheel: {angular-velocity: 100}}
simulate: {duration: 6 s, tolerance: 1e-6}
outputs: {interval: 0.02}
)",
                  "wheel.angle", [](double t) { return 100 * std::sin(t); }),
            allowed());
}

TEST_P(LongSteps, AWheelOnASoftSpringInSpace) {
  EXPECT_LT(error(R"(
bodies: {wheel: {mass: 1, inertia: [0.01, 0.01, 0.02]}}
joints: {hub: {revolute: [wheel, ground], at: [0, 0, 0], axis: [0, 0, 1]}}
forces: {coil: {joint-spring: hub, torque: 0.02*hub.angle}}
initial: {hub: {speed: 100}}
simulate: {duration: 6 s, tolerance: 1e-6}
outputs: {interval: 0.02}
)",
                  "hub.angle", [](double t) { return 100 * std::sin(t); }),
            allowed());
}

TEST_P(LongSteps, AWheelThatARackDrives) {
  EXPECT_LT(error(R"(
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
                  "wheel.angle", [](double t) { return 50 * (1 - std::cos(t)); }),
            allowed());
}

INSTANTIATE_TEST_SUITE_P(All, LongSteps,
                         testing::Combine(testing::Values("natural", "reference", "relative"),
                                          testing::Values(1e-3, 1e-4, 1e-6)));

INSTANTIATE_TEST_SUITE_P(All, Turns, testing::Values("natural", "reference", "relative"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace trammel::tests::turns_test
