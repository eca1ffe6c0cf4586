// Dry friction, clutches and one-way clutches: events against closed forms, in every plan and coordinates.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "simulation/event_plans_testing.h"
#include "trammel/model.h"
#include "trammel/run.h"
#include "trammel/simulation.h"

namespace trammel::tests::stiction_test {
namespace {

constexpr double kPi = std::numbers::pi;

Mechanism read(const std::string& text, const std::vector<std::string>& settings = {}) {
  ModelInput input = read_model_text(text, "m.yaml", settings);
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

struct Nothing final : ResultSink {
  void write(std::span<const double>) override {}
};

struct Done {
  RunSummary summary;
  std::vector<Event> events;  // of frictions
  double kinetic = 0, potential = 0, work = 0;
};

Done run_through(Simulation& simulation) {
  Done done;
  const AssemblyReport assembly = simulation.assemble();
  EXPECT_TRUE(assembly.report.accepted()) << assembly.report.message;
  if (!assembly.report.accepted()) return done;
  Nothing sink;
  done.summary = run(simulation, sink);
  EXPECT_NE(done.summary.status, RunStatus::failed) << done.summary.message;
  for (const Event& e : done.summary.events)
    if (e.kind == Event::Kind::stick || e.kind == Event::Kind::slide || e.kind == Event::Kind::release)
      done.events.push_back(e);
  const Energy energy = simulation.energy();
  done.kinetic = energy.kinetic;
  done.potential = energy.potential;
  done.work = energy.work;
  return done;
}

// "stick 0.5 brake": kinds, for a comparison in one line.
std::string kinds(const std::vector<Event>& events) {
  std::string text;
  for (const Event& e : events)
    text += fmt::format("{} {} ",
                        e.kind == Event::Kind::stick   ? "stick"
                        : e.kind == Event::Kind::slide ? "slide"
                                                       : "release",
                        e.name);
  return text;
}

const std::string kBelt = R"yaml(trammel: 1
plane: xy
parameters: {m: 1 kg, k: 20 N/m, v: 0.2 m/s, Fs: 6 N, Fd: 4 N}
bodies:
  block: {mass: m, inertia: 0.01, at: [0, 0.1]}
  belt:  {mass: 5 kg, inertia: 0.1, at: [0, 0]}
joints:
  guide: {prismatic: [block, ground], at: [0, 0.1], axis: [1, 0]}
  bed:   {prismatic: [belt, ground], at: [0, 0], axis: [1, 0]}
drivers:
  drive: {speed: bed, equals: v}
forces:
  spring:   {joint-spring: guide, stiffness: k}
  friction: {clutch: [guide, bed], capacity: Fd, static: Fs}
initial:
  guide: {speed: v}
simulate: {duration: 6 s, tolerance: 1e-10}
)yaml";

TEST(Stiction, ABlockOnABeltSticksAndSlipsAtTheTimesOfTheClosedForm) {
  const double m = 1, k = 20, v = 0.2, Fs = 6, Fd = 4;
  const double A = (Fs - Fd) / k, w = std::sqrt(k / m);
  for (const char* coordinates : {"natural", "reference", "relative"}) {
    Mechanism mechanism = read(kBelt);
    mechanism.plan.coordinates = coordinates;
    Simulation simulation(mechanism, mechanism.plan);
    const Done done = run_through(simulation);
    ASSERT_EQ(kinds(done.events),
              "slide friction stick friction slide friction stick friction slide friction ")
        << coordinates;
    double t = Fs / (k * v);
    const double slips = 2 * (kPi - std::atan(A * w / v)) / w, sticks = 2 * A / v;
    for (std::size_t n = 0; n < done.events.size(); ++n) {
      EXPECT_NEAR(done.events[n].t, t, 1e-8) << coordinates << ", event " << n;
      t += n % 2 == 0 ? slips : sticks;
    }
    // The belt, the driver and friction do the work that the spring and the block have.
    EXPECT_NEAR(done.kinetic + done.potential - done.work, 0.5 * 6 * v * v, 1e-8) << coordinates;
  }
}

// A torque that grows drives a wheel, J = 3, in a bearing that holds 4, and it a second one, J = 1, by a
// clutch that holds 2. The bearing lets go at 1 s; the clutch, whose torque is t − 1, at 3 s: from then on
// the second wheel has ω = 2 + 2(t − 3), and 3 ω̇ = 4t − 6 of the first.
const std::string kTwoFrictions = R"yaml(trammel: 1
plane: xy
bodies: {a: {mass: 1, inertia: 3}, b: {mass: 1, inertia: 1}}
joints:
  ja: {revolute: [a, ground], at: [0, 0]}
  jb: {revolute: [b, ground], at: [0, 0]}
forces:
  bearing: {dry-friction: ja, capacity: 4}
  clutch:  {clutch: [jb, ja], capacity: 2}
  drive:   {joint: ja, torque: 4*t}
simulate: {duration: 4, verify: off}
)yaml";

TEST(Stiction, TwoFrictionsInSeriesLetGoOneAfterTheOther) {
  for (const char* coordinates : {"natural", "reference", "relative"})
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      Mechanism mechanism = read(kTwoFrictions);
      mechanism.plan.coordinates = coordinates;
      mechanism.plan.tolerance = tolerance;
      Simulation simulation(mechanism, mechanism.plan);
      const Done done = run_through(simulation);
      ASSERT_EQ(kinds(done.events), "slide bearing slide clutch ") << coordinates << ", " << tolerance;
      EXPECT_NEAR(done.events[0].t, 1, 1e-8) << coordinates << ", " << tolerance;
      EXPECT_NEAR(done.events[1].t, 3, 1e-8) << coordinates << ", " << tolerance;
      EXPECT_NEAR(simulation.speed("jb"), 4, 10 * tolerance) << coordinates << ", " << tolerance;
      EXPECT_NEAR(simulation.speed("ja"), 2 + 8.0 / 3, 10 * tolerance) << coordinates << ", " << tolerance;
    }
}

