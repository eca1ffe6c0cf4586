// End-stops and conditions that end a run, in every plan, against closed forms.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "simulation/event_plans_testing.h"
#include "simulation/plan_check.h"
#include "system/system.h"
#include "trammel/model.h"
#include "trammel/run.h"
#include "trammel/simulation.h"

namespace trammel::tests::events_test {
namespace {

constexpr double kGravity = 9.81;

Mechanism read(const std::string& text) {
  ModelInput input = read_model_text(text, "m.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

std::string errors_of(const std::string& text) {
  std::string all;
  for (const InputError& error : read_model_text(text, "m.yaml").errors) all += to_string(error) + "\n";
  return all;
}

// A box that falls along a guide onto a stop one metre below.
const std::string kFalling = R"yaml(trammel: 1
plane: xy
gravity: [0, -9.81]
bodies:
  box: {mass: 2, inertia: 0.1, at: [0, 1]}
joints:
  guide: {prismatic: [box, ground], at: [0, 0], axis: [0, 1], coordinate: 1}
stops:
  anvil: {joint: guide, lower: 0, restitution: 0.5}
simulate: {duration: 2, step: 10 ms}
)yaml";

// The same in a coordinate of one's own.
const std::string kFallingCoordinate = R"yaml(trammel: 1
coordinates: {s: 1}
mass: {s: 2}
applied: {s: -2*9.81}
stops:
  anvil: {coordinate: s, lower: 0, restitution: 0.5}
simulate: {duration: 2, step: 10 ms}
)yaml";

struct Rows final : ResultSink {
  std::vector<double> t;
  void write(std::span<const double> row) override { t.push_back(row[0]); }
};

TEST(EndStops, ABoxBouncesAsTheClosedFormAndComesToRestInEveryPlan) {
  const double fall = std::sqrt(2 / kGravity), e = 0.5;
  for (const std::string& text : {kFalling, kFallingCoordinate})
    for (const Way& way : kWays) {
      const Mechanism mechanism = read(text);
      Simulation simulation(mechanism, plan_of(mechanism, way));
      const AssemblyReport assembly = simulation.assemble();
      ASSERT_TRUE(assembly.report.accepted()) << way.formulation << ": " << assembly.report.message;
      Rows sink;
      const RunSummary summary = run(simulation, sink);
      const std::string name = std::string(way.formulation) + " by " + way.integrator;
      ASSERT_NE(summary.status, RunStatus::failed) << name << ": " << summary.message;
      ASSERT_GT(summary.events.size(), 5U) << name;
      // Times: fall, then flights of 2eⁿ·fall. Constant acceleration is exact in every fixed step; error
      // control starts anew after each impact, and penalty gives way a little.
      double t = fall, flight = 2 * e * fall;
      const double within = std::string(way.formulation) == "penalty" ? 1e-4
                            : way.tolerance > 0                       ? 1e-6
                                                                      : 2e-8;
      for (std::size_t n = 0; n < 4; ++n) {
        const Event& impact = summary.events[n];
        EXPECT_EQ(impact.kind, Event::Kind::impact) << name;
        EXPECT_NEAR(impact.t, t, within) << name << ", impact " << n;
        EXPECT_NEAR(impact.after, -e * impact.before, 1e-9) << name;
        EXPECT_NEAR(impact.impulse, 2 * (1 + e) * std::abs(impact.before), 1e-7) << name;
        EXPECT_NEAR(impact.energy, -(1 - e * e) * impact.before * impact.before, 1e-6) << name;
        t += flight;
        flight *= e;
      }
      // Rest after fall·(1 + e)/(1 − e): the flights left out are below the rise of 1e-8 m.
      const Event& last = summary.events.back();
      EXPECT_EQ(last.kind, Event::Kind::rest) << name;
      EXPECT_NEAR(last.t, fall * (1 + e) / (1 - e), 2e-4) << name;
      EXPECT_NEAR(simulation.energy().kinetic, 0, 1e-10) << name;
      if (std::string(way.formulation) != "penalty") {
        EXPECT_LT(summary.energy_drift, 1e-5) << name;
        // At rest the stop carries the weight.
        Report solved;
        const State exact = simulation.with_reactions(solved);
        const auto& rows = simulation.system().rows();
        for (std::size_t r = 0; r < rows.size(); ++r)
          if (rows[r].name == "anvil") {
            EXPECT_NEAR(-exact.lambda[r], 2 * kGravity, 1e-8) << name;
          }
      }
    }
}

TEST(EndStops, AnImpactBetweenTwoBodiesKeepsTheirAngularMomentum) {
  // Two rods hang in the plane from O; their knee may bend one way only, and locks at zero with e = 0.3.
  const Mechanism mechanism = read(R"yaml(trammel: 1
plane: xy
gravity: [0, 0]
points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [1.5, 0.8]}
bodies:
  thigh: {rod: [O, A], mass: 2, length: 1}
  shank: {rod: [A, B], mass: 1, length: 1}
joints: {}
initial: {B: {velocity: [0.8, -1.2]}}
stops: {knee: {joint: A, upper: -0.2, restitution: 0.3}}
simulate: {duration: 2, step: 1 ms}
)yaml");
  Simulation simulation(mechanism, mechanism.plan);
  const AssemblyReport assembly = simulation.assemble();
  ASSERT_TRUE(assembly.report.accepted()) << assembly.report.message;
  // About O, from poses: Σ m (r × v) + J ω.
  const auto momentum = [&] {
    double sum = 0;
    const std::vector<Pose> poses = simulation.system().poses(simulation.state());
    const double mass[] = {2, 1}, inertia[] = {2 / 12.0, 1 / 12.0};
    for (std::size_t b = 0; b < 2; ++b)
      sum += mass[b] * poses[b].position.cross(poses[b].velocity).z() +
             inertia[b] * poses[b].angular_velocity.z();
    return sum;
  };
  const double start = momentum();
  std::vector<Event> events;
  for (int i = 0; i < 2000; ++i) {
    const StepResult step = simulation.step(1e-3);
    ASSERT_TRUE(step.report.accepted()) << step.report.message;
    events.insert(events.end(), step.events.begin(), step.events.end());
  }
  ASSERT_FALSE(events.empty());
  EXPECT_NEAR(events[0].after, -0.3 * events[0].before, 1e-9);
  EXPECT_LT(events[0].energy, -1e-3);
  // Second order of the rule over 2000 steps; the impact itself is exact.
  EXPECT_NEAR(momentum(), start, 2e-6 * std::abs(start));
}

TEST(EndStops, LetsGoWhereTheForceWouldHaveToPull) {
  // A force grows by 10 N/s on a box of 2 kg that rests on its stop: it lifts at t = 1.962 s.
  std::string text = kFalling;
  text.replace(text.find("stops:"), 6,
               "forces:\n  lift: {force: [0, 10*t], at: {body: box, at: [0, 0]}}\nstops:");
  text.replace(text.find("at: [0, 1]}"), 11, "at: [0, 0]}");
  text.replace(text.find("coordinate: 1"), 13, "coordinate: 0");
  text.replace(text.find("duration: 2"), 11, "duration: 3");
  const Mechanism mechanism = read(text);
  for (const Way& way : kWays) {
    Simulation simulation(mechanism, plan_of(mechanism, way));
    ASSERT_TRUE(simulation.assemble().report.accepted());
    Rows sink;
    const RunSummary summary = run(simulation, sink);
    const std::string name = std::string(way.formulation) + " by " + way.integrator;
    ASSERT_NE(summary.status, RunStatus::failed) << name << ": " << summary.message;
    ASSERT_EQ(summary.events.size(), 1U) << name;
    EXPECT_EQ(summary.events[0].kind, Event::Kind::release) << name;
    EXPECT_NEAR(summary.events[0].t, 2 * kGravity / 10, 1e-8) << name;
    // Then s = 10/(6·2)(t − t₀)³, as its rule has it.
    const double t = 3 - 2 * kGravity / 10;
    EXPECT_NEAR(simulation.system().poses(simulation.state()).empty()
                    ? 0
                    : simulation.system().poses(simulation.state())[0].position.y(),
                10.0 / 12 * t * t * t, 1e-3)
        << name;
  }
}

// What starts at rest on its stop rests on it from the first row on, unless it is pulled off; nothing
// happens.
TEST(EndStops, HoldFromTheStartWhatIsPressedAgainstThem) {
  for (const double pull : {0.0, 30.0})
    for (const char* plan : {"tolerance: 1e-6", "step: 10 ms", "tolerance: 1e-6, coordinates: relative"}) {
      std::string text = kFalling;
      text.replace(text.find("at: [0, 1]"), 10, "at: [0, 0]");
      text.replace(text.find("coordinate: 1"), 13, "coordinate: 0");
      text.replace(text.find("step: 10 ms"), 11, plan);
      text += "forces: {pull: {force: [0, " + std::to_string(pull) + "], at: box.com}}\n";
      const Mechanism mechanism = read(text);
      Simulation simulation(mechanism, mechanism.plan);
      const RunResult result = run(simulation);
      ASSERT_EQ(result.summary.status, RunStatus::ok) << plan << result.summary.message;
      EXPECT_TRUE(result.summary.events.empty()) << plan << pull;
      const std::vector<double> effort = result.trajectory.column("anvil.effort");
      for (const double force : effort) EXPECT_NEAR(force, pull > 0 ? 0 : 2 * kGravity, 1e-7) << plan;
    }
}

// Nothing but the stop keeps a box from moving, so that steps may be as long as the run: the stop is asked
// within them whether it would have to pull.
TEST(EndStops, LetGoWithinLongSteps) {
  const std::pair<double, int> forces[] = {
      {1, 1}, {20, 16}, {50, 40}};  // rad/s, and how often it lifts in 5 s
  for (const auto& [omega, lifts] : forces) {
    std::string text = kFalling;
    text.replace(text.find("at: [0, 1]"), 10, "at: [0, 0]");
    text.replace(text.find("coordinate: 1"), 13, "coordinate: 0");
    text.replace(text.find("restitution: 0.5"), 16, "restitution: 0");
    text.replace(text.find("duration: 2, step: 10 ms"), 24, "duration: 5, tolerance: 1e-6");
    text += "forces: {lift: {force: [0, \"20*sin(" + std::to_string(omega) + "*t)\"], at: box.com}}\n";
    const Mechanism mechanism = read(text);
    Simulation simulation(mechanism, mechanism.plan);
    const RunResult result = run(simulation);
    std::vector<double> released;
    for (const Event& e : result.summary.events)
      if (e.kind == Event::Kind::release) released.push_back(e.t);
    ASSERT_EQ(released.size(), static_cast<std::size_t>(lifts)) << omega;
    EXPECT_NEAR(released[0], std::asin(2 * kGravity / 20) / omega, 1e-8) << omega;
    for (const double force : result.trajectory.column("anvil.effort")) EXPECT_GT(force, -1e-6) << omega;
  }
}

// Play of a micrometre: the way back and forth is as long as the play, a thousand times.
TEST(EndStops, AreMetAtTheirLimits) {
  const Mechanism mechanism = read(R"yaml(trammel: 1
plane: xy
bodies: {box: {mass: 2, inertia: 0.1}}
joints: {guide: {prismatic: [box, ground], at: [0, 0], axis: [1, 0]}}
stops: {play: {joint: guide, lower: 0, upper: 1e-6, restitution: 1}}
initial: {guide: {displacement: 0.5e-6, speed: 1}}
simulate: {duration: 1.00025e-3, tolerance: 1e-6}
)yaml");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  ASSERT_TRUE(simulation.advance_to(1.00025e-3).report.accepted());
  // 1000.25 and a half ways from the lower limit
  EXPECT_NEAR(simulation.coordinate("guide"), 0.75e-6, 1e-11);
  EXPECT_NEAR(simulation.speed("guide"), 1, 1e-9);
}

TEST(EndStops, ImpactsAtOnceShareTheEnergyTheyTake) {
  const Mechanism mechanism = read(R"yaml(trammel: 1
coordinates: {x: {start: 1, rate: -2}, y: {start: 1, rate: -2}}
mass: {x: 2, y: 1, x y: 0.5}
stops:
  a: {coordinate: x, lower: 0, restitution: 0.5}
  b: {coordinate: y, lower: 0, restitution: 0.2}
simulate: {duration: 1, step: 10 ms}
)yaml");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const double before = simulation.energy().kinetic;
  const StepResult step = simulation.step(0.6);
  ASSERT_TRUE(step.report.accepted()) << step.report.message;
  ASSERT_EQ(step.events.size(), 2U);
  EXPECT_NEAR(step.events[0].after, 1, 1e-9);
  EXPECT_NEAR(step.events[1].after, 0.4, 1e-9);
  // ½ v⁺ᵀM v⁺ − ½ v⁻ᵀM v⁻
  const double after = 0.5 * (2 * 1 + 1 * 0.16 + 2 * 0.5 * 0.4);
  EXPECT_NEAR(step.events[0].energy + step.events[1].energy, after - before, 1e-9);
}

TEST(EndStops, AnExcursionWithinOneStepIsNoticed) {
  // Thrown up at 5 m/s, the box would turn at 1.27 m; the ceiling is at 1.2 m, and one step takes 1 s.
  std::string text = kFallingCoordinate;
  text.replace(text.find("coordinates: {s: 1}"), 19, "coordinates: {s: {start: 0, rate: 5}}");
  text.replace(text.find("lower: 0"), 8, "upper: 1.2");
  const Mechanism mechanism = read(text);
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const StepResult step = simulation.step(1);
  ASSERT_TRUE(step.report.accepted()) << step.report.message;
  ASSERT_EQ(step.events.size(), 1U);
  EXPECT_NEAR(step.events[0].t, (5 - std::sqrt(25 - 2 * kGravity * 1.2)) / kGravity, 1e-9);
}

TEST(EndStops, ACopiedStateResumesAtRestToTheSameBits) {
  const Mechanism mechanism = read(kFalling);
  Simulation one(mechanism, mechanism.plan), two(mechanism, mechanism.plan);
  ASSERT_TRUE(one.assemble().report.accepted());
  ASSERT_TRUE(two.assemble().report.accepted());
  for (int i = 0; i < 180; ++i) ASSERT_TRUE(one.step(0.01).report.accepted());
  two.restore(one.state());
  ASSERT_TRUE(one.step(0.01).report.accepted());
  ASSERT_TRUE(two.step(0.01).report.accepted());
  EXPECT_EQ(one.state().q, two.state().q);
  EXPECT_EQ(one.state().v, two.state().v);
  EXPECT_EQ(one.state().lambda, two.state().lambda);
}

TEST(StopWhen, EndsTheRunWhereTheConditionBecomesTrueInEveryPlan) {
  for (const std::string& text : {kFalling, kFallingCoordinate})
    for (const Way& way : kWays) {
      std::string with = text;
      const std::string condition = text == kFalling ? "guide.displacement < 0.25" : "s < 0.25";
      with.replace(with.find("step: 10 ms"), 11, "step: 10 ms, stop-when: \"" + condition + "\"");
      const Mechanism mechanism = read(with);
      Simulation simulation(mechanism, plan_of(mechanism, way));
      ASSERT_TRUE(simulation.assemble().report.accepted());
      Rows sink;
      const RunSummary summary = run(simulation, sink);
      const std::string name = std::string(way.formulation) + " by " + way.integrator;
      EXPECT_EQ(summary.status, RunStatus::ok) << name << ": " << summary.message;
      ASSERT_EQ(summary.events.size(), 1U) << name;
      const double within = std::string(way.formulation) == "penalty" ? 1e-4 : 1e-8;
      EXPECT_NEAR(summary.events[0].t, std::sqrt(1.5 / kGravity), within) << name;
      // The last row is the state there.
      EXPECT_EQ(sink.t.back(), summary.events[0].t) << name;
      EXPECT_EQ(summary.time, summary.events[0].t) << name;
    }
}

TEST(EndStops, RefusesWhatCannotBe) {
  const auto with = [](const std::string& stop) {
    std::string text = kFalling;
    const std::string old = "{joint: guide, lower: 0, restitution: 0.5}";
    text.replace(text.find(old), old.size(), stop);
    return text;
  };
  EXPECT_NE(errors_of(with("{joint: guide}")).find("stop 'anvil' has no limit; give lower:, upper: or both"),
            std::string::npos);
  EXPECT_NE(errors_of(with("{joint: guide, lower: 2, upper: 1}")).find("is not above the lower limit"),
            std::string::npos);
  const std::string held = errors_of(with("{joint: guide, lower: 0, upper: 0}"));
  EXPECT_NE(held.find("the upper limit 0 is not above the lower limit 0"), std::string::npos) << held;
  EXPECT_NE(held.find("a fixed joint or by a driver with equals:"), std::string::npos) << held;
  EXPECT_NE(errors_of(with("{joint: guide, lower: 0, restitution: 2}")).find("is not between 0 and 1"),
            std::string::npos);
  EXPECT_NE(errors_of(with("{joint: guid, lower: 0}")).find("did you mean 'guide'"), std::string::npos);
  EXPECT_NE(errors_of(with("{coordinate: s, lower: 0}")).find("this model has no coordinates"),
            std::string::npos);
  std::string driven = kFalling;
  driven.replace(driven.find("stops:"), 6, "drivers:\n  motor: {joint: guide, equals: 1 - t}\nstops:");
  EXPECT_NE(errors_of(driven).find("a driver does not give way"), std::string::npos);

  const Mechanism beyond = read(with("{joint: guide, lower: 1.5}"));
  Simulation simulation(beyond, beyond.plan);
  const AssemblyReport report = simulation.assemble();
  EXPECT_EQ(report.report.outcome, Outcome::refused);
  EXPECT_NE(report.report.message.find("'guide' starts at 1, beyond the lower limit of its stop 'anvil'"),
            std::string::npos);
}

// A cylinder of radius 1 m rolls without slip on an incline; a ramp of the pull along it tests its grip.
TEST(Contacts, AWheelReportsWhereItWouldSlip) {
  // m = 2, J = ½mR²: a pull P(t) = 6t at the centre needs the friction P/3, and N = mg: μ = 0.25 is used up
  // at t = μmg/2.
  const std::string text = R"yaml(trammel: 1
plane: xy
gravity: [0, -9.81]
bodies:
  wheel: {mass: 2, inertia: 1, at: [0, 1]}
joints:
  tyre: {rolling: wheel, radius: 1, along: [1, 0], friction: 0.25}
forces:
  pull: {force: [6*t, 0], at: {body: wheel, at: [0, 1]}}
simulate: {duration: 3, step: 10 ms}
)yaml";
  const double slip = 0.25 * 2 * kGravity / 2;
  for (const Way& way : kWays) {
    if (std::string(way.formulation) == "penalty") continue;
    for (const bool ends : {false, true}) {
      std::string own = text;
      if (ends) own.replace(own.find("friction: 0.25"), 14, "friction: 0.25, when-lost: stop");
      const Mechanism mechanism = read(own);
      Simulation simulation(mechanism, plan_of(mechanism, way));
      ASSERT_TRUE(simulation.assemble().report.accepted());
      Rows sink;
      const RunSummary summary = run(simulation, sink);
      const std::string name = std::string(way.formulation) + " by " + way.integrator;
      ASSERT_EQ(summary.events.size(), 1U) << name;
      EXPECT_EQ(summary.events[0].kind, Event::Kind::slip) << name;
      // The reaction follows from the time alone here, where the constraints are held; others let the wheel's
      // axes drift, which its inertia shows.
      const bool holds = std::string(way.formulation) == "augmented-lagrangian-index3" && way.tolerance == 0;
      const double within = holds ? 1e-9 : 5e-3;
      EXPECT_NEAR(summary.events[0].t, slip, within) << name;
      EXPECT_NEAR(summary.events[0].before, 2 * kGravity, 1e-6) << name;
      EXPECT_NEAR(summary.time, ends ? slip : 3, within) << name;
    }
  }
}

