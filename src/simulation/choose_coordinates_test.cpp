// Coordinates that a plan leaves open follow the mechanism, where the tolerance chooses the method.
#include "simulation/choose_coordinates.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::choose_coordinates_test {
namespace {

Mechanism text_model(const std::string& text) {
  return read_model_text("trammel: 1\n" + text, "coordinates.yaml").value();
}

using Chosen = std::pair<std::string, std::string>;  // the name, and the reason where there is one

Chosen chosen(const Mechanism& mechanism) {
  const Simulation simulation(mechanism, mechanism.plan);
  const ResolvedPlan& plan = simulation.resolved();
  const auto note = std::ranges::find(plan.choices, "coordinates", &ResolvedPlan::Choice::option);
  return {name_of(plan.coordinates), note == plan.choices.end() ? "" : note->reason};
}

const std::string kFourBar = R"(
plane: xy
gravity: [0, -9.81]
points: {A: {at: [0, 0], on: ground}, D: {at: [3, 0], on: ground}, B: [0.5, 1], C: [3, 2]}
bodies:
  crank: {rod: [A, B], mass: 1}
  coupler: {rod: [B, C], mass: 3}
  rocker: {rod: [D, C], mass: 2}
)";

TEST(ChosenCoordinates, AreNaturalByDefault) {
  EXPECT_EQ(chosen(text_model(kFourBar)), Chosen("natural", ""));
}

