// Independent coordinates: every choice of z with everything that can be integrated, changes of z on the way,
// constraints of velocities, redundancy, singular positions, refusals.
#include <gtest/gtest.h>

#include <numbers>

#include "formulations/independent/coordinate_changes.h"
#include "formulations/velocity_constraints_testing.h"
#include "model/models_testing.h"
#include "results/report/summary.h"
#include "simulation/plan_check.h"

namespace trammel::tests::independent_test {
namespace {

struct Way {
  const char *choice, *integrate;
};
const std::vector<Way> kMinimal{
    {"boolean", "minimal"}, {"qr", "minimal"}, {"svd", "minimal"}, {"boolean", "extraction"}};
const std::vector<Way> kOthers{{"boolean", "enlarged"},
                               {"qr", "enlarged"},
                               {"svd", "enlarged"},
                               {"boolean", "paul"},
                               {"boolean", "hybrid"}};
const std::vector<Way> kAll = [] {
  std::vector<Way> all = kMinimal;
  all.insert(all.end(), kOthers.begin(), kOthers.end());
  return all;
}();

std::string name_of(const Way& way) { return std::string(way.choice) + ", " + way.integrate; }

Plan plan_by(const Mechanism& mechanism, const Way& way, const std::string& integrator, double h) {
  Plan plan = mechanism.plan;
  plan.formulation = "independent";
  plan.independent_choice = way.choice;
  plan.independent_integrate = way.integrate;
  plan.independent_coordinates.clear();
  plan.integrator = integrator;
  plan.stabilization = "given";  // hybrid: one differential equation for every step
  plan.step = h;
  plan.tolerance = 1e-11;
  return plan;
}

Plan reference_plan(const Mechanism& mechanism, double h) {
  Plan plan = plan_by(mechanism, kAll[0], "dopri5", h);
  plan.formulation = "lagrange";
  plan.tolerance = 1e-12;
  plan.project_positions = plan.project_velocities = true;
  return plan;
}

TEST(Independent, KeepsTheOrderOfEachRule) {
  struct Rule {
    const char* name;
    double order, step;  // coarsest of three
  };
  // Short enough for z to stay the same: a change would fall on other times with other steps.
  for (const char* name : {"double-pendulum", "slider-crank"}) {
    const Mechanism mechanism = model(name);
    for (const Way& way : kAll)
      for (const Rule& rule : {Rule{"rk4", 4, 1e-2}, Rule{"semi-implicit-euler", 1, 2e-4},
                               Rule{"rk2-heun", 2, 2e-3}, Rule{"trapezoidal", 2, 2e-3}}) {
        const auto end = [&](double h) {
          Plan plan = plan_by(mechanism, way, rule.name, h);
          plan.hybrid_tolerance = 1;  // else it stabilizes from another time on with another step
          return after(mechanism, plan, 0.2);
        };
        const State a = end(rule.step), b = end(rule.step / 2), c = end(rule.step / 4);
        EXPECT_EQ(formulations::coordinate_changes(c), 0) << name;
        EXPECT_NEAR(std::log2(distance(a, b) / distance(b, c)), rule.order, 0.15)
            << name << ": " << name_of(way) << " by " << rule.name;
      }
  }
}

TEST(Independent, AgreesWithMultipliersThroughManyChanges) {
  for (const char* name : {"double-pendulum", "slider-crank"}) {
    const Mechanism mechanism = model(name);
    const double end = 2;
    const State reference = after(mechanism, reference_plan(mechanism, 0.01), end);
    for (const Way& way : kAll) {
      const State s = after(mechanism, plan_by(mechanism, way, "dopri5", 0.01), end);
      // 1e-11 a step, which the motion of a double pendulum spreads by a thousand in two seconds.
      EXPECT_LT(distance(s, reference), 1e-8) << name << ": " << name_of(way);
      EXPECT_GT(formulations::coordinate_changes(s), 1) << name << ": " << name_of(way);
    }
    // The default plan comes as close as its second order lets it: twice a third of what half a step changes.
    Plan standard = mechanism.plan;
    const State coarse = after(mechanism, standard, end);
    standard.step /= 2;
    const State fine = after(mechanism, standard, end);
    EXPECT_LT(distance(fine, reference), 0.7 * distance(fine, coarse)) << name;
  }
}

TEST(Independent, HoldsWhatItDoesNotIntegrate) {
  for (const char* name : {"double-pendulum", "bricard"}) {
    const Mechanism mechanism = model(name);
    for (const Way& way : kAll) {
      Motion motion(mechanism, plan_by(mechanism, way, "rk4", 2e-3));
      motion.go(4);
      const bool minimal =
          std::string(way.integrate) == "minimal" || std::string(way.integrate) == "extraction";
      const bool hybrid = std::string(way.integrate) == "hybrid";
      // Rounding of lengths of 1 m and speeds of 10 m/s where Φ is solved, where it is not rk4's own error.
      if (minimal) {
        EXPECT_LT(motion.worst.position, 1e-14) << name << ": " << name_of(way);
      }
      if (!minimal) {
        EXPECT_GT(motion.worst.position, 1e-13) << name << ": " << name_of(way);
      }
      EXPECT_LT(motion.worst.position, 2e-6) << name << ": " << name_of(way);
      // Redundant rows that are not chosen see the drift of the positions.
      const double open = minimal ? 0 : motion.worst.position;
      if (!hybrid) {
        EXPECT_LT(motion.worst.velocity, 1e-13 + 10 * open) << name << ": " << name_of(way);
      }
    }
  }
}

TEST(Hybrid, StabilizesAboveItsTolerance) {
  const Mechanism mechanism = model("double-pendulum");
  const auto worst = [&](double tolerance) {
    Plan plan = plan_by(mechanism, {"boolean", "hybrid"}, "rk4", 2e-3);
    plan.hybrid_tolerance = tolerance;
    plan.stabilization_a = plan.stabilization_b = 20;
    Motion motion(mechanism, plan);
    motion.go(10);
    return motion.worst.position;
  };
  // Drift comes in jumps, when the pendulum whips: one of them on top of the tolerance.
  EXPECT_LT(worst(1e-6), 2e-6);
  EXPECT_GT(worst(1), 1e-5);
}

TEST(Hybrid, SolvesForPositionsNextToSingularOnes) {
  const Mechanism mechanism = model("double-four-bar");
  Motion motion(mechanism, plan_by(mechanism, {"boolean", "hybrid"}, "rk4", 2e-3));
  double flat = 0, elsewhere = 0;
  for (int i = 0; i < 2000; ++i) {
    const StepResult result = motion.simulation.step(2e-3);
    ASSERT_TRUE(result.report.accepted()) << result.report.message;
    // The cranks lie flat where B0 has no height.
    if (std::abs(motion.q(1)) < 0.02)
      flat = std::max(flat, result.violation.position);
    else
      elsewhere = std::max(elsewhere, result.violation.position);
  }
  EXPECT_LT(flat, 1e-14);
  EXPECT_GT(elsewhere, 1e-11);
}

// Alg. 5-4 asks for the position problem now and then; the projections are there for it.
TEST(Independent, ProjectionsCloseTheDriftOfPositions) {
  const Mechanism mechanism = model("double-pendulum");
  Plan plan = plan_by(mechanism, {"boolean", "enlarged"}, "rk4", 2e-3);
  plan.project_positions = true;
  Motion motion(mechanism, plan);
  motion.go(4);
  EXPECT_LT(motion.worst.position, 1e-14);
}

// A weight hangs on a slider that is shaken: Φ_t ≠ 0 beside a freedom; and all of it at once, with a skate.
TEST(Independent, FollowsConstraintsOfTimeAndOfVelocities) {
  const std::string shaken = R"yaml(
coordinates: {s: 0, x: 0.3, y: -0.9}
mass: {s: 1, x: 2, y: 2}
potential: 2*9.81*y
constraints:
  motor: s - 0.2*sin(3*t) - 0.1*t
  rod: (x - s)^2 + y^2 - 0.9
)yaml";
  for (const std::string& text : {shaken, kSlipping}) {
    const Mechanism mechanism = text_model(text);
    const State reference = after(mechanism, reference_plan(mechanism, 0.05), 4);
    for (const Way& way : kAll) {
      Motion motion(mechanism, plan_by(mechanism, way, "dopri5", 0.05));
      motion.go(4);
      // A tolerance of 1e-11 in each step.
      EXPECT_LT(distance(motion.simulation.state(), reference), 1e-8) << name_of(way);
      // The work that the motor does is what the energy changes by.
      const Energy energy = motion.simulation.energy();
      Simulation start(mechanism, motion.simulation.plan());
      ASSERT_TRUE(start.assemble().report.accepted());
      EXPECT_NEAR(energy.balance(), start.energy().balance(), 1e-8) << name_of(way);
    }
  }
}

TEST(Independent, SkatesAsTheClosedForm) {
  const Mechanism mechanism = text_model(kSkate);
  const double t = 3, w = 1.4, g = 3, phase = w * t;
  for (const Way& way : kAll) {
    const State s = after(mechanism, plan_by(mechanism, way, "dopri5", 0.1), t);
    EXPECT_NEAR(s.q[0], g * std::pow(std::sin(phase), 2) / (2 * w * w), 1e-9) << name_of(way);
    EXPECT_NEAR(s.q[1], g * (phase - std::sin(2 * phase) / 2) / (2 * w * w), 1e-9) << name_of(way);
    // λ̂ = 2 m g' sin ωt up to the sign of the row, without the reactions being solved for
    EXPECT_NEAR(std::abs(s.lambda[0]), std::abs(2 * 2 * g * std::sin(phase)), 1e-7) << name_of(way);
    EXPECT_GT(formulations::coordinate_changes(s), 0) << name_of(way);
  }
}

TEST(Independent, RunsRedundantConstraints) {
  const Mechanism mechanism = model("bricard");
  Plan other = reference_plan(mechanism, 0.05);
  other.formulation = "augmented-lagrangian";
  const State reference = after(mechanism, other, 4);
  for (const Way& way : kAll) {
    const State s = after(mechanism, plan_by(mechanism, way, "dopri5", 0.05), 4);
    // The reference solves with matrices of condition 1e6.
    EXPECT_LT(distance(s, reference), 1e-7) << name_of(way);
  }
}

// Figure 5.2: the rocker's pin stands still in its dead centres, which its x cannot pass.
TEST(DeadCentre, ACoordinateThatFailsIsChangedAndTheMotionGoesOn) {
  const Mechanism mechanism = model("dead-centre-four-bar");
  ASSERT_EQ(mechanism.plan.independent_coordinates, std::vector<std::string>{"P1.x"});
  Motion motion(mechanism, mechanism.plan);
  double least = INFINITY, most = -INFINITY;
  const double start = motion.simulation.energy().balance();
  int changed_at_first_turn = -1;
  for (int i = 0; i < 2500; ++i) {
    const double before = motion.simulation.state().v[2];
    ASSERT_TRUE(motion.simulation.step(2e-3).report.accepted());
    const State& s = motion.simulation.state();
    least = std::min(least, s.q[2]);
    most = std::max(most, s.q[2]);
    if (changed_at_first_turn < 0 && before * s.v[2] < 0)
      changed_at_first_turn = motion.simulation.coordinate_changes();
  }
  // x of P1 has turned back, where its velocity says nothing, and was given up before.
  EXPECT_GT(most - least, 0.5);
  EXPECT_GE(changed_at_first_turn, 1);
  // rk4 at 2 ms, about 1e-5 of the energy; a motion that turns back with its coordinate keeps energy too, but
  // not its agreement with the multipliers.
  EXPECT_NEAR(motion.simulation.energy().balance(), start, 2e-3);
  const State reference = after(mechanism, reference_plan(mechanism, 0.01), 5);
  EXPECT_LT(distance(motion.simulation.state(), reference), 2e-3);
  EXPECT_GT(motion.simulation.coordinate_changes(), 10);
}

struct Nowhere final : ResultSink {
  void write(std::span<const double>) override {}
};

TEST(DeadCentre, TheSummaryCountsChangesOfBothFormulations) {
  const Mechanism mechanism = model("dead-centre-four-bar");
  for (const char* formulation : {"independent", "null-space"}) {
    Plan plan = mechanism.plan;
    plan.formulation = formulation;
    Simulation simulation(mechanism, plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    const analysis::Mobility m = analysis::mobility(simulation);
    Nowhere sink;
    const RunSummary summary = run(simulation, sink);
    EXPECT_GT(summary.coordinate_changes, 5) << formulation;
    EXPECT_EQ(results::summary_json(simulation, m, summary)["coordinate_changes"],
              summary.coordinate_changes);
    EXPECT_NE(results::summary_text(simulation, m, summary).find("chosen anew"), std::string::npos);
  }
}

#ifdef TRAMMEL_SUNDIALS
TEST(DeadCentre, CvodeStartsAnewAfterAChange) {
  const Mechanism mechanism = model("dead-centre-four-bar");
  const State reference = after(mechanism, reference_plan(mechanism, 0.01), 2);
  for (const char* rule : {"cvode-adams", "cvode-bdf"})
    for (const Way& way : kAll) {
      const State s = after(mechanism, plan_by(mechanism, way, rule, 0.01), 2);
      // A history of the old z would be off by the size of z itself.
      EXPECT_LT(distance(s, reference), 1e-5) << name_of(way) << " by " << rule;
      EXPECT_GT(formulations::coordinate_changes(s), 3);
    }
}
#endif

TEST(Independent, ResumesFromACopiedStateToTheBit) {
  for (const char* name : {"dead-centre-four-bar", "rolling-disk"}) {
    const Mechanism mechanism = model(name);
    for (const Way& way : kAll)
      for (const char* rule : {"rk4", "dopri5", "trapezoidal"}) {
        const Plan plan = plan_by(mechanism, way, rule, 5e-3);
        Motion one(mechanism, plan);
        one.go(0.1);
        Simulation two(mechanism, plan);
        two.restore(one.simulation.state());
        const int before = formulations::coordinate_changes(two.state());
        for (int i = 0; i < 100; ++i) {
          ASSERT_TRUE(one.simulation.step(5e-3).report.accepted());
          ASSERT_TRUE(two.step(5e-3).report.accepted());
        }
        EXPECT_GT(formulations::coordinate_changes(two.state()), before) << name << ": " << name_of(way);
        EXPECT_EQ(one.simulation.state().q, two.state().q) << name << ": " << name_of(way) << " by " << rule;
        EXPECT_EQ(one.simulation.state().v, two.state().v) << name << ": " << name_of(way) << " by " << rule;
      }
  }
}

// Small steps see the singular positions from both sides and keep the branch; large ones are told.
TEST(Independent, PassesTheDoubleFourBarOrSaysWhyNot) {
  const Mechanism mechanism = model("double-four-bar");
  for (const Way& way : {Way{"boolean", "minimal"}, Way{"boolean", "hybrid"}}) {
    const State s = after(mechanism, plan_by(mechanism, way, "rk4", 2e-3), 10);
    // B_i − B_0 = (i, 0) while the cranks are parallel.
    for (std::size_t i = 1; i < 3; ++i) {
      EXPECT_NEAR(s.q[2 * i] - s.q[0], static_cast<double>(i), 1e-6) << name_of(way);
      EXPECT_NEAR(s.q[2 * i + 1], s.q[1], 1e-6) << name_of(way);
    }
    Simulation simulation(mechanism, plan_by(mechanism, way, "rk4", 0.01));
    ASSERT_TRUE(simulation.assemble().report.accepted());
    StepResult result;
    while (simulation.state().t < 10 && result.report.accepted()) result = simulation.step(0.01);
    EXPECT_NE(result.report.message.find("next to a singular position"), std::string::npos)
        << result.report.message;
  }
}

TEST(Independent, SaysThatItStartedInASingularPosition) {
  const Mechanism flat = text_model(R"yaml(
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [3, 0], C: {at: [2, 0], on: ground}}
bodies: {a: {rod: [O, A], mass: 1}, b: {rod: [A, B], mass: 1}, c: {rod: [C, B], mass: 1}}
)yaml");
  for (const Way& way : kAll) {
    Simulation simulation(flat, plan_by(flat, way, "rk4", 1e-2));
    ASSERT_TRUE(simulation.assemble().report.accepted());
    const StepResult result = simulation.step(1e-2);
    EXPECT_EQ(result.report.outcome, Outcome::singular) << name_of(way);
    EXPECT_NE(result.report.message.find("use augmented-lagrangian-index3"), std::string::npos);
  }
}

TEST(Independent, AStepTooLargeForItsCoordinatesIsToldNotTaken) {
  const Mechanism mechanism = model("double-pendulum");
  Simulation simulation(mechanism, plan_by(mechanism, kAll[0], "rk4", 0.3));
  ASSERT_TRUE(simulation.assemble().report.accepted());
  StepResult result;
  for (int i = 0; i < 50 && result.report.accepted(); ++i) {
    const State before = simulation.state();
    result = simulation.step(0.3);
    if (!result.report.accepted()) {
      EXPECT_EQ(simulation.state().q, before.q);
    }
  }
  EXPECT_FALSE(result.report.accepted());
  EXPECT_NE(result.report.message.find("take a smaller step"), std::string::npos) << result.report.message;
}

TEST(Independent, NothingMovesWhereThereIsNoFreedom) {
  const Mechanism truss = text_model(R"yaml(
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, P: {at: [2, 0], on: ground}, A: [1, 1]}
bodies: {a: {rod: [O, A], mass: 1}, b: {rod: [P, A], mass: 1}}
)yaml");
  for (const std::string& rule : simulation::ode_integrators())
    for (const Way& way : kAll) {
      const State s = after(truss, plan_by(truss, way, rule, 0.1), 1);
      EXPECT_NEAR(s.q[0], 1, 1e-14) << rule;
      EXPECT_NEAR(s.q[1], 1, 1e-14) << rule;
    }
}

