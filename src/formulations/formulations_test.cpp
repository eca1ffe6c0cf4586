// Formulations of index 1 with the integrators they take: the order of the rule, agreement with the default
// formulation, projections, redundant constraints, refusals.
#include <gtest/gtest.h>

#include "analysis/compare.h"
#include "model/models_testing.h"
#include "simulation/plan_check.h"
#include "system/system.h"
#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::formulations_test {
namespace {

const std::vector<std::string> kIndex1{"lagrange",
                                       "baumgarte",
                                       "null-space",
                                       "penalty",
                                       "augmented-lagrangian",
                                       "canonical-lagrange",
                                       "canonical-independent",
                                       "canonical-augmented"};

State after(const Mechanism& mechanism, const Plan& plan, double h, double end) {
  Plan own = plan;
  own.step = h;
  Simulation simulation(mechanism, own);
  const AssemblyReport assembly = simulation.assemble();
  EXPECT_TRUE(assembly.report.accepted()) << assembly.report.message;
  const long steps = std::lround(end / h);
  for (long i = 0; i < steps; ++i) {
    const StepResult result = simulation.step(h);
    EXPECT_TRUE(result.report.accepted())
        << plan.formulation << " by " << plan.integrator << ", step " << i << ": " << result.report.message;
    if (!result.report.accepted()) break;
  }
  return simulation.state();
}

double distance(const State& a, const State& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.q.size(); ++i) largest = std::max(largest, std::abs(a.q[i] - b.q[i]));
  return largest;
}

struct Rule {
  const char* name;
  double order;
  double step;  // coarsest of three, so that the error is above rounding and in the rule's range
};

TEST(Index1, OrderOfEachRuleIsKeptByEachFormulation) {
  for (const char* name : {"double-pendulum", "three-link-pendulum"}) {
    const Mechanism mechanism = model(name);
    for (const std::string& formulation : kIndex1)
      for (const Rule& rule : {Rule{"euler", 1, 2e-4}, Rule{"semi-implicit-euler", 1, 2e-4},
                               Rule{"rk2-midpoint", 2, 2e-3}, Rule{"rk2-heun", 2, 2e-3}, Rule{"rk4", 4, 1e-2},
                               Rule{"trapezoidal", 2, 2e-3}, Rule{"implicit-midpoint", 2, 2e-3}}) {
        // Errors of its momenta weigh fifty times on the spin of slender links: h⁵ is still above h⁴ here.
        if (formulation == "canonical-independent" && mechanism.name == "three-link pendulum") continue;
        Plan plan = mechanism.plan;
        plan.formulation = formulation;
        plan.integrator = rule.name;
        // Gains that do not change with the step: the order is that of one differential equation.
        plan.stabilization = "given";
        const double end = 0.2;
        const State a = after(mechanism, plan, rule.step, end),
                    b = after(mechanism, plan, rule.step / 2, end),
                    c = after(mechanism, plan, rule.step / 4, end);
        EXPECT_NEAR(std::log2(distance(a, b) / distance(b, c)), rule.order, 0.15)
            << name << ": " << formulation << " by " << rule.name;
      }
  }
}

TEST(Index1, AgreesWithTheReferenceAtTightSettings) {
  const Mechanism mechanism = model("double-pendulum");
  // dopri5 at 1e-11 against rk4 at 1 ms with another formulation: both below 1e-9 over one second.
  Plan tight = mechanism.plan;
  tight.formulation = "lagrange";
  tight.integrator = "dopri5";
  tight.tolerance = 1e-12;
  const State reference = after(mechanism, tight, 0.1, 1);
  for (const std::string& formulation : kIndex1) {
    if (formulation == "penalty") continue;
    Plan plan = tight;
    plan.formulation = formulation;
    plan.stabilization = "given";
    // The augmented Lagrangian solves with a matrix of condition 1e6 or more: 1e-16 · 1e6 in the
    // accelerations.
    EXPECT_LT(distance(after(mechanism, plan, 0.1, 1), reference), 1e-8) << formulation;
  }
  // The penalty's error is proportional to 1/α: s = 1e6 leaves about a millionth.
  Plan penalty = tight;
  penalty.formulation = "penalty";
  EXPECT_LT(distance(after(mechanism, penalty, 0.1, 1), reference), 1e-4);
}