TEST(ChosenCoordinates, SuitASpin) {
  const std::string spin = "initial: {crank: {angular-velocity: 300}}\n";
  EXPECT_EQ(chosen(text_model(kFourBar + spin)), Chosen("reference", "'crank' spins"));
  const auto [wheel, reason] = chosen(text_model(R"(
bodies: {wheel: {mass: 1, inertia: [1, 1, 2], free: true}}
initial: {wheel: {angular-velocity: [0, 1, 1000]}}
)"));
  EXPECT_EQ(wheel, "relative");
  EXPECT_EQ(reason, "'wheel' spins; in these a tree of joints has no constraints");
  // Three turns are no spin.
  EXPECT_EQ(chosen(text_model(kFourBar + "initial: {crank: {angular-velocity: 20}}\n")).first, "natural");
}

TEST(ChosenCoordinates, SuitLightPartsAndLongTrees) {
  Mechanism light = text_model(kFourBar);
  light.bodies[1].mass = 1e-5;
  EXPECT_EQ(chosen(light), Chosen("reference", "'coupler' is light beside its neighbour"));
  light.bodies[1].mass = 0;  // a rod without mass has no place there
  EXPECT_EQ(chosen(light).first, "natural");
  light.bodies[1].mass = 1e-12;  // nor has one of hardly any
  EXPECT_EQ(chosen(light).first, "natural");
  const auto [chain, reason] = chosen(text_model(R"(
plane: xy
gravity: [0, -9.81]
points: {P0: {at: [0, 0], on: ground}, "P{i}": {for: {i: 1..12}, at: [i, 0]}}
bodies: {"r{i}": {for: {i: 1..12}, rod: ["P{i-1}", "P{i}"], mass: 1}}
)"));
  EXPECT_EQ(chain, "relative");
  EXPECT_EQ(reason, "there are 12 bodies; in these a tree of joints has no constraints");
}

// The end of a shaft without mass but a rotor's inertia.
TEST(ChosenCoordinates, SuitArmaturesOfMasslessBodies) {
  const Mechanism shaft = text_model(R"(
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, at: [1, 0, 0]}
  end: {mass: 0, inertia: {xx: 0, yy: 0, zz: 0}, at: [2, 0, 0]}
joints:
  hinge: {revolute: [arm, ground], at: [0, 0, 0], axis: [0, 1, 0]}
  rotor: {revolute: [end, arm], at: [2, 0, 0], axis: [0, 1, 0], armature: 0.1}
  gear: {gear: [hinge, rotor], ratio: 2}
)");
  EXPECT_EQ(chosen(shaft), Chosen("relative", "'end' has no mass but the armature of its joint"));
}

// A person who names them, a step, or a method, gets what the files always meant.
TEST(ChosenCoordinates, AreThoseThatAPersonNames) {
  const std::string spin = kFourBar + "initial: {crank: {angular-velocity: 300}}\n";
  for (const char* given : {"simulate: {coordinates: natural}\n", "simulate: {step: 1 ms}\n",
                            "simulate: {formulation: lagrange, integrator: rk4}\n"})
    EXPECT_EQ(chosen(text_model(spin + given)), Chosen("natural", "")) << given;
}

// The run, its second run and its rows are those of the coordinates chosen.
TEST(ChosenCoordinates, RunAsIfNamed) {
  const std::string spin = kFourBar + "initial: {crank: {angular-velocity: 30}}\n";
  Mechanism mechanism = text_model(spin + "simulate: {duration: 5 s}\n");
  Simulation automatic(mechanism, mechanism.plan);
  mechanism.plan.coordinates = "reference";
  Simulation named(mechanism, mechanism.plan);
  const RunResult a = run(automatic), b = run(named);
  EXPECT_EQ(a.trajectory.values, b.trajectory.values);
  EXPECT_GT(a.errors.rows(), 0u);
}

// The turns of a wheel at 1000 rad/s are all there, where natural coordinates would lose some with long
// steps.
TEST(ChosenCoordinates, CountEveryTurnOfASpinner) {
  const Mechanism spinner = text_model(R"(
bodies: {wheel: {mass: 1, inertia: [0.01, 0.01, 0.02]}}
joints: {hub: {revolute: [wheel, ground], at: [0, 0, 0], axis: [0, 0, 1]}}
initial: {hub: {speed: 1000}}
simulate: {duration: 1 s}
outputs: {interval: 0.1}
)");
  Simulation simulation(spinner, spinner.plan);
  const RunResult result = run(simulation);
  EXPECT_EQ(result.summary.status, RunStatus::ok) << result.summary.message;
  EXPECT_NEAR(result.trajectory.column("hub.angle").back(), 1000, 1e-9);  // rounding of a steady turn
}

// When a body that spins about its middle axis turns it over.
std::vector<double> flips(const Trajectory& rows) {
  const std::vector<double> t = rows.column("t"), up = rows.column("up");
  std::vector<double> times;
  for (std::size_t i = 1; i < t.size(); ++i)
    if (up[i - 1] * up[i] < 0) times.push_back(t[i] - (t[i] - t[i - 1]) * up[i] / (up[i] - up[i - 1]));
  return times;
}

TEST(ChosenCoordinates, FlipABodyInTime) {
  const Mechanism handle = text_model(R"(
bodies: {handle: {mass: 0.3 kg, inertia: [2e-4, 4e-4, 5e-4], points: {b: [0, 1, 0]}}}
initial: {handle: {angular-velocity: [0.01, 10, 0.01]}}
simulate: {duration: 20 s}
outputs: {interval: 10 ms, columns: {up: handle.b.y - handle.y}}
)");
  Simulation automatic(handle, handle.plan);
  const RunResult result = run(automatic);
  EXPECT_EQ(result.summary.status, RunStatus::ok) << result.summary.message;
  Plan fine = handle.plan;
  fine.coordinates = "reference";
  fine.tolerance = 1e-11;
  fine.verify = false;
  Simulation exact(handle, fine);
  const std::vector<double> times = flips(result.trajectory), right = flips(run(exact).trajectory);
  ASSERT_EQ(times.size(), right.size());
  ASSERT_FALSE(times.empty());
  // Between rows both are interpolated alike; a flip comes late by what the tolerance 1e-6 leaves, which
  // grows by e for each of some ten time constants.
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], right[i], 1e-3);
  EXPECT_NEAR(times.back(), 18.00, 0.02);
}

}  // namespace
}  // namespace trammel::tests::choose_coordinates_test