// A flywheel that a brake stops, and a torque that turns it back where it grows beyond the brake:
// J = 2, ω₀ = 3, C = 4: stops at 1.5 s; the torque −(t − 1)·2 passes −4 at 3 s.
const std::string kBrake = R"yaml(trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}}
bodies: {wheel: {mass: 4, inertia: 2, carries: [O]}}
forces:
  brake: {dry-friction: O, capacity: 4}
  pull:  {torque: "-2*max(t - 1, 0)", on: wheel}
initial: {O: {speed: 3}}
simulate: {duration: 4, step: 10 ms}
)yaml";

TEST(Stiction, ABrakeStopsAWheelAndLetsGoInEveryPlan) {
  // Until 1 s: ω = 3 − 2t = 1; then J ω̇ = −4 − 2τ: ω = 1 − 2τ − τ²/2, zero at τ = √6 − 2.
  const double stop = 1 + std::sqrt(6.0) - 2;
  for (const Way& way : kWays) {
    Mechanism mechanism = read(kBrake);
    mechanism.plan = plan_of(mechanism, way);
    const std::string name = std::string(way.formulation) + " by " + way.integrator;
    Simulation simulation(mechanism, mechanism.plan);
    const Done done = run_through(simulation);
    ASSERT_EQ(kinds(done.events), "stick brake slide brake ") << name;
    // Rules of second order lag by (ωh)²/12 of the angle, 1e-4, a few times over.
    const bool tight = way.tolerance > 0 && std::string(way.formulation) != "augmented-lagrangian-index3";
    EXPECT_NEAR(done.events[0].t, stop, tight ? 1e-6 : 5e-4) << name;
    // What holds depends on the torque alone, and on unit vectors that formulations without projections let
    // drift.
    const std::string drifting =
        "lagrange baumgarte null-space canonical-lagrange penalty canonical-augmented";
    const bool drifts = drifting.find(way.formulation) != std::string::npos;
    EXPECT_NEAR(done.events[1].t, 3, drifts ? 1e-4 : 1e-8) << name;
    // After 3 s: J ω̇ = −2(t − 1) + 4, ω = −½(t − 3)².
    EXPECT_NEAR(simulation.speed("O"), -0.5, 1e-4) << name;
    EXPECT_NEAR(simulation.reaction("brake").effort, 4, 1e-9) << name;
    EXPECT_NEAR(done.kinetic - done.work, 9, tight ? 1e-5 : 5e-3) << name;
  }
}

const std::string kFlywheels = R"yaml(trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, Q: {at: [1, 0], on: ground}}
bodies:
  a: {mass: 1, inertia: 0.2, carries: [O]}
  b: {mass: 1, inertia: 0.3, at: Q, carries: [Q]}
forces:
  clutch: {clutch: [O, Q], ratio: 2, capacity: 6}
