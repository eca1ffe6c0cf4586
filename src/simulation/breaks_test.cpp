// Forces and drivers that jump or have kinks in time: steps end there, short pulses are never passed unseen.
#include "simulation/breaks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::breaks_test {
namespace {

// A slider of 2 kg that a force pushes along x.
std::string slider(const std::string& force, const std::string& plan, const std::string& more = "") {
  return "trammel: 1\nplane: xy\nbodies: {a: {mass: 2, inertia: 1}}\n"
         "joints: {s: {prismatic: [a, ground], axis: [1, 0]}}\n"
         "forces: {push: {force: [\"" +
         force + "\", 0], at: a.com}}\nsimulate: " + plan + "\n" + more;
}

Mechanism model(const std::string& text) { return read_model_text(text, "breaks.yaml").value(); }

std::vector<double> breaks_of(const std::string& force, double until, const std::string& more = "") {
  simulation::Breaks breaks(model(slider(force, "{duration: 1, step: 1 ms}", more)), {});
  std::vector<double> all;
  for (State state; state.t < until;) {
    const simulation::Breaks::Next next = breaks.after(state, until, 0);
    if (next.breaks) all.push_back(next.t);
    state.t = std::min(next.t, until);
  }
  return all;
}

void expect_times(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-11) << k;
}

TEST(Breaks, AreFoundWhereverAnExpressionHasThem) {
  expect_times(breaks_of("if(t > 0.5 and t <= 0.75, 3, 0)", 1), {0.5, 0.75});
  expect_times(breaks_of("step(t, 0.2, 0, 0.3, 5)", 1), {0.2, 0.3});
  expect_times(breaks_of("abs(2*t - 1) + max(t, 0.25)", 1), {0.25, 0.5});
  expect_times(breaks_of("floor(4*t)", 1.1), {0.25, 0.5, 0.75, 1});
  expect_times(breaks_of("mod(1 - t, 0.4)", 1.1), {0.2, 0.6, 1});
  expect_times(breaks_of("pulse(2*t)", 2, "functions: {pulse: {table: [[0, 0], [1, 1], [2, 0]]}}\n"),
               {0.5, 1});
  expect_times(breaks_of("min(t, 0.25)", 1), {0.25});
  expect_times(breaks_of("step(t, 0.2, 0, 0.3, 5)*step(t, 0.6, 1, 0.7, 0)", 1), {0.2, 0.3, 0.6, 0.7});
  // Beyond its ends a spline goes on otherwise; at its knots its third derivative jumps.
  expect_times(breaks_of("way(t)", 2, "functions: {way: {spline: [[0.5, 0], [0.7, 1], [1.5, 0]]}}\n"),
               {0.5, 0.7, 1.5});
  expect_times(breaks_of("sin(3*t) + 5", 10), {});
}

// The first break of a model, which must be one at t = 0.3 s, and what acts in it.
void expect_a_break(const std::string& text, const std::string& acts) {
  SCOPED_TRACE(acts);
  ModelInput input =
      read_model_text("trammel: 1\nsimulate: {duration: 1}\n" + text + acts + "\n", "acts.yaml");
  ASSERT_TRUE(input.errors.empty()) << input.errors.front().message;
  simulation::Breaks breaks(input.mechanism, {});
  State state;
  const simulation::Breaks::Next next = breaks.after(state, 1, 0);
  EXPECT_TRUE(next.breaks);
  EXPECT_NEAR(next.t, 0.3, 1e-11);
}

const char* const kTwoSlidersAndAWheel = R"(
plane: xy
points: {P: [0, 3], O: {at: [0, 0], on: ground}}
bodies:
  a: {mass: 2, inertia: 1}
  b: {mass: 1, inertia: 1, at: [3, 0]}
  w: {mass: 1, inertia: 1, at: [0, 3]}
  p: {point: P, mass: 1, free: true}
joints:
  s: {prismatic: [a, ground], axis: [1, 0]}
  r: {prismatic: [b, ground], axis: [1, 0]}
  h: {revolute: [w, ground], at: [0, 3]}
)";

