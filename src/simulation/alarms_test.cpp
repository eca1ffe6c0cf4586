// Motions that are right, and once were called doubtful, marked or impossible.
#include <gtest/gtest.h>

#include <cmath>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::alarms_test {
namespace {

RunResult run_text(const std::string& text, const std::vector<std::string>& settings = {}) {
  const Mechanism mechanism = read_model_text("trammel: 1\n" + text, "alarms.yaml", settings).value();
  Simulation simulation(mechanism, mechanism.plan);
  return run(simulation);
}

class Coordinates : public testing::TestWithParam<std::string> {};

const char* const kSpring = R"(
plane: xy
gravity: [0, -9.81]
points:
  O: {at: [0, 0], on: ground}
  B: [0, 0]
bodies: {m: {point: B, mass: 1 kg}}
forces: {s: {spring: [O, B], stiffness: 100, length: 0, damping: 0}}
simulate: {duration: 2 s, step: 1 ms}
)";

// A spring without free length pulls by k·d, which is smooth where its ends meet: y = −g/ω² (1 − cos ωt).
TEST_P(Coordinates, ASpringWithoutLengthMayStartAtItsEnd) {
  const RunResult result = run_text(kSpring, {"simulate.coordinates=" + GetParam()});
  ASSERT_EQ(result.summary.status, RunStatus::ok) << result.summary.message;
  const std::vector<double> t = result.trajectory.column("t"), y = result.trajectory.column("B.y");
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_NEAR(y[i], -0.0981 * (1 - std::cos(10 * t[i])), 2e-5);
}

// With a damper of c = 2 kg/s: the motion stays on the vertical, and its amplitude falls as exp(−t).
TEST_P(Coordinates, ADamperMayStartWhereItsEndsMeet) {
  const RunResult result =
      run_text(kSpring, {"simulate.coordinates=" + GetParam(), "forces.s.damping=2", "simulate.step=1e-4"});
  ASSERT_EQ(result.summary.status, RunStatus::ok) << result.summary.message;
  const double w = std::sqrt(99.0);
  const std::vector<double> t = result.trajectory.column("t"), y = result.trajectory.column("B.y");
  for (std::size_t i = 0; i < t.size(); ++i)
    EXPECT_NEAR(y[i], -0.0981 * (1 - std::exp(-t[i]) * (std::cos(w * t[i]) + std::sin(w * t[i]) / w)), 1e-6);
}

TEST_P(Coordinates, ASpringWithLengthIsNamedWhereItsEndsMeet) {
  const RunResult result = run_text(kSpring, {"simulate.coordinates=" + GetParam(), "forces.s.length=0.1"});
  EXPECT_EQ(result.summary.status, RunStatus::failed);
  EXPECT_NE(result.summary.message.find("the ends of spring 's' coincide"), std::string::npos)
      << result.summary.message;
}

// Two pairs of hinged plates at right angles lift a platform straight up: one hinge equation too many, at a
// tolerance near rounding.
TEST_P(Coordinates, ASarrusLinkageAtATightTolerance) {
  const RunResult result = run_text(R"(
gravity: [0, 0, -9.81]
bodies:
  a1: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [1.25, 0, 0.25]}
  b1: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [1.25, 0, 0.75]}
  a2: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0, 1.25, 0.25]}
  b2: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0, 1.25, 0.75]}
  top: {mass: 3, inertia: [1, 1, 1], at: [0, 0, 1]}
joints:
  g1: {revolute: [a1, ground], at: [1, 0, 0], axis: [0, 1, 0]}
  k1: {revolute: [b1, a1], at: [1.5, 0, 0.5], axis: [0, 1, 0]}
  t1: {revolute: [top, b1], at: [1, 0, 1], axis: [0, 1, 0]}
  g2: {revolute: [a2, ground], at: [0, 1, 0], axis: [1, 0, 0]}
  k2: {revolute: [b2, a2], at: [0, 1.5, 0.5], axis: [1, 0, 0]}
  t2: {revolute: [top, b2], at: [0, 1, 1], axis: [1, 0, 0]}
