// A tolerance alone: what it chooses, what it promises, and that it holds through singular positions,
// stiffness and end-stops; and that output costs no steps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "math/count_malloc.h"
#include "model/models_testing.h"
#include "simulation/fallback.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"
#include "system/system.h"
#include "trammel/model.h"
#include "trammel/run.h"
#include "trammel/simulation.h"

namespace trammel::tests::tolerance_test {
namespace {

// Nothing but a tolerance and a duration.
Plan by_tolerance(const Mechanism& mechanism, double tolerance, double duration) {
  Plan plan;
  plan.coordinates = mechanism.plan.coordinates;
  plan.tolerance = tolerance;
  plan.step = 0;
  plan.duration = duration;
  plan.output_interval = duration / 20;
  plan.verify = false;
  return plan;
}

struct Rows final : ResultSink {
  std::vector<std::vector<double>> rows;
  void write(std::span<const double> row) override { rows.emplace_back(row.begin(), row.end()); }
};

struct Finished {
  Finished(const Mechanism& mechanism, const Plan& plan) : simulation(mechanism, plan) {
    EXPECT_TRUE(simulation.assemble().report.accepted());
    channels = channels_of(simulation);
    summary = run(simulation, rows);
  }
  double at(std::size_t row, const std::string& name) const {
    for (std::size_t c = 0; c < channels.size(); ++c)
      if (channels[c].name == name) return rows.rows.at(row).at(c);
    ADD_FAILURE() << "no column " << name;
    return NAN;
  }
  double last(const std::string& name) const { return at(rows.rows.size() - 1, name); }

