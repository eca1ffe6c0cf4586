// Rows, impacts and efforts that are right, and once made a run limited, doubtful or marked.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::row_alarms_test {
namespace {

RunResult run_text(const std::string& text, const std::vector<std::string>& settings = {}) {
  const Mechanism mechanism = read_model_text("trammel: 1\n" + text, "alarms.yaml", settings).value();
  Simulation simulation(mechanism, mechanism.plan);
  return run(simulation);
}

// Friction that has just begun to stick is small beside what a stiff spring's force changes where the slider
// is moved a little: that is no singular position.
TEST(NoAlarm, SmallFrictionBesideAStiffSpring) {
  const RunResult result = run_text(R"yaml(
plane: xy
bodies: {b: {mass: 1e-6, inertia: 1}}
joints: {g: {prismatic: [b, ground], axis: [1, 0]}}
forces:
  f: {dry-friction: g, capacity: 1e-12, static: 2e-12}
  p: {joint: g, force: "1e-4*(5e-8*t - g.displacement)"}
simulate: {duration: 2, tolerance: 1e-11}
)yaml");
  EXPECT_EQ(result.summary.status, RunStatus::ok);
  EXPECT_TRUE(result.summary.marked_steps.empty());
}

// An oscillator whose rows show the same place again and again, with a speed of zero.
TEST(NoAlarm, RowsAtEveryPeriod) {
  for (const char* steps : {"simulate.tolerance=1e-6", "simulate.step=1e-4"})
    for (const char* interval : {"1", "0.5"}) {
      const RunResult result = run_text(R"(
plane: xy
parameters: {w: 2*pi}
points: {O: {at: [0, 0], on: ground}, B: [1, 0]}
bodies: {m: {point: B, mass: 1 kg}}
joints: {guide: {point-on-line: B, through: [0, 0], along: [1, 0]}}
forces: {s: {spring: [O, B], stiffness: w^2, length: 0}}
simulate: {duration: 4 s}
)",
                                        {steps, std::string("outputs.interval=") + interval});
      EXPECT_EQ(result.summary.status, RunStatus::ok) << steps << ", " << interval;
    }
}

// The same in a coordinate of one's own, which has no unit, and in a column of one's own.
TEST(NoAlarm, ReadingsAtEveryPeriod) {
  const RunResult result = run_text(R"(
coordinates: {x: 1}
mass: {x: 1}
applied: {x: -(2*pi)^2*x}
simulate: {duration: 4 s, tolerance: 1e-6}
outputs: {interval: 1, columns: {square: x^2}}
)");
  EXPECT_EQ(result.summary.status, RunStatus::ok) << result.summary.error.limit()->first;
}

// A crank that is driven through one turn from row to row: its peak is known as exactly as its motion.
TEST(NoAlarm, RowsAtEveryTurn) {
  const RunResult result = run_text(R"(
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [0.3, 0], B: [0.9, 0]}
bodies: {crank: {rod: [O, A], mass: 1}, coupler: {rod: [A, B], mass: 2}, slider: {point: B, mass: 1}}
joints: {guide: {point-on-line: B, through: [0, 0], along: [1, 0]}}
drivers: {motor: {angle: crank, equals: 2*pi*t}}
simulate: {duration: 10 s, step: 1 ms}
outputs: {interval: 1}
)");
  EXPECT_EQ(result.summary.status, RunStatus::ok);
  EXPECT_LT(result.summary.peak_reaction.error, 1e-6 * result.summary.peak_reaction.force);
}

