// Rotors on joint coordinates: the equations of motion feel −a S̈ along the coordinate, in each kind of
// coordinates, on joints of a tree and on joints that close loops.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "system/system.h"
#include "trammel/model.h"

namespace trammel::tests::armature_test {
namespace {

constexpr double kHinge = 0.7, kSlide = 1.3, kLoop = 0.4;

// A tree of three bodies and, from its tip to ground, joints that a tree cannot hold.
const char* kPlane = R"yaml(
trammel: 1
plane: xy
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 0.1, at: [1, 0], angle: 0.3}
  b: {mass: 2, inertia: 0.2, at: [2, 0.5], angle: -0.2, com: [0.1, 0.2]}
  c: {mass: 1.5, inertia: 0.3, at: [3, 0]}
joints:
  hinge: {revolute: [a, ground], at: [0, 0], armature: 0.7}
  slide: {prismatic: [b, a], at: [1.5, 0.2], axis: [1, 0.4], armature: 1.3}
  elbow: {revolute: [c, b], at: [2.5, 0.1]}
  loop:  {revolute: [c, ground], at: [4, 0.3], armature: 0.4}
simulate: {duration: 1, step: 1 ms}
)yaml";
const char* kSpace = R"yaml(
trammel: 1
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, inertia: [0.1, 0.2, 0.25], at: [1, 0, 0]}
  b: {mass: 2, inertia: {xx: 0.3, yy: 0.4, zz: 0.5, xy: 0.02}, at: [2, 0.5, 0.2], com: [0.1, 0.2, 0]}
  c: {mass: 1.5, inertia: [0.3, 0.4, 0.35], at: [3, 0, 0.5]}
joints:
  hinge: {revolute: [a, ground], at: [0, 0, 0], axis: [0.1, 0.2, 1], armature: 0.7}
  slide: {prismatic: [b, a], at: [1.5, 0.2, 0], axis: [1, 0.4, 0.1], armature: 1.3}
  elbow: {revolute: [c, b], at: [2.5, 0.1, 0.3], axis: [0, 1, 0.3]}
  loop:  {revolute: [c, ground], at: [4, 0.3, 0.2], axis: [0.2, 0.1, 1], armature: 0.4}
simulate: {duration: 1, step: 1 ms}
)yaml";