initial: {O: {speed: 50}}
simulate: {duration: 3, tolerance: 1e-9}
)yaml";

TEST(Stiction, TwoFlywheelsLockAfterTheTimeAndLossOfTheClosedForm) {
  // s = ω₁ − r ω₂ with r = 2: ṡ = −C (1/J₁ + r²/J₂); the loss is ½ s₀² / (1/J₁ + r²/J₂).
  const double mobility = 1 / 0.2 + 4 / 0.3, lock = 50 / (6 * mobility);
  for (const char* coordinates : {"natural", "reference", "relative"}) {
    Mechanism mechanism = read(kFlywheels);
    mechanism.plan.coordinates = coordinates;
    Simulation simulation(mechanism, mechanism.plan);
    const Done done = run_through(simulation);
    ASSERT_EQ(kinds(done.events), "stick clutch ") << coordinates;
    EXPECT_NEAR(done.events[0].t, lock, 1e-10) << coordinates;
    EXPECT_NEAR(done.work, -0.5 * 50 * 50 / mobility, 1e-6) << coordinates;
    EXPECT_NEAR(simulation.speed("O"), 2 * simulation.speed("Q"), 1e-10) << coordinates;
    EXPECT_NEAR(simulation.reaction("clutch").effort, 0, 1e-7) << coordinates;
  }
}

const std::string kFreewheel = R"yaml(trammel: 1
plane: xy
parameters: {J: 0.02, c: 0.01, A: 0.5, w: 10}
points: {O: {at: [0, 0], on: ground}, Q: {at: [1, 0], on: ground}}
bodies:
  lever: {mass: 1, inertia: 0.002, carries: [O]}
  wheel: {mass: 1, inertia: J, at: Q, carries: [Q]}
drivers: {drive: {joint: O, equals: A*sin(w*t)}}
forces:
  pawl: {one-way-clutch: [Q, O]}
  drag: {joint-spring: Q, damping: c}
initial: {Q: {speed: A*w}}
simulate: {duration: 2, tolerance: 1e-11}
)yaml";

TEST(Stiction, AFreewheelOpensAndLocksAsTheClosedForm) {
  const double J = 0.02, c = 0.01, A = 0.5, w = 10;
  // Locked, the wheel follows A w cos(wt) and needs J ω̇ + c ω, which is zero at tan(wt) = −c/(J w) of the way
  // back: at wt = atan(c/(J w)) it would have to be held back. Then ω = ω₀ exp(−c(t − t₀)/J).
  std::vector<double> expected;
  for (double t = std::atan(c / (J * w)) / w; t < 2;) {
    expected.push_back(t);
    const double t0 = t, speed = A * w * std::cos(w * t0);
    const auto gap = [&](double at) {
      return speed * std::exp(-c * (at - t0) / J) - A * w * std::cos(w * at);
    };
    // The lever is faster again within its next upswing; its peak is at 2πn/w.
    double high = 2 * kPi / w * (std::floor(t0 * w / (2 * kPi)) + 1), low = high - kPi / w;
    while (gap(high) > 0) high += 2 * kPi / w, low += 2 * kPi / w;
    for (int i = 0; i < 200; ++i) (gap(0.5 * (low + high)) > 0 ? low : high) = 0.5 * (low + high);
    if (low >= 2) break;
    expected.push_back(low);
    t = (2 * kPi * std::round(low * w / (2 * kPi)) + std::atan(c / (J * w))) / w;
  }
  for (const char* coordinates : {"natural", "reference", "relative"}) {
    Mechanism mechanism = read(kFreewheel);
    mechanism.plan.coordinates = coordinates;
    Simulation simulation(mechanism, mechanism.plan);
    const Done done = run_through(simulation);
    ASSERT_EQ(done.events.size(), expected.size()) << coordinates << kinds(done.events);
    ASSERT_GT(expected.size(), 5U);
    for (std::size_t n = 0; n < expected.size(); ++n) {
      EXPECT_EQ(done.events[n].kind, n % 2 == 0 ? Event::Kind::release : Event::Kind::stick);
      EXPECT_NEAR(done.events[n].t, expected[n], 1e-8) << coordinates << ", event " << n;
    }
  }
}