  Simulation simulation;
  std::vector<Channel> channels;
  Rows rows;
  RunSummary summary;
};

TEST(Tolerance, ChoosesWhatAPersonLeavesOpen) {
  const auto choose = [](const std::string& formulation, const std::string& integrator, double tolerance) {
    Plan plan;
    plan.formulation = formulation;
    plan.integrator = integrator;
    plan.tolerance = tolerance;
    plan.step = tolerance > 0 ? 0 : 1e-3;
    const ResolvedPlan made = simulation::resolve(plan);
    return std::string(name_of(made.formulation)) + " " + name_of(made.integrator);
  };
  EXPECT_EQ(choose("automatic", "automatic", 0), "augmented-lagrangian-index3 trapezoidal");
  EXPECT_EQ(choose("automatic", "automatic", 1e-6), "augmented-lagrangian dop853");
  EXPECT_EQ(choose("automatic", "automatic", 1e-3), "augmented-lagrangian dopri5");
  EXPECT_EQ(choose("automatic", "hht", 1e-4), "augmented-lagrangian-index3 hht");
  EXPECT_EQ(choose("automatic", "rk4", 0), "augmented-lagrangian rk4");
  EXPECT_EQ(choose("lagrange", "automatic", 0), "lagrange trapezoidal");
  EXPECT_EQ(choose("lagrange", "automatic", 1e-4), "lagrange dopri5");
  EXPECT_EQ(choose("augmented-lagrangian-index3", "automatic", 1e-4),
            "augmented-lagrangian-index3 trapezoidal");
  EXPECT_EQ(choose("algebraic", "automatic", 0), "algebraic trapezoidal");
}

// Neither step nor tolerance: by tolerance, unless a method is named that takes steps of one size.
TEST(Tolerance, IsUsualWhereAPersonGivesNothing) {
  Plan plan;
  const ResolvedPlan usual = simulation::resolve(plan);
  EXPECT_EQ(usual.tolerance, 1e-6);
  EXPECT_EQ(usual.step, 0);
  EXPECT_EQ(usual.formulation, FormulationKind::augmented_lagrangian);
  ASSERT_FALSE(usual.choices.empty());
  EXPECT_EQ(usual.choices.front().option, "tolerance");
  plan.integrator = "hht";
  EXPECT_EQ(simulation::resolve(plan).step, 1e-3);
  EXPECT_EQ(simulation::resolve(plan).tolerance, 0);
  plan.integrator = "automatic";
  plan.formulation = "lagrange";
  EXPECT_EQ(simulation::resolve(plan).step, 1e-3);
  plan = Plan();
  plan.reactions = "projections";
  EXPECT_EQ(simulation::resolve(plan).step, 1e-3);
  EXPECT_TRUE(check_plan(plan).empty());
}

TEST(Tolerance, OmegaIsZeroWhereProjectionsLeaveNothingToRemove) {
  Plan plan;
  plan.formulation = "augmented-lagrangian";
  EXPECT_EQ(*simulation::resolve(plan).omega, 10);
  plan.project_positions = plan.project_velocities = true;
  EXPECT_EQ(*simulation::resolve(plan).omega, 0);
  plan.projection_every = 10;
  EXPECT_EQ(*simulation::resolve(plan).omega, 10);
  plan.projection_every = 1;
  plan.omega = 3;
  EXPECT_EQ(*simulation::resolve(plan).omega, 3);
}

// What docs/formulations.md promises of N four-bars: in each passage of a singular position, one a second,
// less energy is lost or won than half of what one step does there that errs by the tolerance in velocities,
// 2 T. Tolerances above 1e-3 are taken as that.
double energy_promised(double largest_kinetic, double passages, double tolerance) {
  return largest_kinetic * passages * std::min(tolerance, 1e-3);
}

// After ten: a joule too many makes the crank 0.2 s early in every turn, at the top, where it has 1.5 J left.
double way_promised(double tolerance) { return 400 * std::min(tolerance, 1e-3); }

constexpr double kKinetic = 70.2;  // J, of two four-bars at the bottom

// Nothing is marked but rows next to a singular position, where the bars lie flat.
void expect_marked_only_where_flat(const Finished& run, double tolerance) {
  EXPECT_LE(run.summary.status, RunStatus::marked) << tolerance << ": " << run.summary.message;
  std::size_t marked = 0;
  for (std::size_t row = 0; row < run.rows.rows.size(); ++row) {
    if (run.at(row, "marked") == 0) continue;
    EXPECT_LT(std::abs(std::sin(run.at(row, "crank0.angle"))), 2e-3) << tolerance << ", row " << row;
    ++marked;
  }
  EXPECT_EQ(run.summary.marked_steps.size(), marked) << tolerance;
}

// B0 after 10 s by elliptic functions (Cuadrado's benchmark A02): N = 2 and N = 40.
TEST(Tolerance, TheDoubleFourBarPassesItsSingularPositionsAtEveryTolerance) {
  const Mechanism mechanism = model("double-four-bar");
  for (const double tolerance : {1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}) {
    const Finished run(mechanism, by_tolerance(mechanism, tolerance, 10));
    expect_marked_only_where_flat(run, tolerance);
    EXPECT_LT(run.summary.energy_drift, energy_promised(kKinetic, 10, tolerance)) << tolerance;
    EXPECT_NEAR(run.last("B0.x"), 0.3284581115, way_promised(tolerance)) << tolerance;
  }
}

// Below 1e-9 rounding next to a singular position may be more than the tolerance allows: the run then ends
// there with a failure, and what it has shown until then is right.
void expect_met_or_failed(const Finished& run, double passages, double tolerance) {
  EXPECT_LT(run.summary.energy_drift, energy_promised(kKinetic, passages, tolerance) + 1e-11) << tolerance;
  if (run.summary.status == RunStatus::failed) {
    EXPECT_NE(run.summary.message.find("allow a larger tolerance"), std::string::npos) << run.summary.message;
  } else {
    EXPECT_EQ(run.summary.status, RunStatus::ok) << tolerance;
  }
}

TEST(Tolerance, ATighterOneIsMetOrTheRunFails) {
  const Mechanism mechanism = model("double-four-bar");
  for (const double tolerance : {1e-10, 1e-11, 1e-12})
    expect_met_or_failed(Finished(mechanism, by_tolerance(mechanism, tolerance, 10)), 10, tolerance);
}

// Twenty tolerances that no one would choose, so that steps fall anywhere next to the singular positions,
// over a hundred passages: the energy tells a wrong branch, on which nothing of the motion is right.
TEST(Tolerance, ManyPassagesOfSingularPositionsAtOddTolerances) {
  const Mechanism mechanism = model("double-four-bar");
  for (int k = 0; k < 20; ++k) {
    const double tolerance = 1e-2 * std::pow(10, -0.37 * k);
    const Finished run(mechanism, by_tolerance(mechanism, tolerance, 100));
    expect_met_or_failed(run, 100, tolerance);
    if (tolerance >= 1e-9) {
      EXPECT_EQ(run.summary.status, RunStatus::ok) << tolerance << ": " << run.summary.message;
    }
  }
}

TEST(Tolerance, RowsOfFourBarsPassTheirSingularPositions) {
  for (const int n : {5, 40}) {
    const Mechanism mechanism = model("n-four-bar", {"parameters.N=" + std::to_string(n)});
    // N + 1 cranks and N couplers: ½ (N + 1)/3 + ½ N at 1 rad/s, and twice the weight of (N + 1)/2 + N.
    const double kinetic = 0.5 * ((n + 1) / 3. + n) + 2 * 9.81 * (0.5 * (n + 1) + n);
    for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-5, 1e-7, 1e-8}) {
      const Finished run(mechanism, by_tolerance(mechanism, tolerance, 10));
      ASSERT_EQ(run.summary.status, RunStatus::ok) << n << ", " << tolerance << ": " << run.summary.message;
      EXPECT_LT(run.summary.energy_drift, energy_promised(kinetic, 10, tolerance)) << n << ", " << tolerance;
      if (n == 40) {
        EXPECT_NEAR(run.last("B0.x"), 0.1805122267, way_promised(tolerance)) << tolerance;
      }
    }
  }
}