initial: {top: {velocity: [0, 0, 2]}}
simulate: {duration: 0.3 s, tolerance: 1e-9}
)",
                                    {"simulate.coordinates=" + GetParam()});
  EXPECT_EQ(result.summary.status, RunStatus::ok) << result.summary.message;
  EXPECT_TRUE(result.summary.marked_steps.empty());
  const std::vector<double> x = result.trajectory.column("top.x"), y = result.trajectory.column("top.y");
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT(std::hypot(x[i], y[i]), 1e-10);
  EXPECT_LT(result.summary.energy_drift, 1e-7);
}

// A planar linkage written in space, locked by one link too many.
TEST_P(Coordinates, ALockedRedundantLinkageRests) {
  const RunResult result = run_text(R"(
gravity: [0, -9.81, 0]
bodies:
  a: {mass: 6, inertia: [0.3, 0.3, 0.3], at: [0.5, 0.5, 0]}
  b: {mass: 2, inertia: [0.3, 0.3, 0.3], at: [1.5, 1.2, 0.3]}
  c: {mass: 2, inertia: [0.3, 0.3, 0.3], at: [2.4, 0.6, -0.2]}
  d: {mass: 1, inertia: [0.3, 0.3, 0.3], at: [1.2, 0.5, 0.1]}
joints:
  j0: {revolute: [a, ground], at: [0, 0, 0], axis: [0, 0, 1]}
  j1: {revolute: [b, a], at: [1, 1, 0], axis: [0, 0, 1]}
  j2: {revolute: [c, b], at: [2, 1.4, 0.2], axis: [0, 0, 1]}
  j3: {revolute: [c, ground], at: [3, 0, 0], axis: [0, 0, 1]}
  j4: {revolute: [d, b], at: [1.4, 1.1, 0], axis: [0, 0, 1]}
  j5: {revolute: [d, ground], at: [1, 0, 0], axis: [0, 0, 1]}
simulate: {duration: 0.2 s, step: 1 ms}
)",
                                    {"simulate.coordinates=" + GetParam()});
  EXPECT_EQ(result.summary.status, RunStatus::ok) << result.summary.message;
  for (const double v : result.trajectory.column("b.v.x")) EXPECT_LT(std::abs(v), 1e-9);
}

// Another one in any plane, with a slide and a spring that presses, whose numbers close to the last digits.
TEST_P(Coordinates, ALockedRedundantLinkageInAnyPlaneRests) {
  const RunResult result = run_text(R"(
bodies:
  b0: {mass: 6.47, inertia: [0.3, 0.3, 0.3], at: [0.0801, 0.431, 0.548]}
  b1: {mass: 2.01, inertia: [0.3, 0.3, 0.3], at: [-0.126, 0.215, 0.885]}
  b2: {mass: 1.99, inertia: [0.3, 0.3, 0.3], at: [0.295, 0.545, 0.866]}
  b3: {mass: 10.2, inertia: [0.3, 0.3, 0.3], at: [-0.178, 0.648, 0.988]}
joints:
  j0: {revolute: [ground, b0], at: [-0.013542478775740248, 0.3858744399539156, 0.6894668332158265], axis: [-0.3133656105900091, 0.40656552485970626, -0.8581995502766839]}
  j1: {revolute: [b0, b1], at: [-0.03533257478590436, 0.24679931873631483, 0.5029948950477315], axis: [-0.3133656105900091, 0.40656552485970626, -0.8581995502766839]}
  j2: {prismatic: [b0, b2], at: [0.2177533283837577, 0.22292628359353547, 0.6639113342506469], axis: [0.6359253490038714, -0.581325223846144, -0.507602142050775]}
  j3: {revolute: [b3, b1], at: [-0.24041979972413813, 0.4413906390428995, 1.0279336635694691], axis: [-0.3133656105900091, 0.40656552485970626, -0.8581995502766839]}
  l0: {revolute: [b2, ground], at: [-0.17697930383533078, 0.3848072268901872, 0.6921200693643688], axis: [-0.3133656105900091, 0.40656552485970626, -0.8581995502766839]}
  l1: {revolute: [b3, ground], at: [-0.20855257207210873, 0.7567283305714007, 0.9013001176797631], axis: [-0.3133656105900091, 0.40656552485970626, -0.8581995502766839]}
forces:
  f2: {joint-spring: j3, stiffness: 26.6, free: -0.404, damping: 0.845, preload: -19.7}
simulate: {duration: 0.45739966730632103, step: 0.0007623327788438684}
outputs: {interval: 0.07623327788438684}
)",
                                    {"simulate.coordinates=" + GetParam()});
  EXPECT_EQ(result.summary.status, RunStatus::ok) << result.summary.message;
  for (const char* body : {"b0", "b1", "b2", "b3"})
    for (const char* axis : {"x", "y", "z"})
      for (const double v : result.trajectory.column(std::string(body) + ".v." + axis))
        EXPECT_LT(std::abs(v), 1e-9) << body << axis;
}

