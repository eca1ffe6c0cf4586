// Why a run has failed, or a step is marked: the message names the cause.
#include <gtest/gtest.h>

#include <cmath>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::reasons_test {
namespace {

RunResult run_text(const std::string& text, const std::vector<std::string>& settings = {}) {
  const Mechanism mechanism = read_model_text("trammel: 1\n" + text, "reasons.yaml", settings).value();
  Simulation simulation(mechanism, mechanism.plan);
  return run(simulation);
}

// Two rods of a metre whose end is drawn away, at 2 m from t = 2 s on.
TEST(Reason, ALinkageAtTheEndOfItsReach) {
  for (const char* steps : {"simulate.tolerance=1e-6", "simulate.step=1e-3"}) {
    const RunResult result = run_text(R"(
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [0.8, 0.6], B: [1.6, 0]}
bodies: {a: {rod: [O, A], mass: 1}, b: {rod: [A, B], mass: 1}}
drivers: {pull: {position: B, equals: [1.6 + 0.2*t, 0]}}
simulate: {duration: 5 s, verify: off}
)",
                                      {steps});
    ASSERT_EQ(result.summary.status, RunStatus::failed) << steps;
    for (const char* words : {"from about t = 2", "'pull'", "end of its reach"})
      EXPECT_NE(result.summary.message.find(words), std::string::npos) << result.summary.message;
  }
}

TEST(Reason, ABeadThatLeavesItsWire) {
  const RunResult result = run_text(R"(
plane: xy
gravity: [0, -9.81]
points: {B: [0, 0]}
bodies: {m: {point: B, mass: 1 kg}}
joints: {wire: {point-on-curve: B, through: [[-1, 0.5], [0, 0], [1, -0.6], [2, -1]]}}
simulate: {duration: 5 s, tolerance: 1e-6, verify: off}
)");
  ASSERT_EQ(result.summary.status, RunStatus::failed);
  EXPECT_NE(result.summary.message.find("has left the end of its curve"), std::string::npos)
      << result.summary.message;
  EXPECT_EQ(result.summary.message.find("singular"), std::string::npos) << result.summary.message;
}