// Two boxes, one on the other, on a floor: friction F1 below, F2 between, and a force P(t) on the upper one.
std::string stacked(const std::string& P, double F1, double F2, const std::string& more = "") {
  return fmt::format(R"yaml(trammel: 1
plane: xy
bodies:
  lower: {{mass: 3, inertia: 1, at: [0, 0]}}
  upper: {{mass: 2, inertia: 1, at: [0, 1]}}
joints:
  deck: {{prismatic: [lower, ground], at: [0, 0], axis: [1, 0]}}
  guide: {{prismatic: [upper, ground], at: [0, 1], axis: [1, 0]}}
forces:
  below: {{dry-friction: deck, capacity: {}{}}}
  between: {{clutch: [guide, deck], capacity: {}}}
  push: {{force: ["{}", 0], at: upper.com}}
simulate: {{duration: 3, tolerance: 1e-9}}
)yaml",
                     F1, more, F2, P);
}

TEST(Stiction, SeveralFrictionsAtOnceChooseTheModeThatTheForcesAllow) {
  struct Case {
    double P, F1, F2, lower, upper;  // accelerations that follow
  };
  for (const Case& c : {Case{4, 5, 10, 0, 0}, Case{10, 5, 9, 1, 1}, Case{30, 5, 8, 1, 11},
                        Case{10, 9, 4, 0, 3}, Case{-10, 5, 9, -1, -1}, Case{-30, 5, 8, -1, -11}}) {
    const Mechanism mechanism = read(stacked(fmt::format("{}", c.P), c.F1, c.F2));
    Simulation simulation(mechanism, mechanism.plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    ASSERT_TRUE(simulation.advance_to(1).report.accepted());
    EXPECT_NEAR(simulation.speed("deck"), c.lower, 1e-9) << c.P << " " << c.F1 << " " << c.F2;
    EXPECT_NEAR(simulation.speed("guide"), c.upper, 1e-9) << c.P << " " << c.F1 << " " << c.F2;
  }
}

TEST(Stiction, AForceThatGoesToAndFroEndsInNoChatter) {
  // P = 20 sin(4t): both frictions stick and slip in turn; every event is there once, and energy balances.
  const Mechanism mechanism = read(stacked("20*sin(4*t)", 5, 8));
  Simulation simulation(mechanism, mechanism.plan);
  const Done done = run_through(simulation);
  EXPECT_GT(done.events.size(), 6U);
  EXPECT_LT(done.events.size(), 40U);
  EXPECT_NEAR(done.kinetic - done.work, 0, 1e-6);
}

TEST(Stiction, BrakesThatShareOneShaftHoldTogether) {
  // Two brakes of 4 and 3 on one wheel hold 6.5 together, and slip where the torque passes 7, at 3.5 s.
  std::string text = kBrake;
  text.replace(text.find("  brake:"), 8, "  other: {dry-friction: O, capacity: 3}\n  brake:");
  text.replace(text.find("-2*max(t - 1, 0)"), 16, "2*t");
  text.replace(text.find("speed: 3"), 8, "speed: 0");
  const Mechanism mechanism = read(text);
  Simulation simulation(mechanism, mechanism.plan);
  const Done done = run_through(simulation);
  EXPECT_NEAR(simulation.speed("O"), 0.5 * (4 - 3.5) * (4 - 3.5), 1e-4);
  ASSERT_FALSE(done.events.empty());
  EXPECT_EQ(done.events.back().kind, Event::Kind::slide);
  EXPECT_NEAR(done.events.back().t, 3.5, 1e-8);
}

TEST(Stiction, ADriverMovesWhatFrictionWouldHold) {
  // The driver's own torque has friction in it: J φ̈ ± 4.
  std::string text = kBrake;
  text.replace(text.find("  pull:"), text.find("initial") - text.find("  pull:"),
               "drivers: {motor: {joint: O, equals: 0.3*sin(3*t)}}\n");
  text.replace(text.find("{O: {speed: 3}}"), 15, "{}");
  const Mechanism mechanism = read(text);
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (const double t : {0.2, 0.8, 1.3, 2.0}) {
    const StepResult result = simulation.advance_to(t);
    ASSERT_TRUE(result.report.accepted()) << result.report.message;
    const double speed = 0.9 * std::cos(3 * t),
                 torque = -2 * 2.7 * std::sin(3 * t) + 4 * (speed > 0 ? 1 : -1);
    EXPECT_NEAR(simulation.reaction("motor").effort, torque, 1e-6) << t;
  }
}

TEST(Stiction, FrictionDoesNotResistAnImpulseAndAOneWayClutchDoes) {
  // A driver's speed jumps from 0 to 2 at 1 s. Through a clutch of 4 N.m the wheel follows in J·2/4 s;
  // through a one-way clutch at once.
  const std::string text = R"yaml(trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, Q: {at: [1, 0], on: ground}}
bodies:
  motor: {mass: 1, inertia: 1, carries: [O]}
  wheel: {mass: 1, inertia: 0.5, at: Q, carries: [Q]}
drivers: {drive: {speed: O, equals: "if(t < 1, 0, 2)"}}
forces: {link: LINK}
simulate: {duration: 2, tolerance: 1e-9}
)yaml";
  const auto with = [&](const std::string& link) {
    std::string all = text;
    return all.replace(all.find("LINK"), 4, link);
  };
  Mechanism clutch = read(with("{clutch: [Q, O], capacity: 4}"));
  Simulation slips(clutch, clutch.plan);
  const Done done = run_through(slips);
  ASSERT_EQ(kinds(done.events), "slide link stick link ");
  EXPECT_NEAR(done.events[0].t, 1, 1e-9);
  EXPECT_NEAR(done.events[1].t, 1.25, 1e-8);
  EXPECT_NEAR(done.kinetic - done.work, 0, 1e-8);
  Mechanism pawl = read(with("{one-way-clutch: [Q, O]}"));
  Simulation locks(pawl, pawl.plan);
  const Done struck = run_through(locks);
  EXPECT_NEAR(locks.speed("Q"), 2, 1e-9);
  EXPECT_NEAR(struck.kinetic - struck.work, 0, 1e-8);
}