INSTANTIATE_TEST_SUITE_P(All, Coordinates, testing::Values("natural", "reference", "relative"),
                         [](const auto& test) { return test.param; });

// Nothing moves but rounding: 1e-32 J of 1e-33 J is no drift.
TEST(NoAlarm, AMechanismThatRestsOnItsStop) {
  const RunResult result = run_text(R"(
plane: xy
gravity: [0, -9.81]
bodies: {a: {mass: 2, inertia: 1}}
joints: {s: {prismatic: [a, ground], axis: [0, 1]}}
stops: {st: {joint: s, lower: 0}}
simulate: {duration: 1}
)");
  EXPECT_EQ(result.summary.status, RunStatus::ok)
      << (result.summary.warnings.empty() ? "" : result.summary.warnings.front());
}

TEST(NoAlarm, AGearThatIsHeld) {
  const RunResult result = run_text(R"(
bodies:
  A: {mass: 100, inertia: [500, 500, 800], at: [0, 0, -1]}
  B: {mass: 25, inertia: [40, 40, 50], at: [6, 0, -1]}
joints:
  bearing1: {revolute: [A, ground], at: [0, 0, 0], axis: [0, 0, 1]}
  bearing2: {revolute: [B, ground], at: [6, 0, 0], axis: [0, 0, 1]}
  teeth:    {gear: [bearing1, bearing2], ratio: 0.5}
drivers: {hold: {angle: bearing1, equals: 0}}
forces: {load: {torque: [0, 0, 1000], on: B}}
simulate: {duration: 0.02 s, step: 1 ms}
)");
  EXPECT_EQ(result.summary.status, RunStatus::ok)
      << (result.summary.warnings.empty() ? "" : result.summary.warnings.front());
}

// Gears in a ring whose ratios do not agree hold each other: what moves is rounding.
TEST(NoAlarm, GearsThatAreLocked) {
  const RunResult result = run_text(R"(
plane: xy
bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 2, at: [1, 0]}, c: {mass: 1, inertia: 3, at: [2, 0]}}
joints:
  ja: {revolute: [a, ground], at: [0, 0]}
  jb: {revolute: [b, ground], at: [1, 0]}
  jc: {revolute: [c, ground], at: [2, 0]}
  g1: {gear: [ja, jb], ratio: 2}
  g2: {gear: [jb, jc], ratio: 3}
  g3: {gear: [ja, jc], ratio: -5}
forces: {t1: {torque: 5, on: a}}
simulate: {duration: 3}
)");
  EXPECT_EQ(result.summary.status, RunStatus::ok)
      << (result.summary.warnings.empty() ? "" : result.summary.warnings.front());
}

// A body without joints has no reactions that rounding could decide on.
TEST(NoAlarm, ABodyWithoutJoints) {
  for (const char* plan : {"{duration: 5 s, step: 0.25 ms}", "{duration: 5 s}"}) {
    const RunResult result = run_text(R"(
gravity: [0, 0, -9.80665]
bodies:
  pendulum: {mass: 1, inertia: [0.04, 0.1, 0.1], at: [-1, 4, 3], orientation: {quaternion: [1, 0, 0, 0]}}
forces:
  coil: {spring: [{body: pendulum, at: [1, 4, 3]}, {body: ground, at: [1, 2, 3]}], tension: 50*(coil.length - 2) + 10*abs(coil.length - 2)*(coil.length - 2) + 5*coil.rate}
outputs: {interval: 0.5 ms}
)" + std::string("simulate: ") + plan +
                                      "\n");
    EXPECT_EQ(result.summary.status, RunStatus::ok) << plan;
    EXPECT_TRUE(result.summary.marked_steps.empty()) << result.summary.marked_steps.front().reason;
  }
}