// Steps that land anywhere next to twenty singular positions of forty loops, down to where rounding decides.
TEST(Tolerance, FortyFourBarsPassAtOddTolerances) {
  const Mechanism mechanism = model("n-four-bar", {"parameters.N=40"});
  for (int k = 0; k < 12; ++k) {
    const double tolerance = 1e-6 * std::pow(10, -0.23 * k);
    const Finished run(mechanism, by_tolerance(mechanism, tolerance, 10));
    EXPECT_LE(run.summary.status, RunStatus::marked) << tolerance << ": " << run.summary.message;
    EXPECT_NEAR(run.last("B0.x"), 0.1805122267, way_promised(tolerance)) << tolerance;
  }
}

// Rows every 2 ms come closer to a singular position than steps do. One whose constraints stay open there
// says so, as its reactions, many times too large, do not.
TEST(Tolerance, ARowThatDoesNotCloseIsMarked) {
  const Mechanism mechanism = model("double-four-bar");
  int marked = 0;
  for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6}) {
    Plan plan = by_tolerance(mechanism, tolerance, 10);
    plan.coordinates = "reference";
    plan.output_interval = 0.002;
    const Finished run(mechanism, plan);
    for (std::size_t row = 0; row < run.rows.rows.size(); ++row) {
      const bool open =
          run.at(row, "violation.velocity") > 1e-10 || run.at(row, "violation.acceleration") > 1e-8;
      EXPECT_LE(open, run.at(row, "marked") == 1) << tolerance << ", row " << row;
      marked += open ? 1 : 0;
    }
    EXPECT_LE(run.summary.violation.acceleration, 1e-8) << tolerance;
  }
  EXPECT_GT(marked, 0);
}

// What the first coupler does to its crank along the row of N four-bars: all cranks turn alike, a coupler
// hangs on its ends in equal parts, and the first crank, which carries half as much as others, is driven by
// this force at the lever sin φ. It is infinite where the bars lie flat.
double force_along(double n, double angle, double omega) {
  const double g = 9.81, c = std::cos(angle), s = std::sin(angle);
  const double turn = -g * c * ((n + 1) / 2 + n) / ((n + 1) / 3 + n);  // rad/s²
  const double rise = turn * c - omega * omega * s;                    // of a coupler, m/s²
  return (-(g + rise) / 2 * c - g * c / 2 - turn / 3) / s;
}