// ẍ = x³ is infinite after a second or so; a torque that grows with the speed makes it double again and
// again.
TEST(Reason, AMotionThatGrowsWithoutBound) {
  for (const char* law : {"force: [B.x^3, 0], at: B", "force: [30*B.vx, 0], at: B"}) {
    const RunResult result = run_text(std::string(R"(
plane: xy
points: {B: [1, 0]}
bodies: {m: {point: B, mass: 1 kg}}
initial: {B: {velocity: [1, 0]}}
simulate: {duration: 1000 s, tolerance: 1e-6, verify: off}
forces: {f: {)") + law + "}}\n");
    ASSERT_EQ(result.summary.status, RunStatus::failed) << law;
    EXPECT_NE(result.summary.message.find("grows without bound, to a kinetic energy of"), std::string::npos)
        << result.summary.message;
  }
}

// Explicit steps of a spinning top by Euler's rule gain energy until its numbers overflow.
TEST(Reason, NumbersThatOverflowEndTheRun) {
  const RunResult result = run_text(R"(
gravity: [0, 0, -9.81]
bodies: {top: {mass: 1, inertia: [0.01, 0.01, 0.02], at: [0.2, 0, 0], orientation: {axis: [0, 1, 0], angle: 90 deg}}}
joints: {tip: {spherical: [top, ground], at: [0, 0, 0]}}
initial: {top: {angular-velocity: [300, 0, 0]}}
simulate: {duration: 1, formulation: null-space, integrator: euler, step: 1 ms}
)");
  EXPECT_EQ(result.summary.status, RunStatus::failed);
  for (const char* words : {"by errors of the steps", "no longer a finite number"})
    EXPECT_NE(result.summary.message.find(words), std::string::npos) << result.summary.message;
  for (const double x : result.trajectory.column("violation.acceleration")) EXPECT_TRUE(std::isfinite(x));
}

// Rods of one mass that fold onto each other.
TEST(Reason, EqualMassesAreNotSaidToDiffer) {
  const RunResult result = run_text(R"(
plane: xy
gravity: [0, -9.81]
points:
  O: {at: [0, 0], on: ground}
  C: {at: [1, 0], on: ground}
  P: [2, 0]
  A: [2.5, 1.5]
  B: [2.5, -1.5]
  Q: [3, 0]
bodies:
  crank: {rod: [C, P], mass: 1}
  oa: {rod: [O, A], mass: 1}
  ob: {rod: [O, B], mass: 1}
  pa: {rod: [P, A], mass: 1}
  pb: {rod: [P, B], mass: 1}
  qa: {rod: [Q, A], mass: 1}
  qb: {rod: [Q, B], mass: 1}
simulate: {duration: 1 s, step: 1 ms, verify: off}
)");
  ASSERT_FALSE(result.summary.marked_steps.empty());
  for (const MarkedStep& mark : result.summary.marked_steps)
    EXPECT_NE(mark.reason.find("to a singular position"), std::string::npos) << mark.reason;
}

// 160 turns in a step are 2.5 in a 64th of it.
TEST(Reason, ABodyThatTurnsTooFarInAStep) {
  const RunResult result = run_text(R"(
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {a: {rod: [O, A], mass: 1}}
initial: {a: {angular-velocity: 1e6}}
simulate: {duration: 1 s, step: 1 ms, verify: off}
)");
  ASSERT_EQ(result.summary.status, RunStatus::failed);
  EXPECT_NE(result.summary.message.find("'a' turns at 1e+06 rad/s, too far in one step"), std::string::npos)
      << result.summary.message;
}

TEST(Reason, ADriverThatPushesAgainstAStop) {
  const RunResult result = run_text(R"(
plane: xy
bodies: {a: {mass: 2, inertia: 1}}
joints: {s: {prismatic: [a, ground], axis: [0, 1]}}
drivers: {push: {speed: s, equals: 0.5}}
stops: {wall: {joint: s, upper: 0.2}}
simulate: {duration: 1, verify: off}
)");
  ASSERT_EQ(result.summary.status, RunStatus::failed);
  for (const char* name : {"'push'", "'wall'"})
    EXPECT_NE(result.summary.message.find(name), std::string::npos) << result.summary.message;
}

// Friction of a guide makes a motion stiff, and is next to no singular position.
TEST(Reason, FrictionIsStiff) {
  const RunResult result = run_text(R"(
plane: xy
gravity: [3, -9.81]
bodies: {a: {mass: 2, inertia: 1}}
joints: {s: {prismatic: [a, ground], axis: [1, 0]}}
forces: {f: {friction: s, coulomb: 7, transition: 1e-4}}
simulate: {duration: 1 s, tolerance: 1e-6, verify: off, coordinates: natural}
)");
  EXPECT_NE(result.summary.choice.find("the motion is stiff"), std::string::npos) << result.summary.choice;
  EXPECT_EQ(result.summary.choice.find("singular"), std::string::npos) << result.summary.choice;
}

// A force that has no value from t = 1 s on, or none at that time alone: whatever gives up names it.
TEST(Reason, AForceThatHasNoValueIsNamedWithItsExpression) {
  for (const char* law : {"if(t<1,1,0/0)", "1/(t-1)"})
    for (const char* plan : {"tolerance=1e-6", "tolerance=1e-9", "step=1e-3"}) {
      const RunResult result = run_text(std::string(R"(
plane: xy
bodies: {m: {mass: 1, inertia: 1}}
joints: {s: {prismatic: [m, ground], axis: [1, 0]}}
simulate: {duration: 2 s, verify: off}
forces: {push: {force: [')") + law + R"(', 0], at: {body: m, at: [0, 0]}}}
)",
                                        {std::string("simulate.") + plan});
      ASSERT_EQ(result.summary.status, RunStatus::failed) << law << ", " << plan;
      for (const std::string& words : {std::string("force 'push': '") + law + "'", std::string("at t = ")})
        EXPECT_NE(result.summary.message.find(words), std::string::npos) << result.summary.message;
      EXPECT_NEAR(result.summary.time, 1, 2e-3);
    }
}

// A double has 16 digits: at 1e12 m from the origin positions are known to a tenth of a millimetre.
TEST(Reason, AMechanismFarFromTheOrigin) {
  const RunResult result = run_text(R"(
plane: xy
gravity: [0, -9.81]
points: {O: {at: [1e12, 0], on: ground}, A: [1000000000001, 0]}
bodies: {a: {rod: [O, A], mass: 1, length: 1}}
simulate: {duration: 2 s, tolerance: 1e-6, verify: off}
)");
  ASSERT_EQ(result.summary.status, RunStatus::failed);
  EXPECT_NE(result.summary.message.find("stands 1e+12 m from the origin"), std::string::npos)
      << result.summary.message;
  EXPECT_EQ(result.summary.message.find("driver"), std::string::npos) << result.summary.message;
}

}  // namespace
}  // namespace trammel::tests::reasons_test