TEST(Index1, SchurComplementGivesTheSame) {
  const Mechanism mechanism = model("double-pendulum");
  Plan plan = mechanism.plan;
  plan.formulation = "lagrange";
  plan.integrator = "rk4";
  const State whole = after(mechanism, plan, 1e-3, 0.5);
  plan.schur = true;
  // Rounding of two ways to solve one system, over 500 steps.
  EXPECT_LT(distance(after(mechanism, plan, 1e-3, 0.5), whole), 1e-11);
}

TEST(Index1, ProjectionsHoldTheConstraintsAndNothingElseDoes) {
  const Mechanism mechanism = model("double-pendulum");
  for (const bool projected : {true, false}) {
    Plan plan = mechanism.plan;
    plan.formulation = "augmented-lagrangian";
    plan.integrator = "trapezoidal";
    plan.step = 2e-3;
    if (projected) plan.project_positions = plan.project_velocities = plan.project_accelerations = true;
    Simulation simulation(mechanism, plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    Violation largest;
    for (int i = 0; i < 10000; ++i) {
      const StepResult result = simulation.step(plan.step);
      ASSERT_TRUE(result.report.accepted());
      largest.position = std::max(largest.position, result.violation.position);
      largest.velocity = std::max(largest.velocity, result.violation.velocity);
      largest.acceleration = std::max(largest.acceleration, result.violation.acceleration);
    }
    if (projected) {
      // Lengths 1 m, speeds up to 10 m/s, accelerations up to 150 m/s²: 1e-13 of each.
      EXPECT_LT(largest.position, 1e-13);
      EXPECT_LT(largest.velocity, 1e-12);
      EXPECT_LT(largest.acceleration, 1.5e-11);
    } else {
      EXPECT_GT(largest.position, 1e-6);
    }
  }
}

TEST(Index1, ADoubledJointChangesNothingWhereRedundancyIsAllowed) {
  // The same distance said twice.
  const std::string text = R"yaml(
trammel: 1
name: pendulum
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, P: [1, 0]}
bodies: {bob: {point: P, mass: 2}}
joints:
  string: {distance: [P, O], length: 1}
)yaml";
  const std::string more = "  again: {distance: [P, O], length: 1}\n",
                    simulate = "simulate: {duration: 1, step: 1e-3}\n";
  const Mechanism once = read_model_text(text + simulate, "once.yaml").mechanism;
  const Mechanism twice = read_model_text(text + more + simulate, "twice.yaml").mechanism;
  for (const char* formulation :
       {"augmented-lagrangian-index3", "augmented-lagrangian", "canonical-augmented", "independent"}) {
    Plan plan = once.plan;
    plan.formulation = formulation;
    EXPECT_LT(distance(after(once, plan, 1e-3, 1), after(twice, plan, 1e-3, 1)), 1e-9) << formulation;
  }
  for (const char* formulation :
       {"lagrange", "baumgarte", "null-space", "canonical-lagrange", "canonical-independent"}) {
    Plan plan = twice.plan;
    plan.formulation = formulation;
    Simulation simulation(twice, plan);
    const AssemblyReport assembly = simulation.assemble();
    EXPECT_EQ(assembly.report.outcome, Outcome::refused) << formulation;
    EXPECT_NE(assembly.report.message.find("string"), std::string::npos) << assembly.report.message;
    EXPECT_NE(assembly.report.message.find("use augmented-lagrangian-index3"), std::string::npos);
  }
}

// The double pendulum with both rods too long, at rest; and how far each still is after a while.
struct Stretched {
  std::vector<double> before, after;
};
Stretched stretched(const Mechanism& mechanism, const Plan& plan, double time) {
  Simulation simulation(mechanism, plan);
  EXPECT_TRUE(simulation.assemble().report.accepted());
  const system::System& system = simulation.system();
  State state = simulation.state();
  system::Terms terms = system.make_terms();
  for (double& q : state.q) q *= 1.001;
  system.evaluate(state, system::kAskPosition, terms);
  Stretched out{terms.Phi, {}};
  simulation.restore(state);
  EXPECT_TRUE(simulation.step(time).report.accepted());
  system.evaluate(simulation.state(), system::kAskPosition, terms);
  out.after = terms.Phi;
  return out;
}