// Rods have their lengths, but a body that carries points has the shape of their places, rough or not.
TEST(Alarm, AShapeTakenFromRoughPlacesIsNamed) {
  const std::string model = R"(
plane: xy
points:
  O: {at: [0, 0], on: ground}
  A: [0, 1.01]
  B: [1, 1.02]
  C: {at: [1, 0], on: ground}
bodies:
  left: {rod: [O, A], mass: 1, length: 1}
  top: {mass: 1, inertia: 0.1, at: A, carries: CARRIES}
  right: {rod: [C, B], mass: 1, length: 1}
simulate: {duration: 0.01 s, step: 1 ms}
)";
  const auto with = [&](const std::string& carries) {
    std::string text = model;
    return run_text(text.replace(text.find("CARRIES"), 7, carries)).summary.assembly;
  };
  EXPECT_EQ(with("[A, B]").rough_shapes, std::vector<std::string>{"top"});
  EXPECT_TRUE(with("{A: [0, 0], B: [1, 0]}").rough_shapes.empty());
}

// A second hinge on the axis of the first, between two bodies that move, in numbers that do not lie on the
// axis to the last bit: it holds nothing more, and the motion is that of one hinge.
TEST_P(Coordinates, TwoBodiesMayHaveTwoHingesOnOneAxis) {
  const auto model = [](const std::string& second) {
    return R"(
gravity: [0, 0, -9.81]
bodies:
  arm:  {mass: 300, inertia: [3, 1, 2.5], at: [0.8, 2, 4]}
  flap: {mass: 225, inertia: [1, 0.5, 1.5], at: [-0.5, 2, 9.4], orientation: {axis: [1, 2, 3], angle: 1}}
joints:
  base: {revolute: [ground, arm], at: [0.7, 3.7, 1.3], axis: [0.6, -0.48, 0.64]}
  one:  {revolute: [flap, arm], at: [1.3, 2, 7.5], axis: [0.6, -0.48, 0.64]}
)" + second +
           "simulate: {duration: 1 s, tolerance: 1e-9}\n";
  };
  const std::vector<std::string> settings = {"simulate.coordinates=" + GetParam()};
  const RunResult once = run_text(model(""), settings);
  const RunResult twice = run_text(
      model("  two:  {revolute: [flap, arm], at: [-0.26, 3.248, 5.836], axis: [0.6, -0.48, 0.64]}\n"),
      settings);
  ASSERT_EQ(once.summary.status, RunStatus::ok) << once.summary.message;
  ASSERT_EQ(twice.summary.status, RunStatus::ok) << twice.summary.message;
  for (const char* column : {"flap.x", "flap.y", "flap.z", "arm.z", "flap.v.z"}) {
    const std::vector<double> a = once.trajectory.column(column), b = twice.trajectory.column(column);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6) << column;
  }
}

// Explicit steps of a mechanism in equilibrium grow until its rounding has grown to the tolerance: what moves
// is error alone, and no more than was asked for.
TEST(NoAlarm, RodsThatHangAtRest) {
  for (const char* tolerance : {"1e-4", "1e-6", "1e-8"}) {
    const RunResult result = run_text(R"(
plane: xy
gravity: [6, -8]
points: {O: {at: [0, 0], on: ground}, A: [0.6, -0.8], B: [1.2, -1.6]}
bodies: {a: {rod: [O, A], mass: 1}, b: {rod: [A, B], mass: 1}}
simulate: {duration: 5 s}
)",
                                      {std::string("simulate.tolerance=") + tolerance});
    EXPECT_EQ(result.summary.status, RunStatus::ok) << tolerance;
    // The weight of both: 2 kg at 10 m/s².
    EXPECT_NEAR(result.summary.peak_reaction.force, 20, 1e-3);
    EXPECT_LT(result.summary.peak_reaction.error, 1e-3);
  }
}

