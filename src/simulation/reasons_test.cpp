// Why a run has failed, or a step is marked: the message names the cause.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "results/report/summary.h"
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

const char* const kPlans[] = {"simulate.tolerance=1e-6", "simulate.step=1e-2"};

const std::string kSlide = R"(
plane: xy
bodies: {m: {mass: 1, inertia: 1}}
joints: {s: {prismatic: [m, ground], axis: [1, 0]}}
simulate: {duration: 3 s}
)";

void expect_words(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* one : words) EXPECT_NE(text.find(one), std::string::npos) << one << " is not in: " << text;
}

// tan(t) has a pole at π/2 s, z' = z² from z = 1 is infinite at 1 s.
TEST(Reason, APoleIsNamedWithItsTime) {
  for (const char* plan : kPlans) {
    const RunResult driver = run_text(kSlide + "drivers: {d: {joint: s, equals: tan(t)}}\n", {plan});
    ASSERT_EQ(driver.summary.status, RunStatus::failed) << plan;
    expect_words(driver.summary.message,
                 {"driver 'd': 'tan(t)' is", "becomes infinite at about t = 1.5708 s"});
    EXPECT_EQ(driver.summary.message.find("origin"), std::string::npos) << driver.summary.message;
    EXPECT_EQ(driver.summary.message.find("errors of the steps"), std::string::npos)
        << driver.summary.message;
    const RunResult state = run_text(kSlide + R"(
states: {z: {initial: 1, derivative: z^2}}
forces: {f: {force: [z, 0], at: {body: m, at: [0, 0]}}}
)",
                                     {plan});
    ASSERT_EQ(state.summary.status, RunStatus::failed) << plan;
    expect_words(state.summary.message, {"state 'z': 'z^2' is", "becomes infinite at about t = 1"});
  }
}

// Steps of 10 ms take z' = z² to infinity at 0.9963 s: known to a step, this is the 1.00 s of the closed
// form.
TEST(Reason, ThePoleOfAMotionIsToldToAStep) {
  const RunResult result =
      run_text(kSlide + "states: {z: {initial: 1, derivative: z^2}}\n", {"simulate.step=0.01"});
  ASSERT_EQ(result.summary.status, RunStatus::failed);
  expect_words(result.summary.message, {"becomes infinite at about t = 1.00 s"});
}

// A force that pulls towards its pole at s = 1 m, which a mass at rest at 0 reaches after √(π/2) s.
TEST(Reason, APoleThatTheMotionPasses) {
  for (const char* plan : kPlans) {
    const RunResult result = run_text(
        kSlide + "forces: {f: {force: ['-1/(s.displacement - 1)', 0], at: {body: m, at: [0, 0]}}}\n", {plan});
    ASSERT_EQ(result.summary.status, RunStatus::doubtful) << plan;
    expect_words(result.summary.warnings.front(),
                 {"force 'f': '-1/(s.displacement - 1)' is", "becomes infinite at about t = 1.2"});
  }
}

// v = exp(100 t) doubles in 6.9 ms.
TEST(Reason, NegativeDamping) {
  const RunResult result = run_text(kSlide + R"(
forces: {f: {force: ['100*s.rate', 0], at: {body: m, at: [0, 0]}}}
initial: {s: {speed: 1}}
)",
                                    {"simulate.step=1e-2"});
  ASSERT_EQ(result.summary.status, RunStatus::failed);
  expect_words(result.summary.message,
               {"force 'f': '100*s.rate' is", "doubles in 0.0069 s with the motion", "negative damping"});
  EXPECT_EQ(result.summary.message.find("origin"), std::string::npos) << result.summary.message;
}

TEST(Reason, AFreeBodyThatMakesATurnInAStep) {
  const RunResult result = run_text(R"(
plane: xy
bodies: {m: {mass: 1, inertia: 1}}
initial: {m: {angular-velocity: 2*pi*100}}
simulate: {duration: 1 s, step: 10 ms}
)");
  EXPECT_EQ(result.summary.status, RunStatus::limited);
  expect_words(result.summary.error.failure, {"'m' turns at 628 rad/s, by 1 turns in a step of 0.01 s"});
}

