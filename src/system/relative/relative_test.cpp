// Relative coordinates: solves along the tree, the freedoms of every joint, loops opened where a person
// likes, and reactions of joints that have no equation.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <random>

#include "formulations/reactions/reaction_freedom.h"
#include "model/models_testing.h"
#include "system/system.h"
#include "trammel/model.h"
#include "trammel/simulation.h"

namespace trammel::tests::relative_test {
namespace {

Mechanism parsed(ModelInput input) {
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}
Plan exact_plan(const Plan& from, const std::string& coordinates) {
  Plan plan = from;
  plan.coordinates = coordinates;
  plan.formulation = "augmented-lagrangian";
  plan.integrator = "dopri5";
  plan.tolerance = 1e-11;
  return plan;
}

// Largest difference of positions and axes of bodies.
double apart(const std::vector<Pose>& a, const std::vector<Pose>& b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
    largest = std::max({largest, (a[k].position - b[k].position).norm(), (a[k].axes - b[k].axes).norm()});
  return largest;
}

std::vector<Pose> poses_after(const Mechanism& mechanism, const Plan& plan, double duration) {
  Simulation simulation(mechanism, plan);
  const AssemblyReport assembled = simulation.assemble();
  EXPECT_TRUE(assembled.report.accepted()) << assembled.report.message;
  const int steps = 10;
  for (int k = 0; k < steps; ++k) {
    const StepResult result = simulation.step(duration / steps);
    EXPECT_TRUE(result.report.accepted()) << result.report.message;
  }
  return simulation.system().poses(simulation.state());
}

std::vector<system::Wrench> reactions(const Simulation& simulation) {
  Report report;
  const State s = simulation.with_reactions(report);
  EXPECT_TRUE(report.accepted()) << report.message;
  system::Terms terms = simulation.system().make_terms();
  return simulation.system().reactions(s, terms);
}

class Tree : public testing::TestWithParam<const char*> {};

// No matrix, and yet M x = b to rounding: products and solves are two independent passes over the tree.
TEST_P(Tree, SolvesForWhatTheProductWithItsMassGives) {
  const auto system = system::compile(model(GetParam()), "relative");
  EXPECT_TRUE(system->mass_pattern().row.empty());
  EXPECT_TRUE(system->stiffness().row.empty());
  const auto solver = system->recursive_solver();
  ASSERT_NE(solver, nullptr);
  system::Terms terms = system->make_terms();
  State s = system->initial_state();
  std::mt19937 random(1);
  std::uniform_real_distribution<double> some(-1, 1);
  for (double& v : s.v) v = some(random);
  system->evaluate(s, system::kAskPosition | system::kAskForces, terms);
  ASSERT_TRUE(solver->factor(terms, 0, 0));
  std::vector<double> x(s.v.size()), b(s.v.size(), 0.0);
  for (double& value : x) value = some(random);
  system->add_mass_times(terms, x, 1, b);
  double largest = 0, expected = 0;
  for (std::size_t i = 0; i < x.size(); ++i) expected += x[i] * b[i];
  EXPECT_NEAR(system->mass_product(terms, x, x), expected, 1e-12 * expected);
  EXPECT_GT(expected, 0);
  solver->solve(b);
  for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(b[i] - x[i]));
  // The condition of the mass of a chain of forty is below 1e5.
  EXPECT_LT(largest, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Models, Tree,
                         testing::Values("double-pendulum", "n-four-bar", "five-link-chain",
                                         "three-link-pendulum", "flyball-governor", "bricard",
                                         "spatial-slider-crank", "gyrostat"),
                         [](const auto& which) {
                           std::string name = which.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// One joint of each kind between neighbours, in an order that no two chains of a textbook have.
constexpr const char* kEveryJoint = R"(
trammel: 1
gravity: [0.3, -0.2, -9.81]
bodies:
  table: {mass: 3 kg, inertia: [0.2, 0.3, 0.4], at: [0, 0, 0]}
  mast:  {mass: 2 kg, inertia: [0.2, 0.2, 0.1], at: [0.2, 0.1, 0.5]}
  ram:   {mass: 1 kg, inertia: [0.1, 0.1, 0.05], at: [0.2, 0.1, 1]}
  cross: {mass: 1 kg, inertia: [0.05, 0.06, 0.07], at: [0.5, 0.1, 1.2]}
  sleeve: {mass: 1 kg, inertia: [0.04, 0.05, 0.06], at: [0.9, 0.1, 1.2]}
  ball:  {mass: 1 kg, inertia: [0.03, 0.04, 0.05], at: [1.2, 0.3, 1.2]}
  tip:   {mass: 0.5 kg, inertia: [0.03, 0.02, 0.05], at: [1.4, 0.3, 1.3]}
  flap:  {mass: 0.5 kg, inertia: [0.01, 0.02, 0.03], at: [1.5, 0.5, 1.3]}
joints:
  ground_plane: {planar: [table, ground], at: [0, 0, 0], normal: [0, 0, 1]}
  bolt:   {fixed: [mast, table], at: [0.1, 0.1, 0.2]}
  lift:   {prismatic: [ram, mast], at: [0.2, 0.1, 0.7], axis: [0, 0.1, 1]}
  joint:  {universal: [cross, ram], at: [0.3, 0.1, 1.1], axes: [[0, 1, 0], [0, 0, 1]]}
  slide:  {cylindrical: [sleeve, cross], at: [0.7, 0.1, 1.2], axis: [1, 0, 0.2]}
  socket: {spherical: [ball, sleeve], at: [1.1, 0.2, 1.2]}
  plate:  {fixed: [tip, ball], at: [1.3, 0.3, 1.2]}
  hinge:  {revolute: [flap, tip], at: [1.45, 0.4, 1.3], axis: [0, 0, 1]}
initial:
  hinge: {speed: 3}
simulate: {duration: 0.5 s, step: 5 ms}
)";

TEST(RelativeJoints, OfEveryKindMoveAsInNaturalCoordinates) {
  const Mechanism mechanism = parsed(read_model_text(kEveryJoint, "joints.yaml"));
  const auto system = system::compile(mechanism, "relative");
  // planar 3, prismatic 1, universal 2, cylindrical 2, spherical 3, revolute 1
  EXPECT_EQ(system->sizes().v, 12);
  EXPECT_EQ(system->sizes().rows, 0);
  const std::vector<Pose> natural = poses_after(mechanism, exact_plan(mechanism.plan, "natural"), 0.5);
  const std::vector<Pose> relative = poses_after(mechanism, exact_plan(mechanism.plan, "relative"), 0.5);
  // Tolerance 1e-11 a step, some hundred steps, and what stabilization leaves in natural coordinates.
  EXPECT_LT(apart(natural, relative), 1e-7);
  // Against the other direction of every joint: the child named second.
  Mechanism turned = mechanism;
  for (Joint& joint : turned.joints) std::swap(joint.markers[0], joint.markers[1]);
  turned.joints.back().speed = 3;
  EXPECT_LT(apart(poses_after(turned, exact_plan(turned.plan, "natural"), 0.5),
                  poses_after(turned, exact_plan(turned.plan, "relative"), 0.5)),
            1e-7);
}

// Balls on balls, with what else a ball may carry: a hinge, a slider, a rigid body and a second branch.
constexpr const char* kBalls = R"(
trammel: 1
gravity: [0.3, -0.2, -9.81]
points:
  post: {at: [0, 0, 1], on: ground}
bodies:
  arm:   {mass: 2 kg, inertia: {xx: 0.2, yy: 0.3, zz: 0.4, xy: 0.05}, at: [0.3, 0, 0.1]}
  fore:  {mass: 3 kg, inertia: [0.1, 0.3, 0.3], at: [0.9, 0, 0], orientation: {x: [0, 0, -1], y: [0, 1, 0]}, com: [0.1, 0.2, 0.3]}
  hand:  {mass: 1 kg, inertia: [0.02, 0.03, 0.04], at: [1.4, 0.2, 0]}
  thumb: {mass: 0.3 kg, inertia: [0.01, 0.01, 0.02], at: [1.5, 0.4, 0.1]}
  ram:   {mass: 0.5 kg, inertia: [0.02, 0.01, 0.02], at: [1.6, 0, 0.2]}
  watch: {mass: 0.2 kg, inertia: [0.01, 0.02, 0.01], at: [1.1, 0.1, 0.1]}
  bag:   {mass: 4 kg, inertia: [0.1, 0.2, 0.2], at: [0.5, 0, -0.4]}
joints:
  shoulder: {spherical: [arm, ground], at: [0, 0, 0]}
  elbow:    {spherical: [fore, arm], at: [0.6, 0, 0]}
  wrist:    {spherical: [hand, fore], at: [1.2, 0.1, 0]}
  knuckle:  {revolute: [thumb, hand], at: [1.45, 0.3, 0], axis: [0, 1, 2]}
  guide:    {prismatic: [ram, hand], at: [1.5, 0, 0.1], axis: [1, 0, 1]}
  strap:    {fixed: [watch, fore], at: [1.1, 0, 0]}
  hook:     {spherical: [bag, arm], at: [0.5, 0, -0.1]}
forces:
  tendon: {spring: [post, fore.com], stiffness: 100 N/m, length: 0.5 m, damping: 2}
simulate: {duration: 0.5 s, step: 5 ms}
)";

// Balls and hinges have ways of their own through the tree; rates, and stiffness in the factor, take the way
// of any joint.
TEST(RelativeBalls, AreSolvedAsAnyJointIs) {
  const auto system = system::compile(parsed(read_model_text(kBalls, "balls.yaml")), "relative");
  ASSERT_EQ(system->sizes().v, 14);
  ASSERT_EQ(system->sizes().rows, 0);
  system::Terms special = system->make_terms(), general = special;
  State s = system->initial_state();
  std::mt19937 random(2);
  std::uniform_real_distribution<double> some(-1, 1);
  std::vector<double> turn(s.v.size()), b(s.v.size());
  for (double& angle : turn) angle = some(random);
  system->retract(s.q, turn);
  for (double& v : s.v) v = some(random);
  for (double& value : b) value = some(random);
  system->evaluate(s, system::kAskForces | system::kAskTangent, special);
  system->evaluate(s, system::kAskForces | system::kAskTangent | system::kAskRates, general);
  const auto solver = system->recursive_solver();
  std::vector<double> x = b, y = b;
  ASSERT_TRUE(solver->factor(special, 0, 0));
  solver->solve(x);
  // So little of the spring that it does not show in any digit.
  ASSERT_TRUE(solver->factor(general, 0, 1e-300));
  solver->solve(y);
  double largest = 0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  // Sums of some ten terms each; the condition of this mass, about 1e3, is in the solutions.
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(special.Q[i], general.Q[i], 1e-12 * 100);  // forces of some 100 N
    EXPECT_NEAR(x[i], y[i], 1e-12 * largest) << i;
  }
}

// A plane chain with springs to ground and between rods, at places of their own.
constexpr const char* kSprungChain = R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [1.5, 1], W: {at: [2, 2], on: ground}}
bodies:
  upper: {rod: [O, A], mass: 2}
  lower: {rod: [A, B], mass: 1}