TEST(NoAlarm, AChainThatHangsAtRest) {
  const RunResult result = run_text(R"(
plane: xy
gravity: [0, -9.81]
points:
  P0: {at: [0, 0], on: ground}
  "P{i}": {for: {i: 1..10}, at: [0, -i*0.1]}
bodies: {"b{i}": {for: {i: 1..10}, rod: ["P{i-1}", "P{i}"], mass: 1}}
simulate: {duration: 5 s, tolerance: 1e-6}
)");
  EXPECT_EQ(result.summary.status, RunStatus::ok);
}

// It rolls at the speed of the table below it, and stays where it is.
TEST(NoAlarm, ABallAtRestOnATurntable) {
  const RunResult result = run_text(R"(
gravity: [0, 0, -9.81]
bodies:
  table: {mass: 10, inertia: [1, 1, 2]}
  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], at: [0.5, 0, 0.1]}
joints:
  axle: {revolute: [table, ground], at: [0, 0, 0], axis: [0, 0, 1]}
  roll: {rolling: ball, radius: 0.1, on: table, through: [0, 0, 0], normal: [0, 0, 1]}
drivers: {motor: {angle: axle, equals: 3*t}}
initial: {ball: {velocity: [0, 0, 0], angular-velocity: [15, 0, 0]}}
simulate: {duration: 5 s, tolerance: 1e-6}
)");
  EXPECT_EQ(result.summary.status, RunStatus::ok);
}

// A free body that spins about its middle axis. Its angular momentum, as a column of the model, is constant:
// a range that is error alone does not make it unknown.
TEST(NoAlarm, AConservedColumnIsNoReasonToDoubt) {
  const std::string text = R"(
parameters: {Ix: 2e-4, Iy: 4e-4, Iz: 5e-4, ma: (Iy + Iz - Ix)/2, mb: (Iz + Ix - Iy)/2, mc: (Ix + Iy - Iz)/2}
bodies: {b: {mass: 0.3 kg, inertia: [Ix, Iy, Iz], points: {a: [1, 0, 0], b: [0, 1, 0], c: [0, 0, 1]}}}
initial: {b: {angular-velocity: [0.01, 10, 0.01]}}
simulate: {duration: 4 s, tolerance: 1e-8}
outputs:
  columns:
    Lx: ma*(b.a.y*b.a.vz - b.a.z*b.a.vy) + mb*(b.b.y*b.b.vz - b.b.z*b.b.vy) + mc*(b.c.y*b.c.vz - b.c.z*b.c.vy)
    Ly: ma*(b.a.z*b.a.vx - b.a.x*b.a.vz) + mb*(b.b.z*b.b.vx - b.b.x*b.b.vz) + mc*(b.c.z*b.c.vx - b.c.x*b.c.vz)
)";
  const RunResult result = run_text(text);
  for (const double x : result.trajectory.column("Lx")) EXPECT_NEAR(x, 2e-6, 1e-9);
  for (const double y : result.trajectory.column("Ly")) EXPECT_NEAR(y, 4e-3, 1e-9);
  EXPECT_EQ(result.summary.status, RunStatus::ok);
  ASSERT_NE(result.summary.error.find("other"), nullptr);
  EXPECT_LT(result.summary.error.find("other")->largest, 1e-9);
  // A state that is lost is told, though every position is known.
  const RunResult lost = run_text(
      "plane: xy\nbodies: {a: {mass: 1, inertia: 1}}\njoints: {s: {prismatic: [a, ground], axis: [1, 0]}}\n"
      "states: {x: {initial: 1, derivative: 10*(y - x)}, y: {initial: 1, derivative: x*(28 - z) - y},\n"
      "         z: {initial: 1, derivative: x*y - 8/3*z}}\n"
      "outputs: {columns: {sum: x + y}}\nsimulate: {duration: 60, tolerance: 1e-6}\n");
  EXPECT_EQ(lost.summary.status, RunStatus::limited);
}

}  // namespace
}  // namespace trammel::tests::alarms_test
