// Equilibria against closed forms and the principle of virtual work.
#include "analysis/equilibrium.h"
#include "analysis/equilibrium_path.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/models_testing.h"
#include "trammel/simulation.h"

namespace trammel::tests::equilibrium_test {
namespace {

using analysis::Equilibrium;
using analysis::Regime;
using analysis::Seek;

std::unique_ptr<Simulation> started(const std::string& text, const std::string& coordinates) {
  ModelInput input = read_model_text(text, "test.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  input.mechanism.plan.coordinates = coordinates;
  auto simulation = std::make_unique<Simulation>(input.mechanism, input.mechanism.plan);
  EXPECT_TRUE(simulation->assemble().report.accepted());
  return simulation;
}

constexpr const char* kUpright = R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [0, 2]}
bodies: {rod: {rod: [O, A], mass: 3}}
)";

constexpr const char* kPendulum = R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [0.8, 0.3]}
bodies: {rod: {rod: [O, A], mass: 3, length: 2}}
)";

class EquilibriumIn : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, EquilibriumIn, testing::Values("natural", "reference", "relative"),
                         [](const auto& of) { return std::string(of.param); });

// Of a rod on a pin: hanging, with ω² = 3g/(2L), and upright.
TEST_P(EquilibriumIn, OfAPendulumHangingAndUpright) {
  const auto simulation = started(kPendulum, GetParam());
  const std::vector<Equilibrium> found = analysis::find_rests(*simulation, 30, 1).found;
  ASSERT_EQ(found.size(), 2u);
  const double w2 = 3 * 9.81 / (2 * 2);
  EXPECT_EQ(found[0].kind, EquilibriumKind::stable);
  EXPECT_NEAR(found[0].stiffness[0], w2, 1e-8);
  EXPECT_NEAR(simulation->system().poses(found[0].state)[0].position.y(), -1, 1e-12);
  EXPECT_EQ(found[1].kind, EquilibriumKind::unstable);
  EXPECT_NEAR(found[1].stiffness[0], -w2, 1e-8);
  EXPECT_NEAR(found[1].potential - found[0].potential, 3 * 9.81 * 2, 1e-9);
}

// Two rods hang or stand, in four ways. Newton's method goes on until a step gains nothing: no joint has a
// force across the line of the rods, but for rounding.
TEST_P(EquilibriumIn, OfADoublePendulumBalanceToRounding) {
  const auto simulation = started(R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [0.7, -0.7], B: [1.4, -1.4]}
bodies: {upper: {rod: [O, A], mass: 1, length: 1}, lower: {rod: [A, B], mass: 1, length: 1}}
)",
                                  GetParam());
  const std::vector<Equilibrium> found = analysis::find_rests(*simulation, 30, 1).found;
  ASSERT_EQ(found.size(), 4u);
  for (const Equilibrium& one : found) {
    EXPECT_LT(one.residual, 1e-11);
    for (const Pose& pose : simulation->system().poses(one.state)) EXPECT_NEAR(pose.position.x(), 0, 1e-11);
  }
}

TEST_P(EquilibriumIn, DownhillFromUprightIsHanging) {
  const auto simulation = started(kUpright, GetParam());
  const Equilibrium found = analysis::find_equilibrium(simulation->shared_system(), simulation->state(),
                                                       Regime::statics, Seek::stable);
  ASSERT_TRUE(found.report.accepted()) << found.report.message;
  EXPECT_EQ(found.kind, EquilibriumKind::stable);
  EXPECT_NEAR(simulation->system().poses(found.state)[0].position.y(), -1, 1e-10);
}