// Reactions are right to a hundredth as close to singular positions as rows come, or the row is marked. In
// relative coordinates rows close to rounding even there, and yet one of these has four times its reactions,
// 24 kN, for nothing but rounding.
TEST(Tolerance, ReactionsNextToSingularPositionsAreRightOrMarked) {
  const Mechanism mechanism = model("n-four-bar", {"parameters.N=40"});
  double closest = 1;
  int marked = 0;
  for (const char* coordinates : {"natural", "relative", "reference"}) {
    Plan plan = by_tolerance(mechanism, 1e-8, 2);
    plan.output_interval = 0.002;
    plan.coordinates = coordinates;
    const Finished run(mechanism, plan);
    expect_marked_only_where_flat(run, 1e-8);
    for (std::size_t row = 0; row < run.rows.rows.size(); ++row) {
      const double angle = run.at(row, "crank0.angle"), distance = std::abs(std::sin(angle));
      marked += run.at(row, "marked") == 1 ? 1 : 0;
      if (run.at(row, "marked") == 1) continue;
      const double force = force_along(40, angle, run.at(row, "crank0.omega"));
      EXPECT_NEAR(run.at(row, "B0.force.x"), force, 0.01 * std::abs(force) + 1e-6) << coordinates << row;
      closest = std::min(closest, distance);
    }
  }
  EXPECT_LT(closest, 0.0025);
  EXPECT_GT(marked, 0);
}

// The error of a run is at most a hundred times the tolerance, as if that many steps had erred by it to one
// side, and falls with it: against a run a hundred times tighter or more. What counts as one is the
// mechanism's own size.
TEST(Tolerance, TheErrorOfARunFollowsIt) {
  struct Case {
    const char* name;
    double duration, size;  // s, m
  };
  for (const Case& c :
       {Case{"double-pendulum", 2, 1}, Case{"three-link-pendulum", 2, 1}, Case{"bricard", 5, 1},
        Case{"andrews", 0.03, 0.03}, Case{"spatial-slider-crank", 2, 0.3}, Case{"five-link-chain", 1, 1},
        Case{"rolling-disk", 2, 0.1}, Case{"rolling-wheel", 2, 0.3}, Case{"driven-slider-crank", 1, 0.3},
        Case{"controlled-pendulum", 3, 1}}) {
    const Mechanism mechanism = model(c.name);
    const auto motion = [&](double tolerance) {
      Simulation simulation(mechanism, by_tolerance(mechanism, tolerance, c.duration));
      EXPECT_TRUE(simulation.assemble().report.accepted());
      const StepResult result = simulation.step(c.duration);
      EXPECT_TRUE(result.report.accepted()) << c.name << ": " << result.report.message;
      EXPECT_LT(result.violation.position, 1e-11) << c.name;
      return simulation.system().poses(simulation.state());
    };
    const std::vector<Pose> exact = motion(1e-11);
    for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
      const std::vector<Pose> poses = motion(tolerance);
      double error = 0;
      for (std::size_t b = 0; b < poses.size(); ++b)
        error = std::max(error, (poses[b].position - exact[b].position).norm());
      EXPECT_LT(error, 100 * tolerance * c.size) << c.name << " at " << tolerance;
    }
  }
}

TEST(Tolerance, ATighterOneTakesMoreSteps) {
  const Mechanism mechanism = model("andrews");
  for (const char* integrator : {"automatic", "radau9"}) {
    const auto steps = [&](double tolerance) {
      Plan plan = by_tolerance(mechanism, tolerance, mechanism.plan.duration);
      plan.integrator = integrator;
      return Finished(mechanism, plan).summary.steps;
    };
    // The methods are of order eight and nine: steps of half the length or less.
    EXPECT_GT(steps(1e-9), 2 * steps(1e-6)) << integrator;
  }
}

// Springs and dampers a thousand times faster than the motion: explicit steps would stay at a millisecond.
TEST(Tolerance, AStiffMechanismIsTakenOverByIndex3) {
  const Mechanism mechanism = model("flyball-governor");
  const Finished run(mechanism, by_tolerance(mechanism, 1e-4, 1));
  ASSERT_EQ(run.summary.status, RunStatus::ok) << run.summary.message;
  EXPECT_NE(run.summary.choice.find("the motion is stiff"), std::string::npos) << run.summary.choice;
  // Certified: s(0.5) = 0.743249424786, s(1) = 0.501420922380 m.
  EXPECT_NEAR(run.at(10, "sleeve.displacement"), 0.743249424786, 30 * 1e-4);
  EXPECT_NEAR(run.last("sleeve.displacement"), 0.501420922380, 30 * 1e-4);
}