// Whatever has an expression breaks where that does: all that acting_expressions() lists and a model file can
// write. A tendon has numbers only, and the expression of a coupler has neither time nor kinks.
TEST(Breaks, AreFoundInEverythingThatActs) {
  for (const char* const acts : {
           "drivers: {d: {joint: s, equals: 'max(t, 0.3)'}}",
           "drivers: {d: {speed: s, equals: 'max(t, 0.3)'}}",
           "drivers: {d: {angle: w, equals: 'max(t, 0.3)'}}",
           "drivers: {d: {speed: w, equals: 'max(t, 0.3)'}}",
           "drivers: {d: {distance: [O, P], equals: '3 + max(t, 0.3)'}}",
           "drivers: {d: {position: P, equals: [free, '3 + max(t, 0.3)']}}",
           "states: {z: 'max(t, 0.3)'}",
           "forces: {f: {force: ['max(t, 0.3)', 0], at: P}}",
           "forces: {f: {force: [0, 'max(t, 0.3)'], at: P}}",
           "forces: {f: {torque: 'max(t, 0.3)', on: a}}",
           "forces: {f: {spring: [a.com, b.com], tension: 'max(t, 0.3)*f.length'}}",
           "forces: {f: {joint-spring: s, force: 'max(t, 0.3)*s.displacement'}}",
           "forces: {f: {joint-spring: h, torque: 'max(t, 0.3)*h.angle'}}",
           "forces: {f: {joint: s, force: 'max(t, 0.3)'}}",
           "forces: {f: {joint: h, torque: 'max(t, 0.3)'}}",
           "forces: {f: {belt: [a, b], radii: [1, 1], closed: false, tension: 'max(t, 0.3) + 5*f.stretch'}}",
           "forces: {f: {dry-friction: s, capacity: 'max(t, 0.3)'}}",
           "forces: {f: {dry-friction: s, capacity: 0.1, static: 'max(t, 0.3)'}}",
           "forces: {f: {clutch: [s, r], capacity: 'max(t, 0.3)'}}",
           "forces: {f: {clutch: [s, r], capacity: 0.1, static: 'max(t, 0.3)'}}",
       })
    expect_a_break(kTwoSlidersAndAWheel, acts);
  for (const char* const tie :
       {"{s.rate: 1, r.rate: 2}, equals: 'max(t, 0.3)'", "{s.rate: 'max(t, 0.3)', r.rate: 2}"})
    expect_a_break(kTwoSlidersAndAWheel, std::string("  tie: {velocity: ") + tie + "}");
  const std::string own = "coordinates: {x: 0, y: 1}\n";
  expect_a_break(own, "mass: {x: 'max(t, 0.3)', y: 1}");
  for (const char* const acts :
       {"applied: {y: 'max(t, 0.3)*x.rate'}", "potential: 'max(t, 0.3)*y'",
        "constraints: {c: 'x - max(t, 0.3)'}", "constraints: {c: 'x.rate - max(t, 0.3)'}",
        "constraints: {c: 'max(t, 0.3)*x.rate + y.rate'}", "states: {z: 'max(t, 0.3)'}"})
    expect_a_break(own + "mass: {x: 1, y: 1}\n", acts);
}

// Functions of time that are no straight lines are searched; a pulse of a millisecond in ten seconds too.
TEST(Breaks, AreFoundInCurves) {
  std::vector<double> halves;
  for (int k = 1; k < 20; ++k) halves.push_back(0.5 * k);
  expect_times(breaks_of("sign(sin(2*pi*t))", 9.9), halves);
  const double pi = std::numbers::pi, half = std::acos(1 - 1e-7);  // 0.4 ms
  expect_times(breaks_of("if(cos(t - 7) > 1 - 1e-7, 1, 0)", 10),
               {7 - 2 * pi - half, 7 - 2 * pi + half, 7 - half, 7 + half});
  // What depends on the motion has no times of its own.
  expect_times(breaks_of("abs(s.rate)", 10), {});
}

// A function of time that rests on a level is not searched for the times at which it meets it.
TEST(Breaks, AreFewWhereAFunctionRestsOnALevel) {
  expect_times(breaks_of("if(floor(t) <= 0, 1, 0)", 2.5), {1, 2});
  EXPECT_LE(breaks_of("if(step(t, 0, 0, 0.01, 1) >= 1, 1, 0)", 100).size(), 3U);
}