// A motion as small as the tolerance is no rest: both runs have it, and they differ by a twentieth of it.
TEST(Alarm, ASmallOscillationIsNotTakenForRest) {
  const char* const text = R"(
plane: xy
points: {O: {at: [0, 0], on: ground}, B: [1.000001, 0]}
bodies: {m: {point: B, mass: 1 kg}}
forces: {s: {spring: [O, B], stiffness: 100, length: 1}}
simulate: {duration: 5 s, tolerance: 1e-6}
)";
  const RunResult coarse = run_text(text);
  ASSERT_EQ(coarse.summary.status, RunStatus::doubtful);
  EXPECT_NE(coarse.summary.warnings.front().find("take a smaller tolerance"), std::string::npos)
      << coarse.summary.warnings.front();
  // The remedy helps.
  EXPECT_EQ(run_text(text, {"simulate.tolerance=1e-8"}).summary.status, RunStatus::ok);
}

// A box goes to and fro between two stops, and meets one at the time of every third row.
TEST(Alarms, ARowAtTheTimeOfAnImpactIsNone) {
  const Mechanism m = read_model_text(R"(trammel: 1
plane: xy
bodies: {m: {mass: 1, inertia: 1}}
joints: {s: {prismatic: [m, ground], axis: [1, 0]}}
stops: {a: {joint: s, lower: -0.3, upper: 0.3, restitution: 1}}
initial: {s: {speed: 1}}
outputs: {interval: 0.1}
simulate: {duration: 10}
)",
                                      "alarms.yaml")
                          .value();
  Simulation simulation(m, m.plan);
  const RunResult result = run(simulation);
  EXPECT_EQ(result.summary.status, RunStatus::ok);
}

// What a driver prescribes may be a polynomial of t, which steps of any length integrate exactly; its work is
// one of a higher degree. T = W = ½ m ṡ² at every time.
TEST(NoAlarm, TheWorkOfADriverThatLeavesNoFreedom) {
  for (const char* law : {"joint: s, equals: 'step(t, 1, 0, 2, 1)'", "speed: s, equals: sin(2*pi*50*t)^2"})
    for (const char* tolerance : {"1e-5", "1e-6", "1e-8"}) {
      const RunResult result = run_text(std::string(R"(
plane: xy
bodies: {m: {mass: 1, inertia: 1}}
joints: {s: {prismatic: [m, ground], axis: [1, 0]}}
simulate: {duration: 3 s}
drivers: {d: {)") + law + "}}\n",
                                        {std::string("simulate.tolerance=") + tolerance});
      EXPECT_EQ(result.summary.status, RunStatus::ok) << law << ", " << tolerance;
      const std::vector<double> v = result.trajectory.column("m.v.x"),
                                work = result.trajectory.column("energy.work");
      for (std::size_t i = 0; i < v.size(); ++i) ASSERT_NEAR(work[i], v[i] * v[i] / 2, 2e-3) << law;
    }
}

// A ball bounces on a table that a driver moves up and down: the table does not give way, so that the driver
// does work in each impact.
TEST(NoAlarm, ImpactsOnADrivenTable) {
  const RunResult result = run_text(R"(
plane: xy
gravity: [0, -9.81]
bodies: {table: {mass: 5, inertia: 1}, m: {mass: 1, inertia: 1, at: [0, 1]}}
joints:
  lift: {prismatic: [table, ground], axis: [0, 1]}
  s: {prismatic: [m, table], at: [0, 0], axis: [0, 1]}
drivers: {d: {joint: lift, equals: 0.1*sin(10*t)}}
stops: {st: {joint: s, lower: 0, restitution: 0.5}}
simulate: {duration: 3}
)");
  EXPECT_EQ(result.summary.status, RunStatus::ok);
  EXPECT_GT(result.summary.events.size(), 10U);
  EXPECT_LT(result.summary.energy_drift, 1e-4);
}

