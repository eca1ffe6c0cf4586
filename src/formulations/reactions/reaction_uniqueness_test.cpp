// Which reactions a motion determines: marks against statics, unique ones against closed forms in every
// formulation, and results smooth enough to be differentiated.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/mobility.h"
#include "formulations/matrices/dense_terms.h"
#include "formulations/rows/rows.h"
#include "linalg/rank.h"
#include "model/models_testing.h"
#include "results/report/mobility_report.h"
#include "results/report/summary.h"
#include "simulation/reaction_columns.h"
#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::reaction_uniqueness_test {
namespace {

using Names = std::set<std::string>;

Mechanism parsed(ModelInput input) {
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}
Mechanism text_model(const std::string& text) { return parsed(read_model_text(text, "test.yaml")); }

// Results of a run, in memory.
struct Recorded : ResultSink {
  explicit Recorded(const Mechanism& mechanism) : simulation(mechanism, mechanism.plan) {
    const AssemblyReport assembly = simulation.assemble();
    EXPECT_TRUE(assembly.report.accepted()) << explain(assembly, simulation);
    rows.channels = channels_of(simulation);
    summary = trammel::run(simulation, *this);
    EXPECT_NE(summary.status, RunStatus::failed) << summary.message;
  }
  void write(std::span<const double> row) override {
    rows.values.insert(rows.values.end(), row.begin(), row.end());
  }
  double at(std::size_t row, const std::string& name) const {
    const int column = rows.find(name);
    EXPECT_GE(column, 0) << name;
    return column < 0 ? NAN : rows.row(row)[static_cast<std::size_t>(column)];
  }
  Vec3 vector(std::size_t row, const std::string& name) const {
    return {at(row, name + ".x"), at(row, name + ".y"), at(row, name + ".z")};
  }
  Names not_unique() const {
    return {summary.reactions.not_unique.begin(), summary.reactions.not_unique.end()};
  }

  Simulation simulation;
  Trajectory rows;
  RunSummary summary;
};

Names undetermined(const Mechanism& mechanism) {
  Simulation simulation(mechanism, mechanism.plan);
  const AssemblyReport assembly = simulation.assemble();
  EXPECT_TRUE(assembly.report.accepted()) << explain(assembly, simulation);
  Names names;
  const simulation::ReactionCheck check = simulation::check_reactions(simulation);
  EXPECT_TRUE(check.examined);
  for (const auto& entry : check.entries)
    if (!entry.unique) names.insert(entry.joint + "." + entry.component);
  return names;
}

// The door of models/door.yaml with other hinges.
constexpr double kMass = 20, kReach = 0.45, kGravity = 9.81, kLow = 0.2, kHigh = 1.8;
Mechanism door(const std::string& lower, const std::string& upper, const std::string& formulation,
               const std::string& more = "") {
  return text_model(R"yaml(
trammel: 1
name: door
gravity: [0, 0, -9.81]
bodies:
  door: {mass: 20 kg, inertia: [6.7, 8.0, 1.4], com: [0.45, 0, 1], points: {low: [0, 0, 0.2], high: [0, 0, 1.8]}}
joints:
  lower: )yaml" + lower +
                    "\n  upper: " + upper + "\ninitial: {door: {angular-velocity: [0, 0, 2]}}\n" + more +
                    "simulate: {duration: 1 s, step: 1 ms, formulation: " + formulation +
                    "}\noutputs: {interval: 0.1 s}\n");
}
const std::string kLowerBall = "{spherical: [door, ground], at: door.low}";
const std::string kUpperBall = "{spherical: [door, ground], at: door.high}";
const std::string kUpperGuide = "{point-on-line: door.high, through: [0, 0, 0], along: [0, 0, 1]}";
const std::string kLowerHinge = "{revolute: [door, ground], at: door.low, axis: [0, 0, 1]}";
const std::string kUpperHinge = "{revolute: [door, ground], at: door.high, axis: [0, 0, 1]}";

