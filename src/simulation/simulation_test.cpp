// What a Simulation promises of every step: no allocation, resuming to the bit, the order of its rule, an
// untouched state after a failure, angles that count turns.
#include "trammel/simulation.h"

#include <gtest/gtest.h>

#include <cmath>

#include <numbers>

#include "math/count_malloc.h"
#include "model/models_testing.h"
#include "system/system.h"
#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::simulation_test {
namespace {

Mechanism text_model(const std::string& text) {
  ModelInput input = read_model_text(text, "test.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

void advance(Simulation& simulation, double h, int steps) {
  for (int i = 0; i < steps; ++i) ASSERT_TRUE(simulation.step(h).report.accepted()) << "step " << i;
}

const char* const kCoordinates[] = {"natural", "reference"};
const char* const kRules[] = {"trapezoidal", "newmark", "hht", "generalized-alpha"};

TEST(Step, TakesNothingFromTheHeap) {
#ifndef TRAMMEL_COUNTS_MALLOC
  GTEST_SKIP() << "malloc cannot be counted in this build";
#endif
  // Dense and sparse, plane and space, springs, drivers, expressions, states, rotor (LU), constraints of
  // velocities.
  for (const char* name : {"double-four-bar", "n-four-bar", "bricard", "andrews", "driven-slider-crank",
                           "controlled-pendulum", "gyrostat", "flyball-governor", "gear-train", "lead-screw",
                           "pursuit", "rolling-disk", "rolling-wheel"}) {
    for (const char* coordinates : kCoordinates)
      for (const char* rule : kRules) {
        Plan plan = model(name).plan;
        plan.integrator = rule;
        if (!model(name).generalized) plan.coordinates = coordinates;
        Simulation simulation(model(name), plan);
        ASSERT_TRUE(simulation.assemble().report.accepted()) << name;
        // Buffers find their sizes in the first steps.
        advance(simulation, plan.step, 3);
        const long before = allocations;
        bool accepted = true;
        for (int i = 0; i < 20; ++i) accepted = simulation.step(plan.step).report.accepted() && accepted;
        const long after = allocations;
        EXPECT_TRUE(accepted) << name;
        EXPECT_EQ(after - before, 0) << name << " by " << rule << " in " << coordinates;
      }
  }
}

TEST(Step, ResumesFromACopiedStateToTheBit) {
  for (const char* name : {"double-pendulum", "controlled-pendulum", "driven-slider-crank",
                           "three-link-pendulum", "n-four-bar", "skater", "rolling-disk"}) {
    for (const char* coordinates : kCoordinates)
      for (const char* rule : kRules) {
        SCOPED_TRACE(std::string(name) + " by " + rule + " in " + coordinates);
        const Mechanism mechanism = model(name);
        Plan plan = mechanism.plan;
        plan.integrator = rule;
        plan.coordinates = coordinates;
        Simulation one(mechanism, plan);
        ASSERT_TRUE(one.assemble().report.accepted());
        advance(one, plan.step, 40);
        Simulation two(mechanism, plan);
        two.restore(one.state());
        advance(one, plan.step, 40);
        advance(two, plan.step, 40);
        EXPECT_EQ(one.state().q, two.state().q);
        EXPECT_EQ(one.state().v, two.state().v);
        EXPECT_EQ(one.state().a, two.state().a);
        EXPECT_EQ(one.state().lambda, two.state().lambda);
        EXPECT_EQ(one.energy().balance(), two.energy().balance());
      }
  }
}

// Order observed from three steps, each half the last: log2 of the ratio of successive differences.
double observed_order(const Mechanism& mechanism, const Plan& plan, double h, double end) {
  std::vector<std::vector<double>> q;
  for (const int halvings : {0, 1, 2}) {
    Simulation simulation(mechanism, plan);
    EXPECT_TRUE(simulation.assemble().report.accepted());
    const double step = h / (1 << halvings);
    advance(simulation, step, static_cast<int>(std::lround(end / step)));
    q.push_back(simulation.state().q);
  }
  double coarse = 0, fine = 0;
  for (std::size_t i = 0; i < q[0].size(); ++i) {
    coarse = std::max(coarse, std::abs(q[0][i] - q[1][i]));
    fine = std::max(fine, std::abs(q[1][i] - q[2][i]));
  }
  return std::log2(coarse / fine);
}

TEST(Order, IsTheRules) {
  for (const char* name :
       {"double-pendulum", "three-link-pendulum", "controlled-pendulum", "flyball-governor"}) {
    const Mechanism mechanism = model(name);
    for (const char* rule : kRules) {
      Plan plan = mechanism.plan;
      plan.integrator = rule;
      const double h = 2e-3;
      EXPECT_NEAR(observed_order(mechanism, plan, h, 0.4), 2, 0.15) << name << " by " << rule;
    }
    Plan damped = mechanism.plan;
    damped.integrator = "newmark";
    damped.newmark_gamma = 0.6;
    damped.newmark_beta = 0.3025;
    EXPECT_NEAR(observed_order(mechanism, damped, 1e-3, 0.4), 1, 0.15) << name << " by damped Newmark";
  }
}

TEST(Metric, BothProjectionsGiveTheSameMotionToTheRulesOrder) {
  const Mechanism mechanism = model("flyball-governor");
  std::vector<std::vector<double>> q;
  for (const char* metric : {"tangent", "mass"}) {
    Plan plan = mechanism.plan;
    plan.projection_metric = metric;
    Simulation simulation(mechanism, plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    advance(simulation, 1e-3, 500);
    q.push_back(simulation.state().q);
  }
  // Both are second order at h = 1e-3 s; their difference is of the size of either's error, about 1e-5 m.
  for (std::size_t i = 0; i < q[0].size(); ++i) EXPECT_NEAR(q[0][i], q[1][i], 5e-5);
}

const std::string kCrank = R"yaml(
trammel: 1
name: crank
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [0.5, 0]}
bodies: {crank: {rod: [O, A], mass: 2}}
)yaml";

TEST(Angle, CountsTurns) {
  const Mechanism mechanism =
      text_model(kCrank + "drivers: {motor: {angle: crank, equals: 40*t}}\n" +
                 "simulate: {duration: 2, step: 0.01}\noutputs: {columns: {turned: crank.angle}}\n");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  advance(simulation, 0.01, 200);
  system::Terms terms = simulation.system().make_terms();
  // 80 rad, more than twelve turns, held by the constraint
  EXPECT_NEAR(simulation.system().readings(simulation.state(), terms).back().value, 80, 1e-9);
}

TEST(Angle, RefusesMoreThanHalfATurnInAStep) {
  const Mechanism mechanism = text_model(kCrank + "drivers: {motor: {angle: crank, equals: 400*t}}\n" +
                                         "simulate: {duration: 2, step: 0.8}\n");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  // 320 rad in a step, 5 rad in the smallest part it is tried in
  const StepResult result = simulation.step(0.8);
  EXPECT_FALSE(result.report.accepted());
  EXPECT_EQ(simulation.state().t, 0);
}

TEST(Failure, LeavesTheStateUntouched) {
  const Mechanism mechanism = text_model(kCrank + "forces: {bad: {force: [0, 'sqrt(0.1 - t)'], at: A}}\n" +
                                         "simulate: {duration: 1, step: 0.01}\n");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  advance(simulation, 0.01, 9);
  const State before = simulation.state();
  simulation.set_time(0.1);
  const StepResult result = simulation.step(0.01);
  EXPECT_EQ(result.report.outcome, Outcome::not_finite);
  EXPECT_EQ(simulation.state().q, before.q);
  EXPECT_EQ(simulation.state().v, before.v);
  EXPECT_NE(explain(result.report, simulation).find("no longer finite"), std::string::npos);
}

TEST(Failure, NamesTheJointThatCannotFollow) {
  // A crank and a link of 0.5 m each reach 1 m; the driver asks for more after t = 0.5 s.
  const Mechanism mechanism = text_model(R"yaml(
trammel: 1
name: reach
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [0.3, 0.4], B: [0.6, 0]}
bodies: {crank: {rod: [O, A], mass: 1}, link: {rod: [A, B], mass: 1}}
drivers: {pull: {position: B, equals: [0.6 + 0.8*t, 0]}}
simulate: {duration: 1, step: 0.01}
)yaml");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  Trajectory kept;
  struct Keep final : ResultSink {
    std::size_t rows = 0;
    void write(std::span<const double>) override { ++rows; }
  } sink;
  const RunSummary summary = run(simulation, sink);
  EXPECT_EQ(summary.status, RunStatus::failed);
  EXPECT_NEAR(summary.time, 0.5, 0.011);
  for (const char* words : {"from about t = 0.500", "'pull'"})
    EXPECT_NE(summary.message.find(words), std::string::npos) << summary.message;
  // Everything before is there: the start, and one row a step.
  EXPECT_EQ(sink.rows, static_cast<std::size_t>(summary.steps) + 1);
}

TEST(Input, ActsFromTheNextStepOn) {
  const Mechanism mechanism = text_model(R"yaml(
trammel: 1
name: cart
plane: xy
points: {C: [0, 0]}
bodies: {cart: {point: C, mass: 2}}
joints: {rail: {point-on-line: C, through: [0, 0], along: [1, 0]}}
inputs: {push: 0}
forces: {hand: {force: [push, 0], at: C}}
simulate: {duration: 1, step: 0.01}
)yaml");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  advance(simulation, 0.01, 10);
  EXPECT_EQ(simulation.state().v[0], 0);
  simulation.set_input(0, 6);
  advance(simulation, 0.01, 1);
  // The trapezoidal rule takes the mean of the old acceleration 0 and the new one 3.
  EXPECT_NEAR(simulation.state().v[0], 0.015, 1e-14);
}

// The rough places of this model move: closed again, they would differ by rounding.
TEST(Assembly, OfAnAssembledStartChangesNoBit) {
  Simulation simulation(model("four-bar"), model("four-bar").plan);
  const AssemblyReport first = simulation.assemble();
  ASSERT_TRUE(first.report.accepted());
  EXPECT_GT(first.largest_move, 1e-3);
  const State start = simulation.state();
  const AssemblyReport again = simulation.assemble();
  ASSERT_TRUE(again.report.accepted());
  EXPECT_EQ(to_bytes(simulation.state()), to_bytes(start));
  EXPECT_EQ(again.largest_move, first.largest_move);
  // A start that was moved is assembled.
  State moved = start;
  for (double& q : moved.q) q += 1e-3;
  simulation.restore(moved);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  EXPECT_NE(simulation.state().q, start.q);
  EXPECT_NE(simulation.state().q, moved.q);
}

TEST(Run, AColumnWithoutAValueIsMissingThereAndTheRunGoesOn) {
  ModelInput input = read_model_text(R"yaml(trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {rod: {rod: [O, A], mass: 1}}
simulate: {duration: 0.1, step: 10 ms}
outputs: {columns: {slowness: 1/rod.rate}}
)yaml",
                                     "m.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  Simulation simulation(input.mechanism, input.mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  struct Column final : ResultSink {
    std::size_t at = 0;
    std::vector<double> values;
    void write(std::span<const double> row) override { values.push_back(row[at]); }
  } sink;
  const std::vector<Channel> channels = channels_of(simulation);
  while (channels.at(sink.at).name != "slowness") ++sink.at;
  EXPECT_TRUE(channels[sink.at].may_be_missing);
  const RunSummary summary = run(simulation, sink);
  EXPECT_EQ(summary.status, RunStatus::limited);
  ASSERT_EQ(summary.missing.size(), 1U);
  EXPECT_EQ(summary.missing[0].rows, 1);
  ASSERT_EQ(sink.values.size(), 11U);
  EXPECT_TRUE(std::isnan(sink.values.front()));
  EXPECT_LT(sink.values.back(), 0);
}

TEST(Run, WarnsWhereConstraintsStandOpenAndNotOfAMechanismAtRest) {
  const auto warnings = [](const std::string& simulate) {
    ModelInput input = read_model_text(
        "trammel: 1\nplane: xy\ngravity: [0, -9.81]\n"
        "points: {O: {at: [0, 0], on: ground}, A: [0, -1]}\n"
        "bodies: {rod: {rod: [O, A], mass: 1}}\n" +
            simulate,
        "m.yaml");
    for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
    Simulation simulation(input.mechanism, input.mechanism.plan);
    EXPECT_TRUE(simulation.assemble().report.accepted());
    struct None final : ResultSink {
      void write(std::span<const double>) override {}
    } sink;
    return run(simulation, sink).warnings;
  };
  EXPECT_TRUE(warnings("simulate: {duration: 1, step: 10 ms}\n").empty());
  const std::vector<std::string> open =
      warnings("simulate: {duration: 1, step: 1 ms, formulation: penalty, integrator: rk4, penalty: 1}\n");
  ASSERT_FALSE(open.empty());
  EXPECT_NE(open.back().find("constraints open by up to"), std::string::npos);
}

}  // namespace
}  // namespace trammel::tests::simulation_test
