// Error control of the index-3 step: the estimate is the local error, the tolerance is met, and the error of
// a run falls with it, by the order of the rule.
#include <gtest/gtest.h>

#include <cmath>

#include "model/models_testing.h"
#include "simulation/plan_check.h"
#include "system/system.h"
#include "trammel/model.h"
#include "trammel/run.h"
#include "trammel/simulation.h"

namespace trammel::tests::error_control_test {
namespace {

struct Leg {
  State state;
  long steps = 0, rejected = 0;
};

Leg run_to(const Mechanism& mechanism, const Plan& plan, double end) {
  Simulation simulation(mechanism, plan);
  EXPECT_TRUE(simulation.assemble().report.accepted());
  const StepResult result = simulation.step(end);
  EXPECT_TRUE(result.report.accepted()) << result.report.message;
  return {simulation.state(), result.steps, simulation.rejected_steps()};
}

double distance(const State& a, const State& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.q.size(); ++i) largest = std::max(largest, std::abs(a.q[i] - b.q[i]));
  return largest;
}

Plan with_tolerance(const Mechanism& mechanism, const std::string& rule, double tolerance) {
  Plan plan = mechanism.plan;
  plan.integrator = rule;
  plan.tolerance = tolerance;
  plan.step = 0;
  return plan;
}

// The motion itself, by a rule of high order.
State exact(const Mechanism& mechanism, double end) {
  Plan plan = mechanism.plan;
  plan.formulation = "augmented-lagrangian";
  plan.integrator = "dopri5";
  plan.tolerance = 1e-12;
  return run_to(mechanism, plan, end).state;
}

TEST(ErrorControl, ErrorAndStepsFollowTheToleranceByTheOrderOfTheRule) {
  // Local error ~ h³: a thousandth of the tolerance takes ten times the steps and, at order 2, a hundredth of
  // the error remains.
  for (const char* rule : {"trapezoidal", "hht", "generalized-alpha"})
    for (const char* name : {"double-pendulum", "three-link-pendulum", "controlled-pendulum"}) {
      const Mechanism mechanism = model(name);
      const double end = 1;
      const State reference = exact(mechanism, end);
      const Leg coarse = run_to(mechanism, with_tolerance(mechanism, rule, 1e-6), end);
      const Leg fine = run_to(mechanism, with_tolerance(mechanism, rule, 1e-9), end);
      const double steps = static_cast<double>(fine.steps) / static_cast<double>(coarse.steps);
      EXPECT_NEAR(std::log10(steps), 1, 0.1) << rule << " on " << name;
      const double ratio = distance(coarse.state, reference) / distance(fine.state, reference);
      EXPECT_NEAR(std::log10(ratio), 2, 0.35) << rule << " on " << name;
    }
}

TEST(ErrorControl, EstimateIsTheLocalErrorOfPositions) {
  // One step of the fixed rule from a point of the motion, against the motion: κh²|Δv̇| for small h.
  const Mechanism mechanism = model("double-pendulum");
  const double from = 0.7, h = 1e-3;
  Plan plan = mechanism.plan;
  Simulation simulation(mechanism, plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  simulation.restore(exact(mechanism, from));
  const State before = simulation.state();
  ASSERT_TRUE(simulation.step(h).report.accepted());
  const State& after = simulation.state();
  const State truth = exact(mechanism, from + h);
  double error = 0, estimate = 0;
  for (std::size_t i = 0; i < after.q.size(); ++i) {
    error = std::max(error, std::abs(after.q[i] - truth.q[i]));
    estimate = std::max(estimate, h * h / 12 * std::abs(after.a[i] - before.a[i]));
  }
  // The constraints remove what the estimate has across them: it errs on the safe side, within a factor.
  EXPECT_GT(estimate, 0.8 * error);
  EXPECT_LT(estimate, 5 * error);
}

TEST(ErrorControl, RejectedStepsAreCountedAndTheRunLandsOnItsRows) {
  // Its acceleration doubles within a few steps where the slider turns.
  Mechanism mechanism = model("slider-crank");
  Plan plan = with_tolerance(mechanism, "trapezoidal", 1e-6);
  plan.duration = 4;
  plan.output_interval = 0.5;
  plan.verify = false;
  Simulation simulation(mechanism, plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  struct Times final : ResultSink {
    std::vector<double> t;
    void write(std::span<const double> row) override { t.push_back(row[0]); }
  } sink;
  const RunSummary summary = run(simulation, sink);
  EXPECT_EQ(summary.status, RunStatus::ok);
  ASSERT_EQ(sink.t.size(), 9U);
  for (std::size_t k = 0; k < sink.t.size(); ++k) EXPECT_EQ(sink.t[k], 0.5 * static_cast<double>(k));
  EXPECT_GT(summary.steps, 100);
  EXPECT_GT(summary.rejected_steps, 0);
  EXPECT_LT(summary.rejected_steps, summary.steps / 10);
}

TEST(ErrorControl, AStepEndsWhereAForceJumps) {
  // A force switched on at t = 0.5 s: a step ends there, and none is tried in vain.
  ModelInput input = read_model_text(R"yaml(trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [0, -1]}
bodies: {rod: {rod: [O, A], mass: 1}}
forces: {kick: {force: ["if(t < 0.5, 0, 10)", 0], at: A}}
simulate: {duration: 1, tolerance: 1e-7}
)yaml",
                                     "kick.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  Simulation simulation(input.mechanism, input.mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const StepResult result = simulation.step(1);
  ASSERT_TRUE(result.report.accepted()) << result.report.message;
  // Energy: what the force has done, 10 N · x_A since 0.5 s, is the balance that the run keeps by itself.
  const Energy energy = simulation.energy();
  EXPECT_NEAR(energy.balance(), -0.5 * 9.81, 2e-5);
  EXPECT_EQ(simulation.rejected_steps(), 0);
}

TEST(ErrorControl, ACopiedStateResumesToTheSameBits) {
  for (const char* name : {"controlled-pendulum", "rolling-disk"}) {
    const Mechanism mechanism = model(name);
    const Plan plan = with_tolerance(mechanism, "generalized-alpha", 1e-6);
    Simulation one(mechanism, plan), two(mechanism, plan);
    ASSERT_TRUE(one.assemble().report.accepted());
    ASSERT_TRUE(two.assemble().report.accepted());
    ASSERT_TRUE(one.step(0.3).report.accepted());
    two.restore(one.state());
    ASSERT_TRUE(one.step(0.3).report.accepted());
    ASSERT_TRUE(two.step(0.3).report.accepted());
    EXPECT_EQ(one.state().q, two.state().q) << name;
    EXPECT_EQ(one.state().v, two.state().v) << name;
    EXPECT_EQ(one.state().lambda, two.state().lambda) << name;
  }
}

TEST(ErrorControl, RefusesWhatItCannotDo) {
  Plan plan;
  plan.tolerance = 1e-6;
  plan.step = 0;
  EXPECT_TRUE(check_plan(plan).empty());
  plan.formulation = "lagrange";
  plan.integrator = "rk4";
  ASSERT_EQ(check_plan(plan).size(), 1U);
  EXPECT_NE(check_plan(plan)[0].find("lagrange with rk4 takes steps of one size"), std::string::npos);
  plan.formulation = "baumgarte";
  plan.integrator = "dopri5";
  ASSERT_EQ(check_plan(plan).size(), 1U);
  EXPECT_NE(check_plan(plan)[0].find("the gains of the stabilization come from the step"), std::string::npos);
}

}  // namespace
}  // namespace trammel::tests::error_control_test