// A crank held by a torsion spring against its weight: k φ = m g L/2 cos φ.
TEST_P(EquilibriumIn, OfACrankOnATorsionSpring) {
  const auto simulation = started(R"(
trammel: 1
plane: xy
gravity: [0, -10]
bodies: {crank: {mass: 2, inertia: 0.1, com: [0.5, 0]}}
joints: {pin: {revolute: [crank, ground], at: [0, 0]}}
forces: {spring: {joint-spring: pin, stiffness: 20}}
)",
                                  GetParam());
  const Equilibrium found = analysis::find_equilibrium(simulation->shared_system(), simulation->state(),
                                                       Regime::statics, Seek::nearest);
  ASSERT_TRUE(found.report.accepted()) << found.report.message;
  const double phi = simulation->system().poses(found.state)[0].angle;
  EXPECT_LT(phi, 0);
  EXPECT_NEAR(20 * phi + 2 * 10 * 0.5 * std::cos(phi), 0, 1e-10);
}

// Balls of a governor at the speed Ω stand where g = Ω² L cos φ, φ from the vertical.
TEST(Equilibrium, OfAGovernorInSteadyMotion) {
  const auto simulation = started(R"(
trammel: 1
gravity: [0, 0, -9.81]
bodies:
  shaft: {mass: 1, inertia: [0.1, 0.1, 0.1]}
  arm: {mass: 2, inertia: [1e-6, 1e-6, 1e-6], at: [0.5, 0, -0.5]}
joints:
  bearing: {revolute: [shaft, ground], at: [0, 0, 0], axis: [0, 0, 1]}
  hinge: {revolute: [arm, shaft], at: [0, 0, 0], axis: [0, 1, 0]}
drivers: {motor: {angle: bearing, equals: 6*t}}
)",
                                  "relative");
  const Equilibrium found = analysis::find_equilibrium(simulation->shared_system(), simulation->state(),
                                                       Regime::motion, Seek::nearest);
  ASSERT_TRUE(found.report.accepted()) << found.report.message;
  const Vec3 at = simulation->system().poses(found.state)[0].position.isZero()
                      ? simulation->system().poses(found.state)[1].position
                      : simulation->system().poses(found.state)[0].position;
  EXPECT_NEAR(at.norm(), std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(-at.z(), 9.81 / 36, 1e-5);  // inertia of the ball itself moves it a little
}

// Von Mises' truss: two elastic bars from (±b, 0) to the apex bear P = 2 k y (L₀/L − 1), L² = b² + y², and
// snap through where dP/dy = 0: L³ = L₀ b².
TEST_P(EquilibriumIn, OfATrussThatSnapsThrough) {
  ModelInput input = read_model(std::string(kSourceDir) + "/models/truss.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  input.mechanism.plan.coordinates = GetParam();
  const analysis::FollowedPath path =
      analysis::follow_equilibria(input.mechanism, "P", 0, 100, Seek::nearest, 500);
  ASSERT_TRUE(path.report.accepted()) << path.report.message;
  const double rest = std::sqrt(1.16), length = std::cbrt(rest), y = std::sqrt(length * length - 1);
  const double most = 2 * 1000 * y * (rest / length - 1);
  std::vector<double> limits;
  for (const analysis::PathPoint& point : path.points) {
    const double at = point.system->poses(point.at.state)[0].position.y();
    EXPECT_NEAR(point.value, 2 * 1000 * at * (rest / std::hypot(1, at) - 1), 1e-7);
    if (point.is_limit) limits.push_back(point.value);
    // Between the limits the truss cannot stay.
    if (std::abs(at) < 0.9 * y) {
      EXPECT_EQ(point.at.kind, EquilibriumKind::unstable) << at;
    } else if (std::abs(at) > 1.1 * y) {
      EXPECT_EQ(point.at.kind, EquilibriumKind::stable) << at;
    }
  }
  ASSERT_EQ(limits.size(), 2u);
  EXPECT_NEAR(limits[0], most, 1e-9 * most);
  EXPECT_NEAR(limits[1], -most, 1e-9 * most);
  EXPECT_EQ(path.points.back().value, 100);
}

}  // namespace
}  // namespace trammel::tests::equilibrium_test