// √t has a slope without bound at the start, where it equals t. It does so again at 1.
TEST(Breaks, NextToTheStartAreLocatedToo) {
  const std::vector<double> times = breaks_of("if(t == sqrt(t), 1, 0)", 2);
  ASSERT_FALSE(times.empty());
  EXPECT_LE(times.size(), 4U);  // on both sides of 0 and of 1
  EXPECT_NEAR(times.back(), 1, 1e-13);
}

struct Way {
  std::string name, plan;
};
class Pulses : public testing::TestWithParam<Way> {};

// 6 N for 3 s in 100 s, then for 1 ms: v = 9, then 9.003 m/s, to what rounding and the solver leave.
TEST_P(Pulses, AreNeverSteppedOver) {
  const std::string plan = "{duration: 100, " + GetParam().plan + "}";
  const Mechanism mechanism =
      model(slider("if(t > 41.3 and t < 44.3, 6, 0) + if(t > 70.1234 and t < 70.1244, 6, 0)", plan));
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  ASSERT_TRUE(simulation.advance_to(41.2).report.accepted());
  EXPECT_NEAR(simulation.speed("s"), 0, 1e-12);
  ASSERT_TRUE(simulation.advance_to(60).report.accepted());
  EXPECT_NEAR(simulation.speed("s"), 9, 1e-8);
  EXPECT_NEAR(simulation.coordinate("s"), 0.5 * 3 * 9 + 15.7 * 9, 1e-6);
  const Report last = simulation.advance_to(80).report;
  ASSERT_TRUE(last.accepted()) << explain(last, simulation);
  EXPECT_NEAR(simulation.speed("s"), 9.003, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(
    All, Pulses,
    testing::Values(Way{"automatic_6", "tolerance: 1e-6"}, Way{"automatic_9", "tolerance: 1e-9"},
                    Way{"fixed", "step: 0.07"}, Way{"reference", "step: 0.07, coordinates: reference"},
                    Way{"relative", "tolerance: 1e-6, coordinates: relative"},
                    Way{"lagrange_rk4", "step: 0.07, formulation: lagrange, integrator: rk4"},
                    Way{"euler", "step: 0.07, formulation: lagrange, integrator: rk2-heun"},
                    Way{"radau", "tolerance: 1e-6, formulation: lagrange, integrator: radau9"},
                    Way{"bdf", "tolerance: 1e-10, formulation: lagrange, integrator: cvode-bdf"},
                    Way{"alpha", "step: 0.07, integrator: generalized-alpha"},
                    Way{"modular", "step: 0.07, formulation: modular"},
                    Way{"index3_tolerance", "tolerance: 1e-6, formulation: augmented-lagrangian-index3"}),
    [](const auto& test) { return test.param.name; });

// A square wave makes a triangle of the speed: back to zero after each second.
TEST(Breaks, ASquareWaveIsFollowedExactly) {
  for (const char* plan : {"{duration: 10, tolerance: 1e-8}", "{duration: 10, step: 0.03}"}) {
    const Mechanism mechanism = model(slider("2*sign(sin(2*pi*t))", plan, "outputs: {interval: 0.05}\n"));
    Simulation simulation(mechanism, mechanism.plan);
    const RunResult result = run(simulation);
    ASSERT_EQ(result.summary.status, RunStatus::ok) << result.summary.message;
    const std::vector<double> t = result.trajectory.column("t"), v = result.trajectory.column("s.rate");
    for (std::size_t i = 0; i < t.size(); ++i) {
      const double phase = t[i] - std::floor(t[i]);
      EXPECT_NEAR(v[i], phase < 0.5 ? phase : 1 - phase, 1e-9) << plan << " t = " << t[i];
    }
  }
}

const char* const kDriven = R"(
trammel: 1
plane: xy
bodies: {a: {mass: 2, inertia: 1}, b: {mass: 1, inertia: 1, at: [1, 0]}}
joints:
  s: {prismatic: [a, ground], axis: [1, 0]}
  r: {prismatic: [b, ground], axis: [1, 0]}
forces: {spring: {spring: [a.com, b.com], stiffness: 10, length: 1}}
functions: {way: {table: [[0, 0], [1, 0], [2, 1], [3, 1]]}}
drivers: {pull: {joint: s, equals: "EQUALS"}}
simulate: {duration: 3 s, step: 10 ms}
)";

std::string driven(const std::string& equals) {
  std::string text = kDriven;
  return text.replace(text.find("EQUALS"), 6, equals);
}

// The kinks of a table are impulses: 2 kg from 0 to 1 m/s and back, told with driver and time.
TEST(Breaks, AJumpOfADriversSpeedIsAnImpulse) {
  for (const char* coordinates : {"natural", "reference", "relative"}) {
    Mechanism mechanism = model(driven("way(t)"));
    mechanism.plan.coordinates = coordinates;
    Simulation simulation(mechanism, mechanism.plan);
    const RunResult result = run(simulation);
    ASSERT_EQ(result.summary.status, RunStatus::ok)
        << result.summary.message << (result.summary.warnings.empty() ? "" : result.summary.warnings[0]);
    std::vector<Event> jumps;
    for (const Event& e : result.summary.events)
      if (e.kind == Event::Kind::jump) jumps.push_back(e);
    ASSERT_EQ(jumps.size(), 2U) << coordinates;
    EXPECT_NEAR(jumps[0].t, 1, 1e-9);
    EXPECT_EQ(jumps[0].name, "pull");
    EXPECT_NEAR(jumps[0].before, 0, 1e-9);
    EXPECT_NEAR(jumps[0].after, 1, 1e-9);
    EXPECT_NEAR(jumps[0].impulse, 2, 1e-8);
    EXPECT_NEAR(jumps[0].energy, 1, 1e-8);
    EXPECT_NEAR(jumps[1].impulse, -2, 1e-8);
    // The rule's own error of the second body's swing, of second order, not that of the kinks.
    EXPECT_LT(result.summary.energy_drift, 3e-4) << coordinates;
    mechanism.plan.step /= 2;
    Simulation finer(mechanism, mechanism.plan);
    EXPECT_NEAR(result.summary.energy_drift / run(finer).summary.energy_drift, 4, 0.2) << coordinates;
  }
}

TEST(Breaks, AJumpOfADriversPositionIsRefused) {
  const Mechanism mechanism = model(driven("if(t < 1.5, 0, 0.2)"));
  Simulation simulation(mechanism, mechanism.plan);
  const RunResult result = run(simulation);
  EXPECT_EQ(result.summary.status, RunStatus::failed);
  EXPECT_NE(result.summary.message.find("driver 'pull' jumps from 0 to 0.2 at t = 1.5 s"), std::string::npos)
      << result.summary.message;
  EXPECT_NEAR(result.summary.time, 1.5, 1e-9);  // what was computed before is kept
}

// A copied state goes on to the same bits from either side of a break.
TEST(Breaks, AStateThatIsRestoredGoesOnToTheSameBits) {
  const Mechanism mechanism = model(driven("way(t)"));
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (const double t : {0.5, 1.0, 1.5}) {
    ASSERT_TRUE(simulation.advance_to(t).report.accepted());
    const State kept = simulation.state();
    ASSERT_TRUE(simulation.advance_to(2.5).report.accepted());
    const State first = simulation.state();
    simulation.restore(kept);
    ASSERT_TRUE(simulation.advance_to(2.5).report.accepted());
    EXPECT_EQ(simulation.state().q, first.q);
    EXPECT_EQ(simulation.state().v, first.v);
    simulation.restore(kept);
  }
}

// What was found of a curved crossing goes with the state: a search from elsewhere would round it otherwise.
TEST(Breaks, AnotherSimulationGoesOnToTheSameBits) {
  const Mechanism mechanism =
      model(slider("if(sin(7*t) + 0.3*t > 0.2, 3, -1)", "{duration: 3, tolerance: 1e-6}"));
  Simulation one(mechanism, mechanism.plan);
  ASSERT_TRUE(one.assemble().report.accepted());
  for (int n = 0; one.state().t < 2; ++n) {
    Simulation other(mechanism, mechanism.plan);
    other.restore(state_from_bytes(to_bytes(one.state())));
    ASSERT_TRUE(one.advance(0.01 * (1 + n % 7)).report.accepted());
    ASSERT_TRUE(other.advance(0.01 * (1 + n % 7)).report.accepted());
    ASSERT_EQ(to_bytes(one.state()), to_bytes(other.state())) << one.state().t;
  }
}

}  // namespace
}  // namespace trammel::tests::breaks_test