forces:
  stay: {spring: [W, B], stiffness: 50 N/m, length: 0.4 m, damping: 3}
  tie:  {spring: [upper.com, B], stiffness: 20 N/m, length: 0.3 m}
initial:
  upper: {angular-velocity: 20}
  lower: {angular-velocity: -15}
simulate: {duration: 2 s, step: 5 ms}
)";

// Springs act on the tree itself; with their stiffness they are those of reference coordinates.
TEST(RelativeSprings, ActOnTheTreeAsInReferenceCoordinates) {
  const Mechanism all[] = {model("flyball-governor"), parsed(read_model_text(kBalls, "balls.yaml")),
                           parsed(read_model_text(kSprungChain, "chain.yaml"))};
  for (const Mechanism& mechanism : all) {
    const auto system = system::compile(mechanism, "relative");
    system::Terms tree = system->make_terms(), reference = tree;
    State s = system->initial_state();
    std::mt19937 random(3);
    std::uniform_real_distribution<double> some(-1, 1);
    std::vector<double> turn(s.v.size());
    for (double& angle : turn) angle = 0.3 * some(random);
    system->retract(s.q, turn);
    for (double& v : s.v) v = some(random);
    system->evaluate(s, system::kAskForces | system::kAskEnergy, tree);
    system->evaluate(s, system::kAskForces | system::kAskEnergy | system::kAskTangent, reference);
    double size = 1;
    for (const double Q : reference.Q) size = std::max(size, std::abs(Q));
    ASSERT_GT(std::abs(reference.power), 1e-3);
    // Sums of some ten terms each way.
    for (std::size_t i = 0; i < tree.Q.size(); ++i) EXPECT_NEAR(tree.Q[i], reference.Q[i], 1e-12 * size);
    EXPECT_NEAR(tree.potential, reference.potential, 1e-12 * size);
    EXPECT_NEAR(tree.power, reference.power, 1e-12 * std::abs(reference.power));
  }
}

