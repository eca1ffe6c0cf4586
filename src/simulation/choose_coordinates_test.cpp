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

}  // namespace
}  // namespace trammel::tests::choose_coordinates_test