TEST(Reason, DriversThatCannotStart) {
  const auto message = [](const std::string& text) { return run_text(text).summary.message; };
  expect_words(message(kSlide + "drivers: {d: {joint: s, equals: sqrt(t)}}\n"),
               {"driver 'd': the speed of 'sqrt(t)' is not finite at t = 0 s"});
  const std::string two = message(R"(
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {a: {rod: [O, A], mass: 1}}
drivers: {d: {angle: a, equals: t}, e: {angle: a, equals: 2*t}}
simulate: {duration: 1 s}
)");
  expect_words(two, {"drivers 'd' and 'e' move the same coordinate", "'a'", "speeds of 1 and 2"});
  EXPECT_EQ(two.find("finite"), std::string::npos) << two;
}

// At 1e9 m positions are rounded to 1e-7 m: the second run is no finer one, and the errors that it tells
// cover the difference from a run at the origin.
TEST(Reason, ARodFarAwayIsKnownAsFarAsRoundingAllows) {
  const auto rod = [](const char* x, const char* tolerance) {
    return run_text(std::string(R"(
plane: xy
gravity: [0, -9.81]
parameters: {x: )") + x +
                        R"(}
points: {O: {at: [x, 0], on: ground}, A: [x + 1, 0]}
bodies: {a: {rod: [O, A], mass: 1, length: 1}}
simulate: {duration: 2 s}
)",
                    {std::string("simulate.tolerance=") + tolerance});
  };
  const RunResult far = rod("1e9", "1e-6"), near = rod("0", "1e-10");
  EXPECT_EQ(far.summary.status, RunStatus::ok) << far.summary.error.failure;
  const std::vector<double> a = far.trajectory.column("a.angle"), b = near.trajectory.column("a.angle");
  ASSERT_EQ(a.size(), b.size());
  double error = 0;
  for (std::size_t i = 0; i < a.size(); ++i) error = std::max(error, std::abs(a[i] - b[i]));
  EXPECT_LT(error, 1.3 * far.summary.error.find("angle")->largest);
}

// Without mass x has to follow y, and at x = 0, where x⁴ has no slope, it cannot: no step is short enough.
// That is told after tens of thousands of trials, not after a million.
TEST(Reason, StepsThatNeverComeToTheEndAreGivenUpEarly) {
  const RunResult result = run_text(R"(
coordinates: {x: 1, y: {start: 1, rate: 1}}
mass: {x: 0, y: 1}
potential: 1
constraints: {on: x^4 + y^2 - 1}
simulate: {verify: off}
)");
  EXPECT_EQ(result.summary.status, RunStatus::failed);
  expect_words(result.summary.message, {"at t = 0 s", "tolerance"});
  EXPECT_LT(result.summary.rejected_steps, 30'000);
}

// A mass on a spring of 1e10 N/m swings by 10 µm at 1e5 rad/s. The remedy that is told helps.
TEST(Reason, AMotionThatIsSmallBesideTheTolerance) {
  const auto known = [](const char* plan) {
    const Mechanism mechanism = read_model_text("trammel: 1\n" + kSlide + R"(
forces: {k: {joint-spring: s, stiffness: 1e10}}
initial: {s: {speed: 1}}
)",
                                                "reasons.yaml", {plan, "simulate.duration=0.3"})
                                    .value();
    Simulation simulation(mechanism, mechanism.plan);
    const RunSummary summary = run(simulation).summary;
    return std::pair(summary.status, results::summary_text(simulation, {}, summary));
  };
  const auto [coarse, text] = known("simulate.tolerance=1e-6");
  EXPECT_EQ(coarse, RunStatus::limited);
  expect_words(
      text, {"the motion is small, 2e-05 m, and the tolerance holds 1e-06 m", "give a tolerance of 2e-10"});
  EXPECT_EQ(known("simulate.tolerance=2e-10").first, RunStatus::ok);
  expect_words(known("simulate.step=1e-3").second, {"which steps of 0.001 s do not follow", "stiff spring"});
}

}  // namespace
}  // namespace trammel::tests::reasons_test