// Euler parameters of no length say nothing of a rotation: that is no mass matrix, not a wrong one.
TEST(RelativeBalls, WithoutARotationAreNotSolved) {
  const auto system = system::compile(parsed(read_model_text(kBalls, "balls.yaml")), "relative");
  system::Terms terms = system->make_terms();
  State s = system->initial_state();
  std::fill_n(s.q.begin(), 4, 0.0);  // of the shoulder, the first joint
  system->evaluate(s, system::kAskForces, terms);
  EXPECT_FALSE(system->recursive_solver()->factor(terms, 0, 0));
}

// Angles are sums of coordinates here, which never jump; in natural coordinates they are measured.
TEST(RelativeAngles, CountTheTurnsOfNaturalCoordinates) {
  Mechanism hinge = parsed(read_model_text(kEveryJoint, "joints.yaml"));
  hinge.joints.back().speed = 40;
  for (const Mechanism& mechanism : {hinge, parsed(read_model_text(kSprungChain, "chain.yaml"))}) {
    std::vector<std::map<std::string, double>> all;
    for (const char* coordinates : {"natural", "relative"}) {
      Simulation simulation(mechanism, exact_plan(mechanism.plan, coordinates));
      ASSERT_TRUE(simulation.assemble().report.accepted());
      for (int k = 0; k < 50; ++k) ASSERT_TRUE(simulation.step(0.01).report.accepted());
      all.push_back(simulation.system().turns(simulation.state()));
    }
    ASSERT_EQ(all[0].size(), all[1].size());
    double most = 0;
    for (const auto& [name, angle] : all[0]) {
      // Errors of 1e-11 a step grow a thousandfold where the chain tumbles.
      EXPECT_NEAR(all[1].at(name), angle, 1e-6) << name;
      most = std::max(most, std::abs(angle));
    }
    EXPECT_GT(most, 4.0);  // beyond half a turn, or nothing was counted
  }
}