Mechanism read(bool planar) {
  ModelInput input = read_model_text(planar ? kPlane : kSpace, "armature.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

// With the same coordinates: natural ones have a vector more where a coordinate is read.
Mechanism without_armatures(Mechanism m) {
  for (Joint& joint : m.joints)
    if (joint.armature != 0) joint.armature = 1e-300;
  return m;
}

using Case = std::tuple<bool, std::string>;  // planar, coordinates

class Armatures : public testing::TestWithParam<Case> {
 protected:
  Armatures() : mechanism_(read(std::get<0>(GetParam()))) {
    // The same tree for both, whatever is lighter.
    const system::Coordinates coordinates(std::get<1>(GetParam()));
    system_ = system::compile(mechanism_, coordinates);
    bare_ = system::compile(without_armatures(mechanism_), coordinates);
    state_ = system_->initial_state();
    std::mt19937 random(3);
    std::uniform_real_distribution<double> part(-1, 1);
    std::vector<double> aside(state_.v.size());
    for (double& d : aside) d = 0.1 * part(random);
    system_->retract(state_.q, aside);
    for (double& v : state_.v) v = part(random);
    for (double& a : state_.a) a = part(random);
  }

  // Rates of hinge, slide and loop.
  std::vector<double> rates(const State& s) const {
    system::Terms terms = system_->make_terms();
    std::vector<double> all;
    for (const system::Reading& r : system_->readings(s, terms))
      if (r.quantity == "rate" && r.object != "elbow") all.push_back(r.value);
    EXPECT_EQ(all.size(), 3U);
    return all;
  }
  State moved(double dt, bool constant_velocity = false) const {
    State s = state_;
    std::vector<double> way(s.v.size());
    for (std::size_t i = 0; i < s.v.size(); ++i) {
      const double a = constant_velocity ? 0 : s.a[i];
      way[i] = dt * (s.v[i] + 0.5 * dt * a);
      s.v[i] += dt * a;
    }
    system_->retract(s.q, way);
    return s;
  }
  static std::vector<double> mass_times(const system::System& system, const State& s,
                                        const std::vector<double>& x) {
    system::Terms terms = system.make_terms();
    system.evaluate(s, system::kAskForces, terms);
    std::vector<double> y(x.size(), 0.0);
    system.add_mass_times(terms, x, 1, y);
    return y;
  }

  Mechanism mechanism_;
  std::shared_ptr<const system::System> system_, bare_;
  State state_;
  const std::vector<double> inertia_ = {kHinge, kSlide, kLoop};
};

// Central differences of this step on quantities of order one: error about 1e-9.
constexpr double kStep = 1e-5, kTolerance = 1e-7;

TEST_P(Armatures, EnergyIsHalfInertiaTimesRateSquared) {
  system::Terms with = system_->make_terms(), bare = bare_->make_terms();
  system_->evaluate(state_, system::kAskForces, with);
  bare_->evaluate(state_, system::kAskForces, bare);
  double expected = 0;
  const std::vector<double> rate = rates(state_);
  for (std::size_t k = 0; k < 3; ++k) expected += 0.5 * inertia_[k] * rate[k] * rate[k];
  EXPECT_GT(expected, 0.01);
  EXPECT_NEAR(system_->kinetic_energy(state_, with) - bare_->kinetic_energy(state_, bare), expected,
              1e-12 * (1 + expected));
}

// (M a − Q) with armatures less without: Σ a S̈ ∂Ṡ/∂v.
TEST_P(Armatures, TheInertiaForceIsInertiaTimesAccelerationOfTheCoordinate) {
  const auto left = [&](const system::System& system) {
    system::Terms terms = system.make_terms();
    system.evaluate(state_, system::kAskForces, terms);
    std::vector<double> y(state_.v.size());
    system.force_left(terms, state_.a, y);
    return y;
  };
  const std::vector<double> with = left(*system_), bare = left(*bare_);
  const std::vector<double> after = rates(moved(kStep)), before = rates(moved(-kStep)), now = rates(state_);
  for (std::size_t i = 0; i < state_.v.size(); ++i) {
    State aside = state_;
    aside.v[i] += 1;  // rates are linear in v
    const std::vector<double> there = rates(aside);
    double expected = 0;
    for (std::size_t k = 0; k < 3; ++k)
      expected += inertia_[k] * (after[k] - before[k]) / (2 * kStep) * (there[k] - now[k]);
    EXPECT_NEAR(bare[i] - with[i], expected, kTolerance * (1 + std::abs(expected))) << "coordinate " << i;
  }
}

TEST_P(Armatures, TheMassMatrixChangesAtItsRate) {
  system::Terms terms = system_->make_terms();
  system_->evaluate(state_, system::kAskAll, terms);
  const std::vector<double> after = mass_times(*system_, moved(kStep, true), state_.v),
                            before = mass_times(*system_, moved(-kStep, true), state_.v);
  double largest = 0;
  for (std::size_t i = 0; i < state_.v.size(); ++i) {
    const double expected = (after[i] - before[i]) / (2 * kStep);
    largest = std::max(largest, std::abs(expected));
    EXPECT_NEAR(terms.M_dot_v[i], expected, kTolerance * (1 + std::abs(expected))) << "coordinate " << i;
  }
  EXPECT_GT(largest, 1e-3);
}

TEST_P(Armatures, ProductsAndDiagonalAreThoseOfTheMatrix) {
  system::Terms terms = system_->make_terms();
  system_->evaluate(state_, system::kAskPosition, terms);
  const std::vector<double> diagonal = system_->mass_diagonal(terms);
  for (std::size_t i = 0; i < state_.v.size(); ++i) {
    std::vector<double> unit(state_.v.size(), 0.0), column(state_.v.size(), 0.0);
    unit[i] = 1;
    system_->add_mass_times(terms, unit, 1, column);
    EXPECT_NEAR(column[i], diagonal[i], 1e-12 * (1 + diagonal[i]));
    double product = 0;
    for (std::size_t k = 0; k < column.size(); ++k) product += column[k] * state_.v[k];
    EXPECT_NEAR(system_->mass_product(terms, unit, state_.v), product, 1e-12 * (1 + std::abs(product)));
  }
}

TEST_P(Armatures, TheRecursiveSolverSolvesWithThem) {
  const auto solver = system_->recursive_solver();
  if (!solver) return;  // M is a matrix
  system::Terms terms = system_->make_terms();
  system_->evaluate(state_, system::kAskAll, terms);
  // Without and with forces in the factor.
  for (const double damping : {0.0, 1e-3}) {
    ASSERT_TRUE(solver->factor(terms, damping, 0));
    std::vector<double> x = state_.a, back(x.size(), 0.0);
    solver->solve(x);
    system_->add_mass_times(terms, x, 1, back);
    // 1e-3: the damping of nothing but gravity is zero
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(back[i], state_.a[i], 1e-10) << damping;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Armatures,
                         testing::Combine(testing::Bool(),
                                          testing::Values("natural", "reference", "relative")),
                         [](const auto& which) {
                           return (std::get<0>(which.param) ? "Plane_" : "Space_") + std::get<1>(which.param);
                         });

}  // namespace
}  // namespace trammel::tests::armature_test
