// The public interface as a program uses it: reading by name, advancing to a time, runs in memory, what a
// constructor refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <thread>

#include "model/models_testing.h"
#include "results/files/results_hdf5.h"
#include "trammel/model.h"
#include "trammel/results.h"
#include "trammel/run.h"
#include "trammel/thread_pool.h"
#include "trammel/validate.h"

namespace trammel::tests::api_test {
namespace {

Mechanism text_model(const std::string& text) { return read_model_text(text, "test.yaml").value(); }

const char* const kDoor = R"(
trammel: 1
name: door
gravity: [0, 0, -9.81]
bodies:
  door: {mass: 2, inertia: [0.3, 0.3, 0.3], com: [0.5, 0, 0], points: {edge: [1, 0, 0]}}
joints:
  low:  {revolute: [door, ground], at: [0, 0, 0], axis: [0, 0, 1]}
  high: {revolute: [door, ground], at: [0, 0, 2], axis: [0, 0, 1]}
initial: {low: {speed: 3 rad/s}}
inputs: {push: 0}
forces: {shove: {torque: [0, 0, push], on: door}}
outputs: {columns: {twice: 2*low.angle}}
simulate: {duration: 1 s, step: 1 ms}
)";

// The trapezoidal rule turns by (ωh)²/12 of the angle too little: 2e-6 rad in a second.
constexpr double kRule = 5e-6;

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Reading, ByName) {
  Simulation simulation(text_model(kDoor), text_model(kDoor).plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  ASSERT_TRUE(simulation.advance_to(0.5).report.accepted());
  EXPECT_EQ(simulation.state().t, 0.5);
  // Nothing slows the door: φ = 3 t.
  EXPECT_NEAR(simulation.coordinate("low"), 1.5, kRule);
  EXPECT_NEAR(simulation.speed("low"), 3, kRule);
  EXPECT_NEAR(simulation.value("low.angle"), 1.5, kRule);
  EXPECT_NEAR(simulation.value("twice"), 3, kRule);
  const PointMotion edge = simulation.point("door.edge");
  EXPECT_NEAR(edge.position.x(), std::cos(1.5), kRule);
  EXPECT_NEAR(edge.velocity.x(), -3 * std::sin(1.5), kRule);
  const PointMotion centre = simulation.point("door.com");
  EXPECT_NEAR(centre.position.y(), 0.5 * std::sin(1.5), kRule);
  EXPECT_NEAR(centre.velocity.y(), 1.5 * std::cos(1.5), kRule);
  const Pose door = simulation.pose("door");
  EXPECT_NEAR(door.position.y(), 0.5 * std::sin(1.5), kRule);
  EXPECT_NEAR(door.angular_velocity.z(), 3, kRule);
  // ½ m v² + ½ I ω²
  EXPECT_NEAR(simulation.energy().kinetic, 0.5 * 2 * 1.5 * 1.5 + 0.5 * 0.3 * 9, 5 * kRule);
}

TEST(Reading, ReactionsSayWhichComponentsAreUnique) {
  Simulation simulation(text_model(kDoor), text_model(kDoor).plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const JointReaction low = simulation.reaction("low"), high = simulation.reaction("high");
  ASSERT_EQ(low.loads.size(), 1U);
  EXPECT_EQ(low.loads[0].body, "door");
  EXPECT_TRUE(low.known);
  EXPECT_TRUE(low.examined);
  // Two hinges on one axis: together they carry the weight and the centripetal force, each how much is open.
  const Vec3 sum = low.loads[0].force + high.loads[0].force;
  EXPECT_NEAR(sum.z(), 2 * 9.81, 1e-9);
  EXPECT_NEAR(sum.x(), -2 * 0.5 * 9, 1e-8);
  EXPECT_FALSE(low.unique());
  EXPECT_NE(std::find(low.not_unique.begin(), low.not_unique.end(), "force.z"), low.not_unique.end());
  EXPECT_TRUE(std::isnan(low.effort));
}

TEST(Reading, OfNamedPointsAndDrivers) {
  const Mechanism mechanism = model("driven-slider-crank");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  ASSERT_TRUE(simulation.advance_to(0.1).report.accepted());
  ASSERT_FALSE(mechanism.drivers.empty());
  const JointReaction motor = simulation.reaction(mechanism.drivers[0].name);
  EXPECT_TRUE(motor.unique());
  EXPECT_TRUE(std::isfinite(motor.effort));
  for (const Point& point : mechanism.points) {
    // The velocity is the derivative of the position, of second order in the distance.
    const PointMotion now = simulation.point(point.name);
    const State state = simulation.state();
    ASSERT_TRUE(simulation.advance_to(0.1 + 1e-5).report.accepted());
    const Vec3 later = simulation.point(point.name).position;
    const Vec3 velocity_later = simulation.point(point.name).velocity;
    simulation.restore(state);
    EXPECT_NEAR(((later - now.position) / 1e-5 - 0.5 * (now.velocity + velocity_later)).norm(), 0, 1e-5)
        << point.name;
  }
}

TEST(Reading, UnknownNamesAreAnsweredWithNearOnes) {
  Simulation simulation(text_model(kDoor), text_model(kDoor).plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const auto says = [&](const std::function<void()>& action, const std::string& start) {
    const std::string text = refusal(action);
    EXPECT_EQ(text.substr(0, start.size()), start) << text;
  };
  says([&] { (void)simulation.pose("dor"); }, "there is no body 'dor'; did you mean 'door'?");
  says([&] { (void)simulation.point("door.egde"); },
       "there is no point 'door.egde'; did you mean 'door.edge'?");
  says([&] { (void)simulation.point("P"); }, "there is no point 'P'; the model has none");
  says([&] { (void)simulation.coordinate("lwo"); },
       "there is no joint with a coordinate 'lwo'; did you mean 'low'?");
  says([&] { (void)simulation.reaction("hgih"); },
       "there is no joint or driver with a reaction 'hgih'; did you mean 'high'?");
  says([&] { (void)simulation.value("twise"); }, "there is no value 'twise'; did you mean 'twice'?");
  says([&] { simulation.set_input("pusch", 1); }, "there is no input 'pusch'; did you mean 'push'?");
  says([&] { (void)run(simulation).trajectory.column("door.xx"); },
       "there is no column 'door.xx'; did you mean 'door.x'?");
}

TEST(Reading, WhatIsNotFiniteIsRefusedAndChangesNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  Simulation simulation(text_model(kDoor), text_model(kDoor).plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  EXPECT_EQ(refusal([&] { simulation.set_input("push", nan); }),
            "input 'push' cannot be nan; give a finite number");
  EXPECT_EQ(refusal([&] { simulation.set_input(0, -inf); }),
            "input 'push' cannot be -inf; give a finite number");
  EXPECT_EQ(simulation.value("push"), 0);
  for (const auto& [h, words] :
       {std::pair(0.0, "a step of 0 s is not possible; give a positive time"),
        std::pair(-0.001, "a step of -0.001 s is not possible; give a positive time"),
        std::pair(nan, "a step of nan s is not possible; give a positive time"),
        std::pair(inf, "a step of inf s is not possible; give a positive time")}) {
    EXPECT_EQ(refusal([&, step = h] { simulation.step(step); }), words);
    EXPECT_EQ(refusal([&, step = h] { simulation.advance(step); }), words);
  }
  EXPECT_EQ(simulation.state().t, 0);
  EXPECT_TRUE(simulation.step(0.001).report.accepted());
}

TEST(Reading, JointsWithTwoCoordinatesAskForOne) {
  Simulation simulation(model("lead-screw"), model("lead-screw").plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  std::string joint;
  for (const Joint& one : simulation.mechanism().joints)
    if (one.kind == Joint::Kind::cylindrical) joint = one.name;
  ASSERT_FALSE(joint.empty());
  EXPECT_EQ(refusal([&] { (void)simulation.speed(joint); }),
            "joint '" + joint + "' has two coordinates; ask for value(\"" + joint +
                ".angle_rate\") or value(\"" + joint + ".displacement_rate\")");
}

TEST(Inputs, ActFromTheNextStepOn) {
  std::string text = kDoor;
  text.replace(text.find("step: 1 ms"), 10, "tolerance: 1e-10");
  Simulation simulation(text_model(text), text_model(text).plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  simulation.set_input("push", 4);
  EXPECT_EQ(simulation.value("push"), 4);
  ASSERT_TRUE(simulation.advance_to(0.5).report.accepted());
  // I = 0.3 + 2·0.5² about the hinge.
  EXPECT_NEAR(simulation.speed("low"), 3 + 4 / 0.8 * 0.5, 1e-7);
}

TEST(AdvanceTo, LandsExactlyWhateverTheStep) {
  for (const char* key : {"step: 0.7 ms", "step: 1 ms", "tolerance: 1e-9", "tolerance: 1e-9, step: 3 ms"}) {
    std::string text = kDoor;
    text.replace(text.find("step: 1 ms"), 10, key);
    const Mechanism mechanism = text_model(text);
    Simulation simulation(mechanism, mechanism.plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    for (const double t : {0.1, 0.25, 0.2501, 1.0}) {
      ASSERT_TRUE(simulation.advance_to(t).report.accepted());
      EXPECT_EQ(simulation.state().t, t) << key;
      EXPECT_NEAR(simulation.coordinate("low"), 3 * t, kRule) << key;
    }
    const State end = simulation.state();
    EXPECT_TRUE(simulation.advance_to(0.5).report.accepted());
    EXPECT_EQ(simulation.state().q, end.q) << "a time that has passed is no way to go";
  }
}

TEST(AdvanceTo, TakesTheStepsOfARun) {
  for (const char* name : {"double-pendulum", "driven-slider-crank"}) {
    const Mechanism mechanism = model(name);
    Plan plan = mechanism.plan;
    plan.duration = 50 * plan.step;
    plan.output_interval = 10 * plan.step;
    Simulation whole(mechanism, plan), parts(mechanism, plan);
    const RunResult result = run(whole);
    ASSERT_TRUE(parts.assemble().report.accepted());
    const StepResult steps = parts.advance_to(result.summary.time);
    ASSERT_TRUE(steps.report.accepted());
    EXPECT_EQ(steps.steps, result.summary.steps);
    EXPECT_EQ(whole.state().q, parts.state().q) << name;
    EXPECT_EQ(whole.state().v, parts.state().v) << name;
    EXPECT_EQ(result.trajectory.rows(), 6U);
    EXPECT_EQ(result.trajectory.column("t").back(), parts.state().t);
  }
}

TEST(Constructor, RefusesWithEverythingThatIsWrong) {
  Mechanism mechanism = text_model(kDoor);
  mechanism.bodies[0].mass = -1;
  mechanism.joints[0].markers[0].body = "window";
  Plan plan = mechanism.plan;
  plan.formulation = "lagrang";
  plan.duration = -1;
  const std::string text = refusal([&] { Simulation(mechanism, plan); });
  for (const char* part : {"door", "window", "lagrang", "duration"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in:\n" << text;
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1,
            validate(mechanism).size() + check_plan(plan).size());
}

TEST(Run, ThatCannotBeAssembledSaysWhy) {
  // Two rods of 1 m between points 5 m apart.
  const Mechanism mechanism = text_model(R"(
trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0], P: {at: [5, 0], on: ground}}
bodies:
  one: {rod: [O, A], mass: 1, length: 1}
  two: {rod: [A, P], mass: 1, length: 1}
)");
  Simulation simulation(mechanism, mechanism.plan);
  const RunResult result = run(simulation);
  EXPECT_EQ(result.summary.status, RunStatus::failed);
  EXPECT_NE(result.summary.message.find("cannot be assembled"), std::string::npos) << result.summary.message;
  EXPECT_EQ(result.trajectory.rows(), 0U);
}

TEST(ThreadPool, DoesEachTaskOnce) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (const std::size_t count : {0U, 1U, 3U, 1000U}) {
      std::vector<int> done(count, 0);
      for (int again = 0; again < 20; ++again) pool.run(count, [&](std::size_t i) { ++done[i]; });
      EXPECT_EQ(done, std::vector<int>(count, 20)) << threads;
    }
  }
}

TEST(ThreadPool, TheCallerDoesTheFirstTask) {
  ThreadPool pool(3);
  for (int again = 0; again < 1000; ++again) {
    std::thread::id first;
    pool.run(3, [&](std::size_t i) {
      if (i == 0) first = std::this_thread::get_id();
    });
    ASSERT_EQ(first, std::this_thread::get_id()) << again;
  }
}

TEST(Api, ATimeThatIsNotFiniteIsRefused) {
  const Mechanism mechanism = model("double-pendulum");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (const double t : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(simulation.advance_to(t), std::invalid_argument);
  EXPECT_EQ(simulation.state().t, 0);
}

TEST(Api, AStartAtALaterTimeAndStatesThatCannotBeAreRefused) {
  Simulation simulation(text_model(kDoor), text_model(kDoor).plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const State start = simulation.state();
  ASSERT_TRUE(simulation.advance_to(0.1).report.accepted());
  EXPECT_THROW(simulation.assemble(), std::logic_error);
  EXPECT_THROW(run(simulation), std::logic_error);
  EXPECT_EQ(refusal([&] { simulation.set_time(NAN); }), "the time cannot be nan s");
  EXPECT_EQ(refusal([&] { simulation.set_input(5, 1.0); }),
            "there is no input 5; the model has 1, counted from 0");
  State wrong = start;
  wrong.inputs.clear();
  EXPECT_NE(refusal([&] { simulation.restore(wrong); }).find("not of this mechanism"), std::string::npos);
  wrong = start;
  wrong.q[0] = NAN;
  EXPECT_EQ(refusal([&] { simulation.restore(wrong); }),
            "a time, position or velocity of this state is not a finite number");
  // From the first state a run begins anew.
  simulation.restore(start);
  EXPECT_EQ(run(simulation).trajectory.values.front(), 0);
}

// What was changed in C++ is in the model that the results hold.
TEST(Results, RepeatWhatWasRun) {
  Mechanism mechanism = text_model(kDoor);
  mechanism.bodies.front().mass = 3;
  Plan plan = mechanism.plan;
  plan.formulation = "lagrange";
  plan.integrator = "rk4";
  plan.duration = 0.1;
  Simulation simulation(mechanism, plan);
  simulation.set_input("push", 0.5);
  const RunResult result = run(simulation);
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "repeat_what_was_run.h5";
  write_hdf5(file, simulation, result);
  const Mechanism again = text_model(results::read_hdf5_header(file).model);
  Simulation repeated(again, again.plan);
  EXPECT_EQ(run(repeated).trajectory.values, result.trajectory.values);
  // A model that was not changed is kept as it was written.
  const Mechanism plain = text_model(kDoor);
  Simulation unchanged(plain, plain.plan);
  write_hdf5(file, unchanged, run(unchanged));
  EXPECT_EQ(results::read_hdf5_header(file).model, plain.text);
  std::filesystem::remove(file);
}

TEST(Api, StepsBeforeAssemblyAndStatesOfOthersAreRefused) {
  const Mechanism mechanism = model("double-pendulum");
  Simulation simulation(mechanism, mechanism.plan);
  EXPECT_THROW(simulation.step(1e-3), std::logic_error);
  EXPECT_THROW(simulation.advance_to(0.1), std::logic_error);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const State state = simulation.state();
  EXPECT_THROW(simulation.restore(State()), std::invalid_argument);
  EXPECT_EQ(simulation.state().q, state.q);
  Simulation copy(mechanism, mechanism.plan);
  copy.restore(state);  // assembled already
  EXPECT_TRUE(copy.advance_to(0.1).report.accepted());
}

TEST(Api, OptionsThatTheMethodDoesNotReadAreNamed) {
  const Mechanism mechanism = text_model(kDoor);
  Plan plan = mechanism.plan;
  plan.duration = 0.01;
  EXPECT_TRUE(unread_options(plan).empty());
  plan.formulation = "lagrange";
  plan.integrator = "rk4";
  plan.tolerance = 1e-6;
  const std::vector<std::string> unread = unread_options(plan);
  ASSERT_EQ(unread.size(), 1U);
  EXPECT_TRUE(unread[0].starts_with("tolerance: lagrange with rk4 does not read this option")) << unread[0];
  EXPECT_NE(unread[0].find("dopri5"), std::string::npos) << unread[0];
  Simulation simulation(mechanism, plan);
  const RunResult result = run(simulation);
  EXPECT_NE(summary_text(simulation, result.summary).find(unread[0]), std::string::npos);
  EXPECT_NE(summary_json(simulation, result.summary).find("not_read"), std::string::npos);
  // Results can be repeated with it.
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "not_read.h5";
  write_hdf5(file, simulation, result);
  const std::string text = results::read_hdf5_header(file).model;
  const Mechanism again = read_model_text(text, "not_read.h5", {}, UnreadOptions::allowed).value();
  Simulation repeated(again, again.plan);
  EXPECT_EQ(run(repeated).trajectory.values, result.trajectory.values);
  std::filesystem::remove(file);
}

TEST(Api, AStepLostInRoundingIsRefused) {
  Simulation simulation(text_model(kDoor), text_model(kDoor).plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  ASSERT_TRUE(simulation.advance_to(0.5).report.accepted());
  EXPECT_NE(refusal([&] { (void)simulation.step(1e-17); }).find("lost in rounding"), std::string::npos);
  EXPECT_NE(refusal([&] { (void)simulation.step(-1); }).find("positive"), std::string::npos);
}

// A link at its greatest reach: the driver then asks for more, and steps fail however short they are.
TEST(Api, AStepThatFailsNamesTheShortestThatWasTried) {
  const Mechanism mechanism = text_model(R"(
trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [1.99, 0.1]}
bodies:
  first: {rod: [O, A], mass: 1, length: 1}
  second: {rod: [A, B], mass: 1, length: 1}
joints: {guide: {point-on-line: B, through: [0, 0], along: [1, 0]}}
drivers: {pull: {position: B, equals: [1.99 + t, free]}}
simulate: {duration: 1 s, step: 1 ms}
)");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const StepResult step = simulation.step(0.5);
  ASSERT_FALSE(step.report.accepted());
  EXPECT_EQ(step.report.step, 0.5 / 64);
  EXPECT_NE(explain(step.report, simulation).find("0.0078 s"), std::string::npos)
      << explain(step.report, simulation);
}

TEST(Api, AConstraintWithoutAFiniteValueIsNamed) {
  const Mechanism mechanism = text_model(R"(
trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {arm: {rod: [O, A], mass: 1, length: 1}}
drivers: {motor: {angle: arm, equals: sqrt(t - 1)}}
simulate: {duration: 1 s, step: 1 ms}
)");
  Simulation simulation(mechanism, mechanism.plan);
  const AssemblyReport assembly = simulation.assemble();
  EXPECT_EQ(assembly.report.outcome, Outcome::not_finite);
  EXPECT_NE(explain(assembly, simulation).find("'motor' has no finite value"), std::string::npos)
      << explain(assembly, simulation);
}

}  // namespace
}  // namespace trammel::tests::api_test