// tan 30° needs μ ≥ 0.19 of a full cylinder.
TEST(Contacts, AWheelThatSlipsFromTheStartSaysSo) {
  for (const char* steps : {"step: 10 ms", "tolerance: 1e-6"}) {
    const Mechanism mechanism = read(R"yaml(trammel: 1
plane: xy
gravity: [4.905, -8.496]
bodies: {wheel: {mass: 2, inertia: 1, at: [0, 1]}}
joints: {tyre: {rolling: wheel, radius: 1, along: [1, 0], friction: 0.1}}
simulate: {duration: 1, )yaml" + std::string(steps) +
                                     "}\n");
    Simulation simulation(mechanism, mechanism.plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    Rows sink;
    const RunSummary summary = run(simulation, sink);
    ASSERT_EQ(summary.events.size(), 1U) << steps;
    EXPECT_EQ(summary.events[0].t, 0) << steps;
    EXPECT_EQ(summary.events[0].kind, Event::Kind::slip) << steps;
    EXPECT_NEAR(summary.events[0].after, 2 * 4.905 / 3, 1e-6) << steps;
  }
}

TEST(Contacts, ABallReportsWhereItWouldLiftOffAndGripsAgain) {
  // A vertical force F = 30 sin(πt/2) on a ball of 2 kg: it pulls while F > mg, from asin(mg/30)·2/π on.
  const std::string text = R"yaml(trammel: 1
gravity: [0, 0, -9.81]
bodies:
  ball: {mass: 2, inertia: [0.2, 0.2, 0.2], at: [0, 0, 0.5]}
joints:
  floor_contact: {rolling: ball, radius: 0.5, normal: [0, 0, 1], friction: 0.5}
forces:
  hoist: {force: [0, 0, 30*sin(pi*t/2)], at: {body: ball, at: [0, 0, 0.5]}}
simulate: {duration: 2, step: 10 ms}
)yaml";
  const double lift = std::asin(2 * kGravity / 30) * 2 / std::numbers::pi;
  const Mechanism mechanism = read(text);
  std::vector<Plan> plans;
  for (const Way& way : kWays)
    if (std::string(way.formulation) != "penalty") plans.push_back(plan_of(mechanism, way));
  for (const char* coordinates : {"natural", "reference", "relative"})
    for (const double tolerance : {0.0, 1e-4, 1e-7, 1e-9}) {
      plans.push_back(mechanism.plan);
      plans.back().coordinates = coordinates;
      plans.back().tolerance = tolerance;
    }
  for (const Plan& plan : plans) {
    const std::string name = plan.coordinates + ", " + plan.formulation + " by " + plan.integrator +
                             " at tolerance " + std::to_string(plan.tolerance);
    Simulation simulation(mechanism, plan);
    ASSERT_TRUE(simulation.assemble().report.accepted()) << name;
    Rows sink;
    const RunSummary summary = run(simulation, sink);
    ASSERT_EQ(summary.events.size(), 2U) << name;
    // The ball rests, so that its reaction follows from the time alone; an event is located to 1e-10 s.
    EXPECT_EQ(summary.events[0].kind, Event::Kind::lift) << name;
    EXPECT_NEAR(summary.events[0].t, lift, 1e-9) << name;
    EXPECT_EQ(summary.events[1].kind, Event::Kind::grip) << name;
    EXPECT_NEAR(summary.events[1].t, 2 - lift, 1e-9) << name;
  }
}

}  // namespace
}  // namespace trammel::tests::events_test