TEST(Index1, EachConstraintDecaysAtItsOwnRate) {
  const Mechanism mechanism = model("double-pendulum");
  Plan plan = mechanism.plan;
  plan.formulation = "augmented-lagrangian";
  plan.integrator = "dopri5";
  plan.tolerance = 1e-12;
  plan.omega = 7;
  plan.omega_of["lower"] = 20;
  plan.mu_of["lower"] = 0.5;
  const double t = 0.1;
  const Stretched rods = stretched(mechanism, plan, t);
  ASSERT_EQ(rods.after.size(), 2U);
  // Φ̈ + 2ΩμΦ̇ + Ω²Φ = 0 from rest: critically damped with μ = 1, oscillating with μ < 1
  const double upper = std::exp(-7 * t) * (1 + 7 * t);
  const double damped = 20 * std::sqrt(0.75),
               lower = std::exp(-10 * t) * (std::cos(damped * t) + 10 / damped * std::sin(damped * t));
  // Φ of the order of 1e-3, by a rule of tolerance 1e-12 and accelerations good to 1e-10.
  EXPECT_NEAR(rods.after[0], upper * rods.before[0], 1e-10);
  EXPECT_NEAR(rods.after[1], lower * rods.before[1], 1e-10);
}

TEST(Index1, EachConstraintHasItsOwnPenalty) {
  const Mechanism mechanism = model("double-pendulum");
  Plan plan = mechanism.plan;
  plan.formulation = "penalty";
  plan.integrator = "rk4";
  plan.penalty = 1e5;
  plan.penalty_of["upper"] = 1e7;
  Simulation simulation(mechanism, plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(simulation.step(1e-3).report.accepted());
  // λ = α (Φ̈ + 2ΩμΦ̇ + Ω²Φ)
  const State& s = simulation.state();
  const system::System& system = simulation.system();
  system::Terms terms = system.make_terms();
  system.evaluate(s, system::kAskPosition | system::kAskGamma, terms);
  const std::vector<double> alpha{1e7, 1e5};
  for (std::size_t r = 0; r < 2; ++r) {
    double rate = terms.Phi_t[r], excess = terms.gamma[r];
    for (int k = system.jacobian().start[r]; k < system.jacobian().start[r + 1]; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const auto column = static_cast<std::size_t>(system.jacobian().column[i]);
      rate += terms.Phi_v[i] * s.v[column];
      excess += terms.Phi_v[i] * s.a[column];
    }
    excess += 2 * kDefaultOmega * plan.mu * rate + kDefaultOmega * kDefaultOmega * terms.Phi[r];
    // The excess is a difference of numbers of the order of ten.
    EXPECT_NEAR(s.lambda[r], alpha[r] * excess, 1e-13 * alpha[r]) << r;
    EXPECT_GT(std::abs(s.lambda[r]), 1) << r;
  }
}

TEST(Index3, AWeakPenaltyOfOneConstraintCostsIterationsOnly) {
  const Mechanism mechanism = model("double-pendulum");
  const auto iterations = [&](const Plan& plan, State& end) {
    Simulation simulation(mechanism, plan);
    EXPECT_TRUE(simulation.assemble().report.accepted());
    int sum = 0;
    for (int i = 0; i < 100; ++i) {
      const StepResult result = simulation.step(2e-3);
      EXPECT_TRUE(result.report.accepted());
      sum += result.iterations;
    }
    end = simulation.state();
    return sum;
  };
  State automatic, weak;
  Plan plan = mechanism.plan;
  const int few = iterations(plan, automatic);
  // h²/4 · α · Φ_v M⁻¹Φ_vᵀ of about 3: the iteration contracts by 1/4 instead of 1e-6
  plan.penalty_of["lower"] = 1e6;
  EXPECT_GT(iterations(plan, weak), few + 100);
  // An increment of 1e-11, the criterion, is 1e-11/h in v, and 100 steps carry 100 of those on.
  EXPECT_LT(distance(automatic, weak), 1e-7);
}

TEST(Plans, ANumberForWhatOwnsNoConstraintIsRefused) {
  const Mechanism mechanism = model("double-pendulum");
  Plan plan = mechanism.plan;
  plan.omega_of["A"] = 3;  // the point that both rods share
  try {
    const Simulation simulation(mechanism, plan);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "'A' has no constraint equation of its own; name one that has: upper, lower");
  }
  plan.omega_of = {{"upper", -1}};
  ASSERT_EQ(check_plan(plan).size(), 1U);
  EXPECT_EQ(check_plan(plan)[0], "the stabilization parameters of 'upper' must not be negative");
}