// A table on which a body rests drops away at 2 m/s after 0.2 s, or rises at 1 m/s: the body falls freely, or
// is hit and bounces.
TEST(Alarms, AStopThatJumpsPushesAndDoesNotPull) {
  const auto with_table = [](const std::string& motion) {
    return run_text(R"(
plane: xy
gravity: [0, -9.81]
bodies: {table: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}}
joints: {lift: {prismatic: [table, ground], axis: [0, 1]}, s: {prismatic: [b, table], axis: [0, 1]}}
drivers: {d: {joint: lift, equals: ")" +
                    motion + R"("}}
stops: {st: {joint: s, lower: 0, restitution: 0.5}}
simulate: {duration: 0.4}
)");
  };
  const RunResult falls = with_table("-2*max(0, t - 0.2)"), bounces = with_table("max(0, t - 0.2)");
  EXPECT_NEAR(falls.trajectory.column("b.y").back(), -0.5 * 9.81 * 0.2 * 0.2, 1e-9);
  EXPECT_EQ(falls.summary.status, RunStatus::ok);
  // Up at 1.5 m/s, and back on the table after 2 * 0.5/9.81 s.
  ASSERT_GE(bounces.summary.events.size(), 3U);
  EXPECT_NEAR(bounces.summary.events[1].after, 0.5, 1e-9);
  EXPECT_NEAR(bounces.summary.events[2].t, 0.2 + 1 / 9.81, 1e-9);
}

// One driver turns a table at a constant speed, another starts a wheel on it at t = 1 s: the first has to
// hold its speed against the impulse.
TEST(NoAlarm, ADriverHoldsItsSpeedWhileAnotherJumps) {
  const RunResult result = run_text(R"(
plane: xy
bodies: {table: {mass: 5, inertia: 2}, wheel: {mass: 1, inertia: 1, at: [1, 0]}}
joints:
  axle: {revolute: [table, ground], at: [0, 0]}
  hub: {revolute: [wheel, table], at: [1, 0]}
drivers:
  turn: {angle: axle, equals: 3*t}
  start: {angle: hub, equals: 'if(t < 1, 0, 2*(t - 1))'}
simulate: {duration: 2}
)");
  EXPECT_EQ(result.summary.status, RunStatus::ok);
  ASSERT_EQ(result.summary.events.size(), 1U);
  EXPECT_LT(result.summary.energy_drift, 1e-6);
  // ½ (5² − 3²) more than before, of the wheel's rotation.
  const std::vector<double> work = result.trajectory.column("energy.work");
  EXPECT_NEAR(work.back() - work.front(), 8, 1e-6);
}

// Motions that begin with next to nothing: rounding is more than the reactions, and no singular position is
// near.
TEST(NoAlarm, ADriverThatStartsFromNextToNothing) {
  for (const char* law : {"t^40/1e39", "exp(-((t - 5)/0.1)^2)"}) {
    const RunResult result = run_text(std::string(R"(
plane: xy
bodies: {m: {mass: 1, inertia: 1}}
joints: {s: {prismatic: [m, ground], axis: [1, 0]}}
simulate: {duration: 10 s}
drivers: {d: {joint: s, equals: ')") + law +
                                      "'}}\n");
    EXPECT_EQ(result.summary.status, RunStatus::ok) << law;
    EXPECT_TRUE(result.summary.marked_steps.empty()) << law;
  }
}

// The phase of so small a swing is lost at this tolerance. But the force is the weight all along.
TEST(NoAlarm, ThePeakOfASwingThatIsLost) {
  const RunResult result = run_text(R"(
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1e-7, -1]}
bodies: {a: {rod: [O, A], mass: 1}}
simulate: {duration: 20 s, tolerance: 1e-6}
)");
  EXPECT_NEAR(result.summary.peak_reaction.force, 9.81, 1e-9);
  EXPECT_LT(result.summary.peak_reaction.error, 1e-5);
}

// 1 kg.m2 of 1e-9 kg has a radius of gyration of 30 km, which is no length of a mechanism: x = 0.1 sin(10 t)
// is no rest, and is known.
TEST(NoAlarm, ALightBodyWithALargeInertia) {
  for (const char* plan : {"simulate.tolerance=1e-6", "simulate.step=1e-3"}) {
    const RunResult result = run_text(R"(
plane: xy
bodies: {m: {mass: 1e-9, inertia: 1}}
joints: {s: {prismatic: [m, ground], axis: [1, 0]}}
forces: {k: {joint-spring: s, stiffness: 1e-7}}
initial: {s: {speed: 1}}
simulate: {duration: 2 s}
)",
                                      {plan});
    EXPECT_EQ(result.summary.status, RunStatus::ok) << plan;
    const std::vector<double> t = result.trajectory.column("t"), x = result.trajectory.column("m.x");
    for (std::size_t i = 0; i < t.size(); ++i) EXPECT_NEAR(x[i], 0.1 * std::sin(10 * t[i]), 1e-4) << plan;
  }
}