// All that the hinges give: m (a − g) at the centre of mass, which goes round at the rate that the motion has
// at that row. No torque about the centre of mass is needed: the axis is parallel to a principal axis.
struct DoorBalance {
  Vec3 force, torque_about_low;
};
DoorBalance door_balance(const Recorded& run, std::size_t row) {
  const double angle = std::atan2(run.at(row, "door.y"), run.at(row, "door.x"));
  const double rate = run.at(row, "door.omega.z");
  const Vec3 out(std::cos(angle), std::sin(angle), 0);
  const Vec3 force = kMass * (Vec3(0, 0, kGravity) - rate * rate * kReach * out);
  return {force, (kReach * out + Vec3(0, 0, 1 - kLow)).cross(force)};
}

// What the penalty formulation leaves of its constraints is in its forces.
double force_error(const std::string& formulation) { return formulation == "penalty" ? 1e-3 : 1e-9; }

class EveryFormulation : public testing::TestWithParam<const char*> {};

// Two ball joints: how they share the weight is open, all else follows from moments about the other.
TEST_P(EveryFormulation, GivesTheUniqueForcesOfADoorOnTwoBalls) {
  const Recorded run(door(kLowerBall, kUpperBall, GetParam()));
  const double error = force_error(GetParam()) * kMass * kGravity;
  EXPECT_EQ(run.not_unique(), (Names{"lower.force.z", "upper.force.z"}));
  for (std::size_t i = 0; i < run.rows.rows(); ++i) {
    const auto [sum, about_low] = door_balance(run, i);
    const Vec3 lower = run.vector(i, "lower.force"), upper = run.vector(i, "upper.force");
    EXPECT_NEAR(upper.x(), about_low.y() / (kHigh - kLow), error);
    EXPECT_NEAR(upper.y(), -about_low.x() / (kHigh - kLow), error);
    EXPECT_NEAR((lower + upper - sum).norm(), 0, error);
    EXPECT_EQ(run.at(i, "reactions.unique"), 0);
    EXPECT_EQ(run.at(i, "lower.force.x.unique"), 1);
    EXPECT_EQ(run.at(i, "lower.force.z.unique"), 0);
    EXPECT_EQ(run.at(i, "upper.torque.z.unique"), 1);
  }
}