TEST(Stiction, AStateGoesOnToTheSameBits) {
  const Mechanism mechanism = read(kBelt);
  Simulation whole(mechanism, mechanism.plan), again(mechanism, mechanism.plan);
  ASSERT_TRUE(whole.assemble().report.accepted());
  ASSERT_TRUE(again.assemble().report.accepted());
  ASSERT_TRUE(whole.advance_to(1.7).report.accepted());
  const State kept = whole.state();
  ASSERT_TRUE(whole.advance_to(4).report.accepted());
  again.restore(kept);
  ASSERT_TRUE(again.advance_to(4).report.accepted());
  EXPECT_EQ(whole.state().q, again.state().q);
  EXPECT_EQ(whole.state().v, again.state().v);
}

// No row has a friction that pushes: the run ends where the capacity passes zero, not where a step ended.
TEST(Stiction, EndsWhereTheCapacityBecomesNegative) {
  for (const bool by_tolerance : {false, true}) {
    Mechanism mechanism = read(kBrake, {"forces.brake.capacity=2 - 4*t"});
    if (by_tolerance) mechanism.plan.step = 0;
    Simulation simulation(mechanism, mechanism.plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    Nothing sink;
    const RunSummary summary = run(simulation, sink);
    EXPECT_EQ(summary.status, RunStatus::failed);
    EXPECT_NEAR(summary.time, 0.5, 1e-8) << by_tolerance;
    EXPECT_NE(summary.message.find("at t = 0.5 s"), std::string::npos) << summary.message;
  }
}

TEST(Stiction, SaysWhatIsWrong) {
  const auto end_of = [](const Mechanism& mechanism) {
    Simulation simulation(mechanism, mechanism.plan);
    const AssemblyReport assembly = simulation.assemble();
    if (!assembly.report.accepted()) return assembly.report.message;
    Nothing sink;
    return run(simulation, sink).message;
  };
  EXPECT_NE(end_of(read(kBrake, {"forces.brake.capacity=2 - t"})).find("the capacity of 'brake' is -"),
            std::string::npos);
  EXPECT_NE(end_of(read(kBrake, {"forces.brake.capacity=-1"})).find("it must be zero or more"),
            std::string::npos);
  std::string lower = kBrake;
  lower.replace(lower.find("capacity: 4"), 11, "capacity: 4, static: 3");
  EXPECT_NE(end_of(read(lower)).find("the static capacity of 'brake' is 3 at t = 0 s"), std::string::npos);
  Mechanism modular = read(kBrake);
  modular.plan.formulation = "modular";
  try {
    Simulation simulation(modular, modular.plan);
    ADD_FAILURE() << "modular took it";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("does not know the stiction of 'brake'"), std::string::npos);
  }
}

}  // namespace
}  // namespace trammel::tests::stiction_test
