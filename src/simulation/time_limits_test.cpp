// Times at which what acts is infinite: no reaction exists there, and all other rows are right.
#include <gtest/gtest.h>

#include <cmath>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::time_limits_test {
namespace {

RunResult run_text(const std::string& text, const std::vector<std::string>& settings = {}) {
  const Mechanism mechanism = read_model_text("trammel: 1\n" + text, "limits.yaml", settings).value();
  Simulation simulation(mechanism, mechanism.plan);
  return run(simulation);
}

const char* const kPlans[] = {"simulate.tolerance=1e-6", "simulate.step=1e-3"};

RunResult driven(const std::string& law, const char* plan) {
  return run_text(R"(
plane: xy
bodies: {m: {mass: 1, inertia: 1}}
joints: {s: {prismatic: [m, ground], axis: [1, 0]}}
simulate: {duration: 1 s}
outputs: {interval: 0.01}
drivers: {d: {joint: s, equals: ')" +
                      law + "'}}\n",
                  {plan});
}

// s = |t − t0|^1.5 asks for the force 0.75 |t − t0|^(−1/2).
TEST(TimeLimits, AnInfiniteAccelerationIsMissing) {
  const auto expect = [](const std::string& law, double t0) {
    for (const char* plan : kPlans) {
      const RunResult result = driven(law, plan);
      ASSERT_EQ(result.summary.status, RunStatus::limited) << law << ", " << plan;
      const std::vector<double> t = result.trajectory.column("t"),
                                effort = result.trajectory.column("d.effort"),
                                v = result.trajectory.column("m.v.x");
      for (std::size_t i = 0; i < t.size(); ++i) {
        const double from = std::abs(t[i] - t0);
        if (from < 1e-9)
          EXPECT_TRUE(std::isnan(effort[i])) << law << ", " << plan << ": " << effort[i];
        else
          EXPECT_NEAR(effort[i], 0.75 / std::sqrt(from), 1e-6 * effort[i]) << law << ", " << plan;
        // Steps land on a row to about 1e-9 s.
        EXPECT_NEAR(v[i], std::copysign(1.5 * std::sqrt(from), t[i] - t0), 1.5 * std::sqrt(2e-9));
      }
      // The largest force of a row that has one: 0.01 s away.
      EXPECT_NEAR(result.summary.peak_reaction.force, 7.5, 1e-6);
      bool named = false;
      for (const MissingValues& one : result.summary.missing) {
        EXPECT_EQ(one.rows, 1);
        EXPECT_NEAR(one.first, t0, 1e-9);
        named = named || one.column == "d.effort";
        EXPECT_NE(one.reason.find("driver 'd': the second derivative of '" + law + "' is not finite at t = "),
                  std::string::npos)
            << one.reason;
      }
      EXPECT_TRUE(named);
    }
  };
  expect("t^1.5", 0);
  expect("abs(t - 0.5)^1.5", 0.5);
  expect("abs(t - 1)^1.5", 1);
}

// Laws that are steep, have a kink or pass zero quickly have limits.
TEST(TimeLimits, OtherLawsHaveOne) {
  for (const char* law : {"t^2", "t^2.5", "sin(1e4*t)/1e4", "1e-3*exp(-1e3*t)", "step(t, 0, 0, 1, 1)",
                          "abs(t - 0.5)", "0.1*sin(2*pi*100*t)", "1e-5*sin(2*pi*1000*t)"})
    for (const char* plan : kPlans) {
      const RunResult result = driven(law, plan);
      EXPECT_TRUE(result.summary.missing.empty())
          << law << ", " << plan << ": " << result.summary.missing.front().reason;
    }
}

// A force that is zero in every row, to rounding, and everywhere that is a simple part of an interval away.
TEST(TimeLimits, WavesOfWholePeriodsHaveOne) {
  for (const char* plan : kPlans) {
    const RunResult result = run_text(R"(
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {rod: {rod: [O, A], mass: 1}}
forces: {m: {torque: '100*sin(2*pi*1000*t)', on: rod}}
outputs: {interval: 0.1}
simulate: {duration: 3}
)",
                                      {plan});
    EXPECT_TRUE(result.summary.missing.empty()) << plan << ": " << result.summary.missing.front().reason;
  }
}

// A pendulum below a slider that is driven so: its motion is that of both plans.
TEST(TimeLimits, StepsOfFixedLengthBeginThere) {
  const std::string text = R"(
plane: xy
gravity: [0, -9.81]
bodies: {c: {mass: 1, inertia: 1}, p: {mass: 1, inertia: 0.1, at: [0, -1]}}
joints: {s: {prismatic: [c, ground], axis: [1, 0]}, h: {revolute: [p, c], at: [0, 0]}}
drivers: {d: {joint: s, equals: t^1.5}}
simulate: {duration: 1 s}
)";
  const RunResult a = run_text(text, {kPlans[0]}), b = run_text(text, {kPlans[1]});
  EXPECT_NEAR(a.trajectory.column("p.omega").back(), b.trajectory.column("p.omega").back(), 1e-5);
}

// A force of 1/√t: by tolerance its motion is found, a step of fixed length needs its value
// at t = 0 and names it.
TEST(TimeLimits, AnInfiniteForce) {
  const std::string text = R"(
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {a: {rod: [O, A], mass: 1}}
forces: {f: {force: [0, '1/sqrt(t)'], at: A}}
simulate: {duration: 0.1 s}
)";
  const RunResult found = run_text(text, {kPlans[0]});
  EXPECT_EQ(found.summary.status, RunStatus::limited);
  // ω ≈ 3 · 2√t as long as the rod has hardly turned.
  EXPECT_NEAR(found.trajectory.column("a.omega")[1], 6 * std::sqrt(1e-4), 1e-4);
  for (const double force : found.trajectory.column("O.force.y"))
    EXPECT_FALSE(std::abs(force) > 1e3) << force;
  const RunResult fixed = run_text(text, {kPlans[1]});
  EXPECT_EQ(fixed.summary.status, RunStatus::failed);
  for (const char* words : {"force 'f': '1/sqrt(t)'", "at t = 0 s"})
    EXPECT_NE(fixed.summary.message.find(words), std::string::npos) << fixed.summary.message;
}

}  // namespace
}  // namespace trammel::tests::time_limits_test