TEST(Index1, ResumesFromACopiedStateToTheBit) {
  const Mechanism mechanism = model("three-link-pendulum");
  for (const std::string& formulation : kIndex1)
    for (const char* rule : {"rk4", "dopri5", "trapezoidal"}) {
      Plan plan = mechanism.plan;
      plan.formulation = formulation;
      plan.integrator = rule;
      plan.project_positions = plan.project_velocities = true;
      plan.projection_every = 7;
      Simulation one(mechanism, plan);
      ASSERT_TRUE(one.assemble().report.accepted());
      // Far enough for a sparse solver to choose other pivots.
      for (int i = 0; i < 60; ++i) ASSERT_TRUE(one.step(2e-3).report.accepted());
      Simulation two(mechanism, plan);
      two.restore(one.state());
      for (int i = 0; i < 60; ++i) {
        ASSERT_TRUE(one.step(2e-3).report.accepted());
        ASSERT_TRUE(two.step(2e-3).report.accepted());
      }
      EXPECT_EQ(one.state().q, two.state().q) << formulation << " by " << rule;
      EXPECT_EQ(one.state().v, two.state().v) << formulation << " by " << rule;
    }
}

// A driven parallelogram lies flat, and can leave in two ways, exactly at t = 0.5 s.
const std::string kParallelogram = R"yaml(
trammel: 1
name: parallelogram
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [0, 1], B: [2, 1], C: {at: [2, 0], on: ground}}
bodies: {crank: {rod: [O, A], mass: 1}, coupler: {rod: [A, B], mass: 1}, rocker: {rod: [C, B], mass: 1}}
drivers: {motor: {angle: crank, equals: pi/2 - pi*t}}
simulate:
  {duration: 1, step: 10 ms, formulation: lagrange, integrator: dopri5, projection: {positions: true, velocities: true}}
)yaml";

struct Nowhere final : ResultSink {
  void write(std::span<const double>) override {}
};

RunSummary run_of(const Mechanism& mechanism, const Plan& plan) {
  Simulation simulation(mechanism, plan);
  EXPECT_TRUE(simulation.assemble().report.accepted());
  Nowhere sink;
  return run(simulation, sink);
}

TEST(SingularPosition, EndsARunThatLandsOnIt) {
  const Mechanism mechanism = read_model_text(kParallelogram, "parallelogram.yaml").mechanism;
  for (const char* formulation : {"lagrange", "baumgarte", "null-space", "canonical-lagrange",
                                  "canonical-independent", "independent"}) {
    Plan plan = mechanism.plan;
    plan.formulation = formulation;
    const RunSummary summary = run_of(mechanism, plan);
    EXPECT_EQ(summary.status, RunStatus::failed) << formulation;
    EXPECT_NEAR(summary.time, 0.49, 1e-12) << formulation;
    for (const char* words : {"at t = 0.49 s", "singular position", "use augmented-lagrangian-index3"})
      EXPECT_NE(summary.message.find(words), std::string::npos) << summary.message;
  }
  // The one that is advised passes it: the crank turns by half a turn, and the rocker with it.
  Plan advised = mechanism.plan;
  advised.formulation = "augmented-lagrangian-index3";
  advised.integrator = "trapezoidal";
  const RunSummary summary = run_of(mechanism, advised);
  EXPECT_NE(summary.status, RunStatus::failed) << summary.message;
  EXPECT_EQ(summary.time, 1);
}