// A ball and a guide: as many conditions as are needed, so the ball carries the weight.
TEST_P(EveryFormulation, GivesAllForcesOfADoorThatIsHeldOnce) {
  const Recorded run(door(kLowerBall, kUpperGuide, GetParam()));
  const double error = force_error(GetParam()) * kMass * kGravity;
  EXPECT_EQ(run.not_unique(), Names{});
  EXPECT_EQ(run.rows.find("lower.force.z.unique"), -1);
  for (std::size_t i = 0; i < run.rows.rows(); ++i) {
    const auto [sum, about_low] = door_balance(run, i);
    const Vec3 upper(about_low.y() / (kHigh - kLow), -about_low.x() / (kHigh - kLow), 0);
    EXPECT_NEAR((run.vector(i, "upper.force") - upper).norm(), 0, error);
    EXPECT_NEAR((run.vector(i, "lower.force") - (sum - upper)).norm(), 0, error);
    EXPECT_EQ(run.at(i, "reactions.unique"), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryFormulation,
                         testing::Values("augmented-lagrangian-index3", "augmented-lagrangian", "penalty",
                                         "lagrange", "baumgarte", "null-space", "canonical-lagrange",
                                         "canonical-independent", "canonical-augmented", "independent",
                                         "algebraic", "dae"),
                         [](const auto& which) {
                           std::string name = which.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class Redundant : public testing::TestWithParam<const char*> {};

// Two revolutes: each can hold the door alone, so only their sums and the free axis are determined.
TEST_P(Redundant, GivesTheSumOverADoorsHinges) {
  const Recorded run(door(kLowerHinge, kUpperHinge, GetParam()));
  const double error = force_error(GetParam()) * kMass * kGravity;
  Names all_but_the_axis;
  for (const char* hinge : {"lower", "upper"})
    for (const char* component : {".force.x", ".force.y", ".force.z", ".torque.x", ".torque.y"})
      all_but_the_axis.insert(std::string(hinge) + component);
  EXPECT_EQ(run.not_unique(), all_but_the_axis);
  for (std::size_t i = 0; i < run.rows.rows(); ++i) {
    const auto [force, torque] = door_balance(run, i);
    const Vec3 upper = run.vector(i, "upper.force");
    EXPECT_NEAR((run.vector(i, "lower.force") + upper - force).norm(), 0, error);
    const Vec3 about_low = run.vector(i, "lower.torque") + run.vector(i, "upper.torque") +
                           (kHigh - kLow) * Vec3::UnitZ().cross(upper);
    EXPECT_NEAR((about_low - torque).norm(), 0, error);
    EXPECT_NEAR(run.at(i, "lower.torque.z"), 0, error);
    EXPECT_NEAR(run.at(i, "upper.torque.z"), 0, error);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Redundant,
                         testing::Values("augmented-lagrangian-index3", "augmented-lagrangian", "penalty"),
                         [](const auto& which) {
                           std::string name = which.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// The motor must turn the door, whichever hinge carries it: its effort is unique, and is I φ̈ about the axis.
TEST(ReactionUniqueness, OfADriverAmongRedundantHinges) {
  Mechanism mechanism = door(kLowerHinge, kUpperHinge, "augmented-lagrangian-index3",
                             "drivers: {motor: {joint: lower, equals: 2*t + 0.3*(1 - cos(3*t))}}\n");
  const double h = mechanism.plan.output_interval = mechanism.plan.step;
  const Recorded run(mechanism);
  const Names names = run.not_unique();
  EXPECT_FALSE(names.contains("motor.effort"));
  EXPECT_FALSE(names.contains("motor.torque.z"));
  EXPECT_TRUE(names.contains("lower.force.z"));
  const double largest = (1.4 + kMass * kReach * kReach) * 2.7;
  const auto effort = [&](std::size_t i) { return run.at(i, "motor.effort"); };
  for (std::size_t i = 1; i + 1 < run.rows.rows(); ++i) {
    const double exact = largest * std::cos(3 * run.at(i, "t"));
    // φ̈ of a driven motion is exact; what is left is the rounding of a matrix of condition 1e6.
    EXPECT_NEAR(effort(i), exact, 1e-9 * largest);
    EXPECT_NEAR(run.at(i, "motor.torque.z"), exact, 1e-9 * largest);
    // Its second difference, 9e-6 of it, is that of the closed form but for the noise of four values: 1e-10
    // each, the rounding times that condition.
    EXPECT_NEAR(effort(i - 1) - 2 * effort(i) + effort(i + 1), -9 * h * h * exact, 4e-10 * largest);
  }
}

TEST(ReactionUniqueness, OfABeamOnThreeSupports) {
  const auto beam = [](const std::string& third) {
    return text_model(R"yaml(
trammel: 1
name: beam
plane: xy
gravity: [0, -10]
bodies: {beam: {mass: 3, inertia: 1, com: [1, 0], points: {left: [0, 0], middle: [1.5, 0], right: [2, 0]}}}
joints:
  pin: {revolute: [beam, ground], at: beam.left}
  roller: {point-on-line: beam.right, through: [2, 0], along: [1, 0]}
)yaml" + third + "simulate: {duration: 0.1, step: 0.01}\n");
  };
  EXPECT_EQ(undetermined(beam("  third: {point-on-line: beam.middle, through: [1.5, 0], along: [1, 0]}\n")),
            (Names{"pin.force.y", "roller.force.y", "third.force.y"}));
  // A roller that only guides along x takes part in nothing that the others do; one support less, all is
  // known.
  EXPECT_EQ(undetermined(beam("")), Names{});
}

// A body that ground holds at two points is locked between them: no constraint says so, yet a force along
// their line is open.
TEST(ReactionUniqueness, OfARodBetweenTwoPins) {
  const Mechanism mechanism = text_model(R"yaml(
trammel: 1
name: bridge
plane: xy
gravity: [0, -10]
points: {A: {at: [0, 0], on: ground}, B: {at: [2, 0], on: ground}, C: [2, -1]}
bodies:
  bridge: {rod: [A, B], mass: 3}
  weight: {rod: [B, C], mass: 1}
simulate: {duration: 0.1, step: 0.01}
)yaml");
  // Three meet at B: ground, bridge and weight. The weight's share is known.
  EXPECT_EQ(undetermined(mechanism), (Names{"A.force.x", "B.bridge.force.x", "B.ground.force.x"}));
}

// Three joints around one point: each pair of bodies is pinned, once too often.
TEST(ReactionUniqueness, OfALoopOfPinsInOnePlace) {
  const Mechanism mechanism = text_model(R"yaml(
trammel: 1
name: loop of pins
plane: xy
gravity: [0, -10]
bodies:
  a: {mass: 1, inertia: 1, com: [0, -1]}
  b: {mass: 2, inertia: 1, com: [0, -2]}
joints:
  ground_a: {revolute: [a, ground], at: [0, 0]}
  ground_b: {revolute: [b, ground], at: [0, 0]}
  a_b: {revolute: [a, b], at: [0, 0]}
simulate: {duration: 0.1, step: 0.01}
)yaml");
  Names forces;
  for (const char* joint : {"ground_a", "ground_b", "a_b"})
    for (const char* axis : {".force.x", ".force.y"}) forces.insert(std::string(joint) + axis);
  EXPECT_EQ(undetermined(mechanism), forces);
  const Recorded run(mechanism);
  // Hanging at rest: the shortest division of the two weights over the three pins, and their sums.
  EXPECT_NEAR(run.at(1, "ground_a.force.y") + run.at(1, "ground_b.force.y"), 30, 1e-9);
  EXPECT_NEAR(run.at(1, "ground_a.force.y") + run.at(1, "a_b.force.y"), 10, 1e-9);
}

// One state of self-stress goes through all six hinges; about its own axis a hinge gives no torque.
TEST(ReactionUniqueness, OfBricardsMechanism) {
  Mechanism mechanism =
      model("bricard", {"outputs.axes=joint", "outputs.interval=0.05", "simulate.duration=3"});
  const Recorded run(mechanism);
  Names all_but_the_axes;
  for (int i = 1; i <= 6; ++i)
    for (const char* component :
         {".joint_force.x", ".joint_force.y", ".joint_force.z", ".joint_torque.x", ".joint_torque.y"})
      all_but_the_axes.insert("hinge" + std::to_string(i) + component);
  EXPECT_EQ(run.not_unique(), all_but_the_axes);
  for (std::size_t i = 0; i < run.rows.rows(); ++i) {
    EXPECT_EQ(run.at(i, "hinge3.joint_torque.z.unique"), 1);
    EXPECT_EQ(run.at(i, "reactions.unique"), 0);
  }
}

// The supports of Bricard's mechanism together carry what moves the centre of mass, in every formulation.
TEST(ReactionUniqueness, SumsAreTheSameInFormulationsThatAcceptRedundancy) {
  for (const char* formulation : {"augmented-lagrangian-index3", "augmented-lagrangian"}) {
    const double h = 1e-3;
    const Recorded run(model("bricard", {"simulate.duration=1", "simulate.step=1 ms", "outputs.interval=1 ms",
                                         std::string("simulate.formulation=") + formulation}));
    for (std::size_t i = 1; i + 1 < run.rows.rows(); i += 50) {
      Vec3 rate = Vec3::Zero();
      for (int b = 1; b <= 5; ++b)
        rate += (run.vector(i + 1, "rod" + std::to_string(b) + ".v") -
                 run.vector(i - 1, "rod" + std::to_string(b) + ".v")) /
                (2 * h);
      const Vec3 supports = run.vector(i, "hinge1.force") + run.vector(i, "hinge6.force");
      // Central differences and the rule are of order h², with time constants of about 0.1 s: 1e-4 of 50 N.
      EXPECT_LT((supports - rate - 5 * Vec3(0, kGravity, 0)).norm(), 5e-3) << formulation << " row " << i;
    }
  }
}

// Laid flat, every rod can be pulled along its length without a change of the motion; a little off, none can.
TEST(ReactionUniqueness, IsLostInASingularPositionOnly) {
  const auto cranks_at = [](double angle) {
    std::vector<std::string> settings{
        fmt::format("initial.B0.velocity=[{:.17g}, {:.17g}]", -std::sin(angle), std::cos(angle))};
    for (int i = 0; i < 3; ++i)
      settings.push_back(
          fmt::format("points.B{}=[{:.17g}, {:.17g}]", i, i + std::cos(angle), std::sin(angle)));
    return undetermined(model("double-four-bar", settings));
  };
  EXPECT_EQ(cranks_at(0), (Names{"A0.force.x", "A1.force.x", "A2.force.x", "B0.force.x", "B1.crank1.force.x",
                                 "B1.coupler1.force.x", "B1.coupler2.force.x", "B2.force.x"}));
  for (const double angle : {1e-3, 0.1, 1.0}) EXPECT_EQ(cranks_at(angle), Names{}) << angle;
  // The run passes there ten times, between rows: what is written is unique, if large next to the passages.
  const Recorded run(model("double-four-bar"));
  EXPECT_EQ(run.not_unique(), Names{});
}

// The stated rule: of all λ that belong to the motion, the one with the least Σ c λ², c = Φ_v m⁻¹ Φ_vᵀ of its
// row: orthogonal in c to every y with Φ_vᵀ y = 0.
TEST(ReactionUniqueness, TheMultipliersWrittenAreTheShortest) {
  const Mechanism mechanism = model("bricard");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(simulation.step(2e-3).report.accepted());
  Report report;
  const State s = simulation.with_reactions(report);
  const system::System& system = simulation.system();
  system::Terms terms = system.make_terms();
  system.evaluate(s, system::kAskPosition, terms);
  const std::vector<double> mobility = formulations::effective_mobility(system, terms);
  const linalg::RankResult rank =
      linalg::rank_of_rows(formulations::scaled_rows(system, terms), formulations::kRankTolerance);
  ASSERT_EQ(rank.left_null.cols(), 1);
  double product = 0, y_size = 0, size = 0;
  for (std::size_t r = 0; r < s.lambda.size(); ++r) {
    const double c = formulations::row_compliance(system.jacobian(), terms.Phi_v, r, mobility);
    const double y = rank.left_null(static_cast<Eigen::Index>(r), 0);
    product += y * c * s.lambda[r];
    y_size += y * c * y;
    size += s.lambda[r] * c * s.lambda[r];
  }
  EXPECT_GT(size, 0);
  // Positions that hold to 1e-11 make γ inconsistent by as much, which the weight 1e6 of the iteration
  // magnifies.
  EXPECT_LT(std::abs(product), 1e-5 * std::sqrt(size * y_size));
}

TEST(ReactionUniqueness, IsSaidInWordsAndKeys) {
  const Mechanism mechanism = model("door");
  const Recorded run(mechanism);
  const analysis::Mobility m = analysis::mobility(run.simulation);
  const auto json = results::summary_json(run.simulation, m, run.summary);
  EXPECT_EQ(json["reactions"]["unique"], false);
  EXPECT_EQ(json["reactions"]["not_unique"].size(), 10u);
  EXPECT_NE(json["reactions"]["rule"].get<std::string>().find("compliance"), std::string::npos);
  EXPECT_NE(results::summary_text(run.simulation, m, run.summary).find("10 components not unique"),
            std::string::npos);
  const simulation::ReactionCheck check = simulation::check_reactions(run.simulation);
  const analysis::MobilityCheck mobility = analysis::check_mobility(run.simulation);
  EXPECT_EQ(results::mobility_json(mobility, check)["undetermined_reactions"].size(), 10u);
  const std::string text = results::mobility_text(mechanism, mobility, check);
  EXPECT_NE(text.find("lower (force.x, force.y, force.z, torque.x, torque.y)"), std::string::npos) << text;
  EXPECT_NE(text.find("given more freedom"), std::string::npos) << text;
}

// An end-stop has its columns from the start: zero in flight, the weight at rest. Every row has all columns.
TEST(ReactionUniqueness, OfAnEndStop) {
  const Recorded run(text_model(R"yaml(
trammel: 1
name: anvil
plane: xy
gravity: [0, -10]
bodies: {box: {mass: 2, inertia: 0.1, at: [0, 1]}}
joints: {guide: {prismatic: [box, ground], at: [0, 0], axis: [0, 1], coordinate: 1}}
stops:
  ceiling: {joint: guide, upper: 5}
  anvil: {joint: guide, lower: 0}
simulate: {duration: 1, step: 10 ms}
)yaml"));
  ASSERT_EQ(run.rows.values.size() % run.rows.channels.size(), 0u);
  const std::size_t last = run.rows.rows() - 1;
  EXPECT_EQ(run.at(last, "t"), 1);
  EXPECT_EQ(run.at(1, "anvil.effort"), 0);
  EXPECT_NEAR(run.at(last, "anvil.effort"), 20, 1e-8);
  EXPECT_NEAR(run.at(last, "anvil.force.y"), 20, 1e-8);
  for (std::size_t i = 0; i <= last; ++i) EXPECT_EQ(run.at(i, "ceiling.effort"), 0) << i;
  EXPECT_EQ(run.not_unique(), Names{});
}

// Too many rows for a dense factorization at every output: what is far from dependent is told all the same,
// what is not stays open instead of being called unique.
TEST(ReactionUniqueness, OfManyConstraints) {
  const std::vector<std::string> settings{"parameters.N=200", "simulate.duration=0.02", "simulate.step=0.01"};
  const Recorded large(model("n-four-bar", settings));
  EXPECT_GT(large.simulation.system().sizes().rows, formulations::ReactionExam::kPerOutput);
  EXPECT_EQ(large.at(0, "reactions.unique"), 1);
  EXPECT_TRUE(large.summary.reactions.examined);
  const Recorded redundant(text_model(R"yaml(
trammel: 1
name: many doors
gravity: [0, 0, -9.81]
bodies:
  "door{i}": {for: {i: 1..60}, mass: 1, inertia: [1, 1, 1], com: [1, 0, 0], at: [2*i, 0, 0]}
joints:
  "low{i}": {for: {i: 1..60}, revolute: ["door{i}", ground], at: [2*i, 0, 0], axis: [0, 0, 1]}
  "high{i}": {for: {i: 1..60}, revolute: ["door{i}", ground], at: [2*i, 0, 1], axis: [0, 0, 1]}
simulate: {duration: 0.02, step: 0.01}
)yaml"));
  EXPECT_GT(redundant.simulation.system().sizes().rows, formulations::ReactionExam::kPerOutput);
  EXPECT_TRUE(std::isnan(redundant.at(0, "reactions.unique")));
  EXPECT_FALSE(redundant.summary.reactions.examined);
  const analysis::Mobility m = analysis::mobility(redundant.simulation);
  EXPECT_TRUE(
      results::summary_json(redundant.simulation, m, redundant.summary)["reactions"]["unique"].is_null());
}

// Of the sixth differences of a smooth signal nothing is left but its noise, times 64 at most: with steps of
// 0.2 ms and time constants of 10 ms the signal itself leaves 6e-11 of its size.
class Smooth : public testing::TestWithParam<const char*> {};
TEST_P(Smooth, ReactionsCanBeDifferentiated) {
  const Recorded run(
      model(GetParam(), {"simulate.duration=0.2", "simulate.step=0.2 ms", "outputs.interval=0.2 ms"}));
  ASSERT_EQ(run.rows.rows(), 1001u);
  for (std::size_t c = 0; c < run.rows.channels.size(); ++c) {
    const Channel& channel = run.rows.channels[c];
    if (channel.dataset != "force") continue;
    const auto f = [&](std::size_t i) { return run.rows.row(i)[c]; };
    double largest = 1, noise = 0;
    for (std::size_t i = 0; i < 1001; ++i) largest = std::max(largest, std::abs(f(i)));
    for (std::size_t i = 3; i + 3 < 1001; ++i)
      noise = std::max(noise, std::abs(f(i - 3) + f(i + 3) - 6 * (f(i - 2) + f(i + 2)) +
                                       15 * (f(i - 1) + f(i + 1)) - 20 * f(i)) /
                                  64);
    EXPECT_LT(noise, 1e-9 * largest) << channel.name;
  }
}
INSTANTIATE_TEST_SUITE_P(Models, Smooth,
                         testing::Values("double-pendulum", "slider-crank", "four-bar", "bricard",
                                         "spatial-slider-crank", "heavy-top", "three-link-pendulum"),
                         [](const auto& which) {
                           std::string name = which.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace trammel::tests::reaction_uniqueness_test