// Quick oscillations are not stiff: no implicit rule would be cheaper. m v = (F/ω)(1 − cos ωt), and a mass on
// a hard spring.
TEST(Tolerance, AQuickOscillationIsNotTakenForStiffness) {
  const auto run_with = [](const std::string& rest) {
    const Mechanism mechanism = read_model_text(R"(
trammel: 1
plane: xy
bodies: {b: {mass: 1, inertia: 1}}
joints: {s: {prismatic: [b, ground], axis: [1, 0]}}
)" + rest,
                                                "quick.yaml")
                                    .value();
    Simulation simulation(mechanism, mechanism.plan);
    return run(simulation);
  };
  const RunResult pushed = run_with(R"(
forces: {p: {joint: s, force: 'sin(6283*t)'}}
simulate: {duration: 2}
)");
  EXPECT_EQ(pushed.summary.choice.find("stiff"), std::string::npos) << pushed.summary.choice;
  EXPECT_NEAR(pushed.trajectory.column("s.displacement").back(), 2 / 6283., 1e-5);
  const RunResult sprung = run_with(R"(
forces: {k: {joint-spring: s, stiffness: 1e8}}
initial: {s: {speed: 1}}
simulate: {duration: 1, tolerance: 1e-7}
)");
  EXPECT_EQ(sprung.summary.choice.find("stiff"), std::string::npos) << sprung.summary.choice;
  EXPECT_NEAR(sprung.trajectory.column("s.displacement").back(), std::sin(1e4) / 1e4, 1e-3 * 1e-4);
}

// In relative coordinates it is a tree: Radau goes on, in some twenty steps a second and more where the
// tolerance is tight. Its errors, as those of the explicit steps before, stay within thirty times that.
TEST(Tolerance, AStiffTreeIsTakenOverByRadau) {
  const Mechanism mechanism = model("flyball-governor");
  for (const double tolerance : {1e-4, 1e-6, 1e-9}) {
    Plan plan = by_tolerance(mechanism, tolerance, 1);
    plan.coordinates = "relative";
    const Finished run(mechanism, plan);
    ASSERT_EQ(run.summary.status, RunStatus::ok) << run.summary.message;
    EXPECT_NE(run.summary.choice.find("from there augmented-lagrangian with radau9"), std::string::npos)
        << run.summary.choice;
    EXPECT_NEAR(run.at(10, "sleeve.displacement"), 0.743249424786, 30 * tolerance);
    EXPECT_NEAR(run.last("sleeve.displacement"), 0.501420922380, 30 * tolerance);
    EXPECT_LT(run.summary.steps, 200) << tolerance;
  }
}