std::string refusal(const Mechanism& mechanism, const std::vector<std::string>& coordinates) {
  Plan plan = mechanism.plan;
  plan.independent_coordinates = coordinates;
  Simulation simulation(mechanism, plan);
  const AssemblyReport report = simulation.assemble();
  EXPECT_EQ(report.report.outcome, Outcome::refused);
  return report.report.message;
}

// In relative coordinates there is then not even a coordinate.
TEST(Independent, NothingMovesWhereThereAreNoCoordinates) {
  const Mechanism mechanism = read_model_text(R"(
trammel: 1
gravity: [0, 0, -9.81]
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints: {j: {fixed: [a, ground]}}
simulate: {duration: 0.1, coordinates: relative}
)",
                                              "fixed.yaml")
                                  .value();
  for (const Way& way : kAll) {
    Simulation simulation(mechanism, plan_by(mechanism, way, "rk4", 1e-2));
    const RunResult result = run(simulation);
    EXPECT_EQ(result.summary.status, RunStatus::ok) << name_of(way) << ": " << result.summary.message;
    EXPECT_NEAR(simulation.reaction("j").loads.at(0).force.z(), 9.81, 1e-12) << name_of(way);
  }
}

TEST(Independent, CoordinatesThatCannotServeAreRefusedByName) {
  Mechanism mechanism = model("dead-centre-four-bar");
  EXPECT_EQ(refusal(mechanism, {"P1.z"}),
            "independent: there is no coordinate 'P1.z'; name some of: P2.x, P2.y, P1.x, P1.y");
  EXPECT_EQ(
      refusal(mechanism, {"P1.x", "P2.x"}),
      "independent: 2 coordinates are named, and the mechanism has 1 degree of freedom; name as many, or "
      "none");
  // The crank points up: P2 moves along x alone.
  EXPECT_EQ(refusal(mechanism, {"P2.y"}),
            "independent: P2.y do not determine the motion at the start; name others, or none, and they are "
            "chosen");
}