TEST(RelativeLoops, MayBeOpenedAtAnyJointOrBody) {
  const Mechanism mechanism = model("four-bar");
  const std::vector<Pose> expected = poses_after(mechanism, exact_plan(mechanism.plan, "natural"), 0.5);
  Plan plan = exact_plan(mechanism.plan, "relative");
  std::vector<std::vector<std::string>> openings{{}};
  for (const Joint& joint : mechanism.joints) openings.push_back({joint.name});
  for (const Body& body : mechanism.bodies) openings.push_back({body.name});
  std::vector<double> forces;
  for (const auto& open : openings) {
    plan.open = open;
    EXPECT_LT(apart(poses_after(mechanism, plan, 0.5), expected), 1e-7) << (open.empty() ? "" : open[0]);
    Simulation simulation(mechanism, plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    std::vector<double> here;
    for (const system::Wrench& w : reactions(simulation))
      here.insert(here.end(), w.force.begin(), w.force.end());
    if (forces.empty()) forces = here;
    ASSERT_EQ(here.size(), forces.size());
    for (std::size_t k = 0; k < here.size(); ++k) EXPECT_NEAR(here[k], forces[k], 1e-8);
  }
}

TEST(RelativeLoops, SayWhereTheyCannotBeOpened) {
  const auto message = [](const std::string& simulate) {
    std::string text = R"(
trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {arm: {rod: [O, A], mass: 1}}
)";
    const ModelInput input = read_model_text(text + simulate, "open.yaml");
    return input.errors.empty() ? std::string() : to_string(input.errors.front());
  };
  EXPECT_NE(
      message("simulate: {coordinates: relative, open: [B]}").find("there is no joint or body named 'B'"),
      std::string::npos);
  EXPECT_NE(message("simulate: {coordinates: relative, open: O}").find("a list of names is missing"),
            std::string::npos);
  Mechanism mechanism = model("double-pendulum");
  mechanism.plan.coordinates = "relative";
  mechanism.plan.open = {"nothing"};
  EXPECT_THROW(Simulation(mechanism, mechanism.plan), std::invalid_argument);
}

// Joints of the tree have no multipliers: their reactions come from the balance of the bodies.
TEST(RelativeReactions, AreThoseOfNaturalCoordinates) {
  for (const char* name : {"double-pendulum", "slider-crank", "four-bar", "five-link-chain",
                           "three-link-pendulum", "flyball-governor", "gear-train", "driven-slider-crank",
                           "spatial-slider-crank", "andrews", "rolling-disk", "skater", "heavy-top"}) {
    const Mechanism mechanism = model(name);
    std::vector<std::vector<system::Wrench>> all;
    for (const char* coordinates : {"natural", "relative"}) {
      Plan plan = mechanism.plan;
      plan.coordinates = coordinates;
      Simulation simulation(mechanism, plan);
      ASSERT_TRUE(simulation.assemble().report.accepted()) << name;
      all.push_back(reactions(simulation));
    }
    ASSERT_EQ(all[0].size(), all[1].size()) << name;
    double size = 1;
    for (const system::Wrench& w : all[0]) size = std::max({size, w.force.norm(), w.torque.norm()});
    for (std::size_t k = 0; k < all[0].size(); ++k) {
      EXPECT_EQ(all[0][k].joint, all[1][k].joint) << name;
      EXPECT_EQ(all[0][k].body, all[1][k].body) << name;
      // Accelerations of index 1 in two sets of coordinates differ by rounding times their condition.
      EXPECT_LT((all[0][k].force - all[1][k].force).norm(), 1e-7 * size) << name << " " << all[0][k].joint;
      EXPECT_LT((all[0][k].torque - all[1][k].torque).norm(), 1e-7 * size) << name << " " << all[0][k].joint;
    }
  }
}

}  // namespace
}  // namespace trammel::tests::relative_test