// A force that rises linearly for a tenth of a second, in steps of that length or shorter: v = 10 (t − 1)²,
// and the work is ½ v² at every time.
TEST(NoAlarm, TheWorkOfALinearPulse) {
  for (const char* formulation : {"augmented-lagrangian-index3", "augmented-lagrangian", "algebraic"})
    for (const char* step : {"0.1", "0.03", "0.01"}) {
      const RunResult result = run_text(
          R"(
plane: xy
bodies: {m: {mass: 1, inertia: 1}}
joints: {s: {prismatic: [m, ground], axis: [1, 0]}}
forces: {push: {force: ['if(t < 1, 0, if(t < 1.1, (t - 1)*20, 0))', 0], at: {body: m, at: [0, 0]}}}
simulate: {duration: 1.5 s}
)",
          {std::string("simulate.step=") + step, std::string("simulate.formulation=") + formulation});
      EXPECT_LT(result.summary.status, RunStatus::marked) << formulation << " " << step;
      const std::vector<double> v = result.trajectory.column("m.v.x"),
                                work = result.trajectory.column("energy.work");
      for (std::size_t i = 0; i < v.size(); ++i) ASSERT_NEAR(work[i], v[i] * v[i] / 2, 1e-9) << step;
      EXPECT_NEAR(work.back(), 0.005, 1e-9) << step;
    }
}

// Between walls at ±1 m with a constant speed: rows at whole periods show one place and one speed.
TEST(NoAlarm, RowsAtWholePeriodsBetweenWalls) {
  for (const char* plan : {"simulate.tolerance=1e-6", "simulate.step=0.03", "simulate.step=0.1"})
    for (const char* interval : {"4", "2", "1"}) {
      const RunResult result = run_text(R"(
plane: xy
bodies: {m: {mass: 1, inertia: 1}}
joints: {s: {prismatic: [m, ground], axis: [1, 0]}}
stops: {a: {joint: s, lower: -1, upper: 1, restitution: 1}}
initial: {s: {speed: 1}}
simulate: {duration: 40 s}
)",
                                        {plan, std::string("outputs.interval=") + interval});
      EXPECT_EQ(result.summary.status, RunStatus::ok) << plan << ", " << interval;
      EXPECT_EQ(result.summary.events.size(), 20U);
    }
}

// A box that a force lifts for a moment, sixteen times in 5 s, and that rests at the ends of all long steps:
// what it has of kinetic energy the impacts tell.
TEST(NoAlarm, HopsBetweenTheRows) {
  const RunResult result = run_text(R"(
plane: xy
gravity: [0, -9.81]
bodies: {box: {mass: 2, inertia: 0.1}}
joints: {guide: {prismatic: [box, ground], at: [0, 0], axis: [0, 1]}}
stops: {anvil: {joint: guide, lower: 0, restitution: 0}}
forces: {lift: {force: [0, 20*sin(20*t)], at: box.com}}
outputs: {interval: 5}
simulate: {duration: 5, tolerance: 1e-6}
)");
  EXPECT_LT(result.summary.status, RunStatus::marked)
      << (result.summary.warnings.empty() ? "" : result.summary.warnings.front());
  EXPECT_EQ(std::count_if(result.summary.events.begin(), result.summary.events.end(),
                          [](const Event& e) { return e.kind == Event::Kind::release; }),
            16);
}

}  // namespace
}  // namespace trammel::tests::row_alarms_test