TEST(Plans, IndependentCoordinatesAreReadFromTheFile) {
  const Plan plan = text_model(kSkate + R"yaml(
simulate:
  formulation: independent
  independent: {choice: boolean, integrate: hybrid, coordinates: [x, psi], tolerance: 1e-4}
)yaml")
                        .plan;
  EXPECT_EQ(plan.formulation, "independent");
  EXPECT_EQ(plan.independent_choice, "boolean");
  EXPECT_EQ(plan.independent_integrate, "hybrid");
  EXPECT_EQ(plan.independent_coordinates, (std::vector<std::string>{"x", "psi"}));
  EXPECT_EQ(plan.hybrid_tolerance, 1e-4);
}

TEST(Plans, IndependentCoordinatesThatDoNotFitAreRefusedByName) {
  Plan plan;
  plan.formulation = "independent";
  plan.integrator = "rk4";
  plan.independent_choice = "svd";
  EXPECT_TRUE(check_plan(plan).empty());
  const auto problem = [&] {
    const std::vector<std::string> all = check_plan(plan);
    return all.size() == 1 ? all[0] : "";
  };
  plan.independent_integrate = "paul";
  EXPECT_EQ(
      problem(),
      "paul takes coordinates out of all of them, and does not go with svd: choose boolean, or enlarged "
      "with svd");
  plan.independent_integrate = "extraction";
  EXPECT_EQ(problem(),
            "extraction takes coordinates out of all of them, and does not go with svd: choose boolean, or "
            "minimal with svd");
  plan.independent_integrate = "minimal";
  plan.independent_coordinates = {"A.x"};
  EXPECT_EQ(problem(),
            "coordinates can be named with choice: boolean only: with svd none of them is z itself");
  plan.independent_coordinates.clear();
  plan.independent_choice = "lu";
  EXPECT_EQ(problem(), "there is no choice of independent coordinates 'lu'; choose one of: boolean, qr, svd");
  plan.independent_choice = "boolean";
  plan.integrator = "hht";
  EXPECT_NE(problem().find("hht does not go with independent"), std::string::npos);
  plan.integrator = "dopri5";
  plan.independent_integrate = "hybrid";
  plan.step = 0;
  plan.tolerance = 1e-6;
  EXPECT_NE(problem().find("the gains of the stabilization come from the step"), std::string::npos);
}

}  // namespace
}  // namespace trammel::tests::independent_test
