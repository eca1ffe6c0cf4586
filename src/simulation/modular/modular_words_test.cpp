// What the modular scheme says when something does not fit or does not converge; end-stops.
#include <gtest/gtest.h>

#include <cmath>

#include "model/models_testing.h"
#include "simulation/plan_check.h"
#include "system/system.h"
#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::modular_words_test {
namespace {

Plan modular(const Mechanism& mechanism) {
  Plan plan = mechanism.plan;
  plan.formulation = "modular";
  return plan;
}

struct NoRows final : ResultSink {
  void write(std::span<const double>) override {}
};

void expect_says(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << text;
}

TEST(ModularWords, NoConvergenceNamesTheWorstJointAndLeavesTheState) {
  const Mechanism mechanism = model("joli-double-pendulum");
  Plan plan = modular(mechanism);
  plan.modular.uzawa = "plain";
  plan.modular.rho = "published";
  plan.modular.max_sweeps = 200;
  Simulation simulation(mechanism, plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const State before = simulation.state();
  const StepResult step = simulation.step(plan.step);
  EXPECT_FALSE(step.report.accepted());
  // Both links have half a kilogram at A: ρ = 1 and more times K = 4 there, but hardly at O.
  expect_says(step.report.message, "that of 'A' is beyond all numbers");
  expect_says(step.report.message, "rho: automatic");
  EXPECT_EQ(simulation.state().t, before.t);
  EXPECT_EQ(simulation.state().q, before.q);
  EXPECT_EQ(simulation.state().v, before.v);
  EXPECT_EQ(simulation.state().a, before.a);
  for (std::size_t k = 0; k < before.memory.size(); ++k)
    EXPECT_EQ(simulation.state().memory[k].values, before.memory[k].values);

  // A run then ends with status 3 (failed), and says where.
  Simulation again(mechanism, plan);
  ASSERT_TRUE(again.assemble().report.accepted());
  NoRows sink;
  const RunSummary summary = run(again, sink);
  EXPECT_EQ(summary.status, RunStatus::failed);
  expect_says(summary.message, "'A'");
}

TEST(ModularWords, TooFewSweeps) {
  const Mechanism mechanism = model("four-bar");
  Plan plan = modular(mechanism);
  plan.modular.max_sweeps = 3;
  Simulation simulation(mechanism, plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const StepResult step = simulation.step(plan.step);
  EXPECT_EQ(step.report.outcome, Outcome::not_converged);
  expect_says(step.report.message, "did not converge in 3 sweeps");
  EXPECT_GE(step.report.worst_row, 0);
}

std::string refusal(const Mechanism& mechanism, const Plan& plan) {
  try {
    Simulation simulation(mechanism, plan);
    return simulation.assemble().report.message;
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

// Springs of 8e5 N/m and dampers of 4e4 N.s/m at bodies of 0.3 to 5 kg: the rule is explicit in forces.
TEST(ModularWords, ForcesTooStiffForTheStepEndTheRun) {
  const Mechanism mechanism = model("flyball-governor");
  Plan plan = modular(mechanism);
  plan.step = 1e-3;
  Simulation simulation(mechanism, plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const double start = simulation.energy().balance();
  StepResult step;
  for (int n = 0; n < 50 && step.report.accepted(); ++n) step = simulation.step(plan.step);
  EXPECT_EQ(step.report.outcome, Outcome::not_converged);
  expect_says(step.report.message, "grow from step to step");
  EXPECT_LT(simulation.state().t, 0.02);
  EXPECT_TRUE(std::isfinite(simulation.energy().balance() - start));
  plan.step = 5e-5;
  Simulation fine(mechanism, plan);
  ASSERT_TRUE(fine.assemble().report.accepted());
  for (int n = 0; n < 2000; ++n) ASSERT_TRUE(fine.step(plan.step).report.accepted());
  // dampers take energy, which the balance counts
  EXPECT_NEAR(fine.energy().balance(), start, 1e-3 * std::abs(start));
}

// Roots of the map that a step makes of an error: with b = a = 1/h one of them is −(1+√5)/2.
TEST(ModularWords, GainsBeyondTheRulesStability) {
  const Mechanism mechanism = model("simple-pendulum");
  Plan plan = modular(mechanism);
  plan.stabilized = true;
  plan.stabilization = "welch";
  expect_says(refusal(mechanism, plan), "the errors of joints would grow by 1.62");
  plan.stabilization = "joli";
  EXPECT_EQ(refusal(mechanism, plan), "");
}

TEST(ModularWords, PlansThatDoNotFit) {
  const auto problem = [](const auto& change) {
    Plan plan;
    plan.formulation = "modular";
    change(plan.modular);
    const std::vector<std::string> problems = check_plan(plan);
    return problems.empty() ? std::string() : problems.front();
  };
  EXPECT_EQ(problem([](ModularPlan&) {}), "");
  expect_says(problem([](ModularPlan& m) {
                m.tolerance = 0.01;
                m.warm_start = true;
              }),
              "start cold, or give a tolerance of at most 0.0001");
  EXPECT_EQ(problem([](ModularPlan& m) { m.tolerance = 0.01; }), "");  // starts cold by itself
  expect_says(problem([](ModularPlan& m) { m.uzawa = "fast"; }), "choose plain or accelerated");
  expect_says(problem([](ModularPlan& m) { m.rho = "given"; }), "rho must be positive");
  expect_says(problem([](ModularPlan& m) { m.rho_of["A"] = -1; }), "rho of 'A' must be positive");
  expect_says(problem([](ModularPlan& m) { m.threads = 0; }), "number of threads");
  expect_says(problem([](ModularPlan& m) { m.max_sweeps = 0; }), "at least one sweep");
  expect_says(problem([](ModularPlan& m) { m.criterion = "none"; }), "choose joint or published");
  Plan own_rule;
  own_rule.formulation = "modular";
  own_rule.integrator = "rk4";
  expect_says(check_plan(own_rule).front(), "modular is its own integration rule");
}

TEST(ModularWords, MechanismsThatCannotBeDividedSo) {
  // Slender rods of space that hinges hold by axes across them.
  const Mechanism rods = model("bricard");
  expect_says(refusal(rods, modular(rods)), "or put what 'hinge1' joins into one subsystem");
  // In one subsystem they are no trouble.
  Mechanism together = rods;
  together.subsystems.emplace_back();
  together.subsystems.back().name = "all";
  together.subsystems.back().bodies = {"ground", "rod1", "rod2", "rod3", "rod4", "rod5"};
  EXPECT_EQ(refusal(together, modular(together)), "");
  const Mechanism own = model("rolling-wheel");
  expect_says(refusal(own, modular(own)), "coordinates of its own");
  const Mechanism pendulum = model("joli-double-pendulum");
  Plan relative = modular(pendulum);
  relative.coordinates = "relative";
  expect_says(refusal(pendulum, relative), "use natural or reference coordinates");
  Plan plan = modular(pendulum);
  plan.modular.rho_of["link1"] = 1;
  expect_says(refusal(pendulum, plan), "'link1' joins no subsystems");
}

std::string first_error(const std::string& subsystems) {
  const ModelInput input = read_model_text(R"(
trammel: 1
plane: xy
points:
  O: {at: [0, 0], on: ground}
  A: [1, 0]
  B: [2, 0]
bodies:
  a: {rod: [O, A], mass: 1}
  b: {rod: [A, B], mass: 1}
subsystems:
)" + subsystems,
                                           "test.yaml");
  return input.errors.empty() ? "" : to_string(input.errors.front());
}

TEST(ModularWords, ModelFiles) {
  EXPECT_EQ(
      first_error(
          "  one: {bodies: [a, b], formulation: baumgarte, substeps: 3, integrator: central-differences}\n"),
      "");
  EXPECT_EQ(first_error("  one: {bodies: [a, ground], integrator: {newmark: {beta: 0.3, gamma: 0.6}}}\n"),
            "");
  expect_says(first_error("  one: {bodies: [a, c]}\n"), "there is no body 'c'");
  expect_says(first_error("  one: {bodies: [a]}\n  two: {bodies: [b, a]}\n"), "'a' belongs to 'one' already");
  expect_says(first_error("  one: {bodies: [ground]}\n"), "no body that moves");
  expect_says(first_error("  one: {substeps: 2}\n"), "bodies");
  expect_says(first_error("  one: {bodies: [a], substeps: 0}\n"), "above zero");
  expect_says(first_error("  one: {bodies: [a], formulation: lagrange}\n"), "baumgarte");
  expect_says(first_error("  one: {bodies: [a], integrator: {newmark: {beta: 0.9}}}\n"),
              "beta from 0 to 1/2");
  expect_says(first_error("  a: {bodies: [a]}\n"), "a");
}

// A stop that holds is one more connection.
TEST(ModularWords, EndStopsBounceAsByTheDefaultFormulation) {
  const Mechanism mechanism = model("end-stops");
  const auto impacts = [&](const Plan& plan) {
    Simulation simulation(mechanism, plan);
    EXPECT_TRUE(simulation.assemble().report.accepted());
    NoRows sink;
    Plan shortened = plan;
    std::vector<Event> events;
    while (simulation.state().t < 10) {
      const StepResult step = simulation.step(plan.step);
      if (!step.report.accepted()) {
        ADD_FAILURE() << step.report.message;
        break;
      }
      events.insert(events.end(), step.events.begin(), step.events.end());
    }
    return events;
  };
  const std::vector<Event> mine = impacts(modular(mechanism)), theirs = impacts(mechanism.plan);
  ASSERT_EQ(mine.size(), theirs.size());
  ASSERT_GE(mine.size(), 3u);
  for (std::size_t k = 0; k < mine.size(); ++k) {
    EXPECT_EQ(mine[k].name, theirs[k].name);
    // errors of order h² of both: 4e-6 s² times accelerations of tens
    EXPECT_NEAR(mine[k].t, theirs[k].t, 1e-3);
    EXPECT_NEAR(mine[k].impulse, theirs[k].impulse, 1e-2);
  }
}

}  // namespace
}  // namespace trammel::tests::modular_words_test