// s̈ = −ω²(s − cos t) − 2ω(ṡ + sin t) − cos t with ω = 10⁴ rad/s, whose s is cos t; after one second it may be
// drawn away by what no method can follow.
Mechanism drawn_along(const std::string& force) {
  ModelInput input = read_model_text(
      "trammel: 1\ncoordinates: {s: 1}\nmass: {s: 1}\napplied: {s: \"-1e8*(s - "
      "cos(t)) - 2e4*(s.rate + sin(t)) - cos(t)" +
          force + "\"}\nsimulate: {duration: 2, tolerance: 1e-6}\n",
      "drawn-along.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

TEST(Tolerance, AStiffCoordinateOfOnesOwnIsTakenOverByRadau) {
  const Mechanism mechanism = drawn_along("");
  const Finished run(mechanism, by_tolerance(mechanism, 1e-6, 2));
  EXPECT_EQ(run.summary.status, RunStatus::ok) << run.summary.message;
  EXPECT_NE(run.summary.choice.find("radau9"), std::string::npos) << run.summary.choice;
  EXPECT_NEAR(run.last("s"), std::cos(2.0), 1e-6);
  EXPECT_LT(run.summary.steps, 200);
}

TEST(Tolerance, AForceWithoutAValueIsNamedAndNoMethodBlamed) {
  const Mechanism mechanism = drawn_along(" + 0*sqrt(1 - t)");
  const Finished run(mechanism, by_tolerance(mechanism, 1e-6, 2));
  EXPECT_EQ(run.summary.status, RunStatus::failed);
  EXPECT_NE(run.summary.message.find("the applied force on 's'"), std::string::npos) << run.summary.message;
  EXPECT_NE(run.summary.message.find("no longer finite from about t = 1 s on"), std::string::npos)
      << run.summary.message;
  EXPECT_EQ(run.summary.message.find("singular"), std::string::npos) << run.summary.message;
}

TEST(Tolerance, WhereRadauAndIndex3FailTooAllAreTold) {
  const Mechanism mechanism = drawn_along(" + 1/abs(1 - t)^3");
  const Finished run(mechanism, by_tolerance(mechanism, 1e-6, 2));
  EXPECT_EQ(run.summary.status, RunStatus::failed);
  for (const char* words : {"neither explicit steps, which became too short at t = 0.00",
                            ", nor radau9, which failed at t = 1 s, nor augmented-lagrangian-index3"})
    EXPECT_NE(run.summary.message.find(words), std::string::npos) << run.summary.message;
}

// Steps that are short because a person wants them so are not those of a stiff motion.
TEST(Tolerance, ALargestStepIsNotTakenForStiffness) {
  const Mechanism mechanism = model("simple-pendulum");
  Plan plan = by_tolerance(mechanism, 1e-4, 1);
  plan.step = 5e-3;
  const Finished run(mechanism, plan);
  EXPECT_EQ(run.summary.status, RunStatus::ok) << run.summary.message;
  EXPECT_EQ(run.summary.choice.find("stiff"), std::string::npos) << run.summary.choice;
}

TEST(Tolerance, AnExplicitRuleThatAPersonChoseIsToldToBeSlow) {
  const Mechanism mechanism = model("flyball-governor");
  Plan plan = by_tolerance(mechanism, 1e-4, 0.1);
  plan.integrator = "dopri5";
  const Finished run(mechanism, plan);
  EXPECT_EQ(run.summary.status, RunStatus::ok) << run.summary.message;
  EXPECT_NE(run.summary.choice.find("the motion is stiff"), std::string::npos) << run.summary.choice;
}

TEST(Tolerance, ASmoothMechanismIsSaidToRunExplicitly) {
  const Mechanism mechanism = model("double-pendulum");
  const Finished run(mechanism, by_tolerance(mechanism, 1e-6, 1));
  EXPECT_NE(run.summary.choice.find("augmented-lagrangian with dop853"), std::string::npos)
      << run.summary.choice;
  EXPECT_EQ(run.summary.choice.find("stiff"), std::string::npos) << run.summary.choice;
  EXPECT_TRUE(run.summary.warnings.empty());
  Plan named = by_tolerance(mechanism, 1e-5, 1);
  named.formulation = "augmented-lagrangian-index3";
  EXPECT_TRUE(Finished(mechanism, named).summary.choice.empty());
}

TEST(Tolerance, RowsCostNoStepsAndKeepTheConstraints) {
  for (const char* name : {"double-four-bar", "bricard", "spatial-slider-crank"}) {
    const Mechanism mechanism = model(name);
    Plan plan = by_tolerance(mechanism, 1e-7, 3);
    const Finished few(mechanism, plan);
    plan.output_interval = 0.003;
    const Finished many(mechanism, plan);
    EXPECT_EQ(few.summary.steps, many.summary.steps) << name;
    ASSERT_EQ(many.rows.rows.size(), 1001U);
    for (std::size_t k = 0; k < many.rows.rows.size(); ++k) {
      EXPECT_EQ(many.at(k, "t"), k == 1000 ? 3 : 0.003 * static_cast<double>(k));
      EXPECT_LT(many.at(k, "violation.position"), 1e-12) << name << " row " << k;
      EXPECT_LT(many.at(k, "violation.velocity"), 1e-9) << name << " row " << k;
    }
    // A row within a step is as exact as one that a step lands on: positions, speeds of some m/s and
    // accelerations of some ten m/s² to 300 times the tolerance, as promised of positions after 10 s.
    plan.tolerance = 1e-9;
    plan.output_interval = 0.15;
    const Finished exact(mechanism, plan);
    ASSERT_EQ(exact.rows.rows.size(), few.rows.rows.size()) << exact.summary.message;
    for (std::size_t c = 1; c < few.channels.size(); ++c) {
      if (!few.channels[c].unit.starts_with("m") || few.channels[c].group.starts_with("joints")) continue;
      for (std::size_t k = 0; k < few.rows.rows.size(); ++k)
        EXPECT_NEAR(few.rows.rows[k][c], exact.rows.rows[k][c], 3e-5) << name << ", " << few.channels[c].name;
    }
  }
}

// A crank driven at 300 rpm, a quarter of a second late by its ramp: whole turns are counted in rows within
// steps too.
TEST(Tolerance, AnglesAreCountedInRowsWithinSteps) {
  const Mechanism mechanism = model("driven-slider-crank");
  const Finished run(mechanism, by_tolerance(mechanism, 1e-3, 2));
  ASSERT_EQ(run.rows.rows.size(), 21U);
  for (std::size_t k = 5; k <= 20; ++k)
    EXPECT_NEAR(run.at(k, "crank.angle"), 10 * std::numbers::pi * (run.at(k, "t") - 0.25), 1e-9) << k;
}

// Of a size that the tolerance chooses; once index 3 has taken over, of a tenth of a second.
StepResult next_step(Simulation& simulation) {
  return simulation.dense() ? simulation.advance(1) : simulation.step(0.1);
}

// The allocations of twenty steps, but for one that changes the method or passes a break of a force, and the
// next two, in which buffers find their sizes again.
long allocations_of_steps(const Mechanism& mechanism, const char* coordinates, double tolerance) {
  Plan plan = by_tolerance(mechanism, tolerance, 1);
  plan.coordinates = coordinates;
  Simulation simulation(mechanism, plan);
  EXPECT_TRUE(simulation.assemble().report.accepted());
  // Buffers find their sizes in the first steps; a stiff motion is told after fifteen.
  for (int i = 0; i < 40; ++i) EXPECT_TRUE(next_step(simulation).report.accepted());
  const auto changes = [&] {
    const std::vector<double>* memory = simulation.state().recall(simulation::kFallback);
    return std::pair(memory == nullptr ? 0 : memory->size(), simulation.state().after);
  };
  long sum = 0;
  int calm = 2;  // steps since the last such change
  for (int i = 0; i < 20; ++i) {
    const auto now = changes();
    const long before = allocations;
    const bool accepted = next_step(simulation).report.accepted();
    const long taken = allocations - before;
    EXPECT_TRUE(accepted);
    calm = now == changes() ? calm + 1 : 0;
    if (calm > 2) sum += taken;
  }
  return sum;
}

TEST(Tolerance, AStepTakesNothingFromTheHeap) {
#ifndef TRAMMEL_COUNTS_MALLOC
  GTEST_SKIP() << "malloc cannot be counted in this build";
#endif
  for (const char* name : {"double-four-bar", "n-four-bar", "bricard", "andrews", "driven-slider-crank",
                           "controlled-pendulum", "flyball-governor", "rolling-disk", "rolling-wheel"}) {
    const Mechanism mechanism = model(name);
    const auto kinds =
        mechanism.generalized ? std::vector{"generalized"} : std::vector{"natural", "reference", "relative"};
    for (const char* coordinates : kinds)
      for (const double tolerance : {1e-3, 1e-6}) {
        SCOPED_TRACE(fmt::format("{} at {} in {} coordinates", name, tolerance, coordinates));
        EXPECT_EQ(allocations_of_steps(mechanism, coordinates, tolerance), 0);
      }
  }
}

// A copied state goes on to the same bits, by the same method.
TEST(Tolerance, ResumesFromACopiedStateToTheBit) {
  using Case = std::pair<const char*, const char*>;
  for (const auto& [name, coordinates] :
       {Case{"double-four-bar", "natural"}, Case{"bricard", "natural"}, Case{"flyball-governor", "natural"},
        Case{"flyball-governor", "relative"}, Case{"rolling-disk", "natural"}}) {
    const Mechanism mechanism = model(name);
    Plan plan = by_tolerance(mechanism, 1e-4, 1);
    plan.coordinates = coordinates;
    Simulation one(mechanism, plan), two(mechanism, plan);
    ASSERT_TRUE(one.assemble().report.accepted() && two.assemble().report.accepted());
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(one.step(0.05).report.accepted());
    two.restore(one.state());
    for (int i = 0; i < 10; ++i)
      ASSERT_TRUE(one.step(0.05).report.accepted() && two.step(0.05).report.accepted());
    EXPECT_EQ(one.state().q, two.state().q) << name;
    EXPECT_EQ(one.state().v, two.state().v) << name;
    EXPECT_EQ(one.choice(), two.choice()) << name;
  }
}

}  // namespace
}  // namespace trammel::tests::tolerance_test