// Thrown round under gravity it passes flat positions thirty times. Relative coordinates are to lose neither
// the branch nor a turn there.
TEST(SingularPosition, IsPassedInRelativeCoordinatesAsInReferenceOnes) {
  const std::string thrown = R"yaml(
trammel: 1
name: thrown parallelogram
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [0, 1], B: [2, 1], C: {at: [2, 0], on: ground}}
bodies: {crank: {rod: [O, A], mass: 1}, coupler: {rod: [A, B], mass: 1}, rocker: {rod: [C, B], mass: 1}}
initial: {crank: {angular-velocity: 10}}
simulate: {duration: 9 s, step: 1 ms, verify: off}
)yaml";
  const auto run_in = [&](const std::string& coordinates) {
    const Mechanism mechanism =
        read_model_text(thrown, "thrown.yaml", {"simulate.coordinates=" + coordinates}).value();
    Simulation simulation(mechanism, mechanism.plan);
    return run(simulation);
  };
  const RunResult relative = run_in("relative"), reference = run_in("reference");
  EXPECT_EQ(relative.summary.status, RunStatus::ok);
  EXPECT_EQ(reference.summary.status, RunStatus::ok);
  for (const char* angle : {"crank.angle", "rocker.angle"}) {
    const std::vector<double> a = relative.trajectory.column(angle), b = reference.trajectory.column(angle);
    ASSERT_EQ(a.size(), b.size());
    // The trapezoidal rule errs by h²/12 of what changes in a second, over 9 s: each by about 1e-3 rad.
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 5e-3) << angle << " in row " << i;
    EXPECT_GT(a.back() - a.front(), 95);
  }
}

TEST(SingularPosition, IsNamedWhateverGivesUpFirst) {
  // Next to the passages of the double four-bar the implicit rule's iteration fails, or an angle leaps.
  const Mechanism mechanism = model("double-four-bar");
  struct Case {
    const char *formulation, *integrator;
    double step;
  };
  int failures = 0;
  for (const Case& c : {Case{"lagrange", "trapezoidal", 0.01}, Case{"null-space", "trapezoidal", 0.01},
                        Case{"baumgarte", "trapezoidal", 0.04}, Case{"lagrange", "rk4", 0.01}}) {
    Plan plan = mechanism.plan;
    plan.formulation = c.formulation;
    plan.integrator = c.integrator;
    plan.step = c.step;
    const RunSummary summary = run_of(mechanism, plan);
    if (summary.status != RunStatus::failed) continue;
    ++failures;
    EXPECT_NE(summary.message.find("singular position"), std::string::npos) << summary.message;
    EXPECT_EQ(summary.message.find("smaller step"), std::string::npos) << summary.message;
  }
  EXPECT_GT(failures, 0);
}

TEST(SingularPosition, IsNotSeenInARedundantMechanism) {
  // Its dependent pivot is rounding in every position; a minimum of it is no passage.
  const Mechanism mechanism = model("bricard");
  Plan plan = mechanism.plan;
  plan.formulation = "augmented-lagrangian";
  plan.integrator = "dopri5";
  plan.tolerance = 1e-12;
  plan.step = 0;
  plan.duration = 2;
  plan.project_positions = plan.project_velocities = true;
  EXPECT_TRUE(run_of(mechanism, plan).marked_steps.empty());
}

TEST(Plans, PairsThatDoNotFitAreRefusedByName) {
  Plan plan;
  plan.formulation = kIndex3;
  plan.integrator = "rk4";
  ASSERT_EQ(check_plan(plan).size(), 1U);
  EXPECT_NE(check_plan(plan)[0].find("rk4 does not go with augmented-lagrangian-index3"), std::string::npos);
  plan.formulation = "lagrange";
  EXPECT_TRUE(check_plan(plan).empty());
  plan.integrator = "hht";
  ASSERT_EQ(check_plan(plan).size(), 1U);
  EXPECT_NE(check_plan(plan)[0].find("hht does not go with lagrange"), std::string::npos);
}

TEST(Compare, ListsEveryFormulationWithAReasonForEachRefusal) {
  Mechanism mechanism = model("bricard");
  mechanism.plan.duration = 0.2;
  const std::vector<analysis::Comparison> rows = analysis::compare(mechanism, mechanism.plan, {}).rows;
  EXPECT_EQ(rows.size(), simulation::known_formulations().size());
  for (const analysis::Comparison& row : rows) {
    if (row.status == "refused")
      EXPECT_NE(row.reason.find(row.formulation == "modular" ? "into one subsystem"
                                                             : "use augmented-lagrangian-index3"),
                std::string::npos)
          << row.formulation;
    else
      EXPECT_LT(*row.max_difference, 1e-5) << row.formulation;
  }
}

}  // namespace
}  // namespace trammel::tests::formulations_test
