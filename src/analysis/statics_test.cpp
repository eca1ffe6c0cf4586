// Statics against Castigliano's theorem and the principle of virtual work, by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/models_testing.h"
#include "trammel/analyses.h"

namespace trammel::tests::statics_test {
namespace {

class StaticsIn : public testing::TestWithParam<const char*> {
 protected:
  static EquilibriumPosition rest_of(const std::string& text) {
    ModelInput input = read_model_text(text, "test.yaml");
    for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
    input.mechanism.plan.coordinates = GetParam();
    const Equilibria found = solve_equilibrium(input.mechanism);
    EXPECT_TRUE(found.report.accepted()) << found.report.message;
    return found.found.empty() ? EquilibriumPosition{} : found.found.front();
  }
  // By how much the last body is displaced by a load, to first order: effects of second order are the same
  // under the opposite load.
  template <class Model>
  static Vec3 displacement(const Model& model, const Vec3& load) {
    return 0.5 * (rest_of(model(load)).poses.back().position - rest_of(model(-load)).poses.back().position);
  }
};
INSTANTIATE_TEST_SUITE_P(All, StaticsIn, testing::Values("natural", "reference", "relative"),
                         [](const auto& of) { return std::string(of.param); });

// Displacements are 1e-5 m; what is left of third order is 1e-10 of them.
constexpr double kFirstOrder = 1e-8;

// Two elastic bars meet in C and bear P. Castigliano: u = ∂U/∂P, U = Σ N²/(2k), where statics gives
// N₁ e₁ + N₂ e₂ = P.
TEST_P(StaticsIn, ATwoBarTrussYieldsAsCastiglianoSays) {
  const double k1 = 3e5, k2 = 2e5;
  const Vec3 A(-1, 0.5, 0), B(0.8, 1.2, 0), P(3, -5, 0);
  const auto model = [&](const Vec3& load) {
    return fmt::format(R"(
trammel: 1
plane: xy
points: {{A: {{at: [{}, {}], on: ground}}, B: {{at: [{}, {}], on: ground}}, C: [0, 0]}}
bodies: {{pin: {{point: C, mass: 1}}}}
forces:
  one: {{spring: [A, C], stiffness: {}, length: {:.17g}}}
  two: {{spring: [B, C], stiffness: {}, length: {:.17g}}}
  load: {{force: [{}, {}], at: C}}
)",
                       A.x(), A.y(), B.x(), B.y(), k1, A.norm(), k2, B.norm(), load.x(), load.y());
  };
  const Vec3 e1 = A.normalized(), e2 = B.normalized();
  const auto cross = [](const Vec3& a, const Vec3& b) { return a.x() * b.y() - a.y() * b.x(); };
  // Tensions balance the load: N₁ e₁ + N₂ e₂ + P = 0.
  const double det = cross(e1, e2), N1 = -cross(P, e2) / det, N2 = -cross(e1, P) / det;
  const Vec3 by_x = Vec3::UnitX(), by_y = Vec3::UnitY();
  const auto castigliano = [&](const Vec3& unit) {
    return N1 / k1 * (-cross(unit, e2) / det) + N2 / k2 * (-cross(e1, unit) / det);
  };
  const Vec3 u = displacement(model, P);
  EXPECT_NEAR(u.x(), castigliano(by_x), kFirstOrder * u.norm());
  EXPECT_NEAR(u.y(), castigliano(by_y), kFirstOrder * u.norm());
}

// Three elastic bars of one section meet in C, the middle one upright, the others at α to it: one more than
// statics can tell. The middle one bears P/(1 + 2 cos³ α), by Castigliano's second theorem (Menabrea).
TEST_P(StaticsIn, AThreeBarTrussSharesItsLoadAsMenabreaSays) {
  const double alpha = 0.6, EA = 4e5, height = 1.5, P = 20, c = std::cos(alpha);
  const auto model = [&](const Vec3& load) {
    return fmt::format(R"(
trammel: 1
plane: xy
points: {{L: {{at: [{0:.17g}, 0], on: ground}}, M: {{at: [0, 0], on: ground}}, R: {{at: [{1:.17g}, 0], on: ground}}, C: [0, {2}]}}
bodies: {{pin: {{point: C, mass: 1}}}}
forces:
  left: {{spring: [L, C], stiffness: {3:.17g}, length: {4:.17g}}}
  middle: {{spring: [M, C], stiffness: {5:.17g}, length: {6}}}
  right: {{spring: [R, C], stiffness: {3:.17g}, length: {4:.17g}}}
  load: {{force: [0, {7}], at: C}}
)",
                       -height * std::tan(alpha), height * std::tan(alpha), -height, EA * c / height,
                       height / c, EA / height, height, load.y());
  };
  const Vec3 u = displacement(model, Vec3(0, -P, 0));
  const double middle = P / (1 + 2 * c * c * c);
  EXPECT_NEAR(u.y(), -middle * height / EA, kFirstOrder * u.norm());
  EXPECT_NEAR(u.x(), 0, kFirstOrder * u.norm());
}

// A scissor lift of two stages with heavy arms: F δx + W δh = 0, with h = 2 l sin θ and x = l cos θ, gives
// F = cot θ (2 W + 4 w), w the weight of an arm.
TEST_P(StaticsIn, AScissorLiftNeedsTheForceOfVirtualWork) {
  const double l = 1.2, theta = 0.5, load = 80, arm = 3, g = 9.81, c = l * std::cos(theta),
               s = l * std::sin(theta);
  const EquilibriumPosition found = rest_of(fmt::format(R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
points:
  O: {{at: [0, 0], on: ground}}
  E: [{0:.17g}, 0]
  A: [{1:.17g}, {2:.17g}]
  C: [{0:.17g}, {3:.17g}]
  D: [0, {3:.17g}]
  B: [{1:.17g}, {4:.17g}]
  F: [{0:.17g}, {5:.17g}]
  G: [0, {5:.17g}]
bodies:
  a1: {{mass: {7}, inertia: 0.1, at: O, angle: {8}, com: [{6}, 0], carries: {{O: [0, 0], A: [{6}, 0], C: [{9}, 0]}}}}
  a2: {{mass: {7}, inertia: 0.1, at: E, angle: {10:.17g}, com: [{6}, 0], carries: {{E: [0, 0], A: [{6}, 0], D: [{9}, 0]}}}}
  b1: {{mass: {7}, inertia: 0.1, at: D, angle: {8}, com: [{6}, 0], carries: {{D: [0, 0], B: [{6}, 0], F: [{9}, 0]}}}}
  b2: {{mass: {7}, inertia: 0.1, at: C, angle: {10:.17g}, com: [{6}, 0], carries: {{C: [0, 0], B: [{6}, 0], G: [{9}, 0]}}}}
  shoe: {{mass: 1, inertia: 0.1, at: E, carries: {{E: [0, 0]}}}}
  platform: {{mass: {11}, inertia: 1, at: G, carries: {{G: [0, 0]}}}}
joints:
  rail: {{prismatic: [shoe, ground], at: E, axis: [1, 0]}}
  mast: {{prismatic: [platform, ground], at: G, axis: [0, 1]}}
drivers:
  ram: {{joint: rail, equals: 0}}
)",
                                                        c, c / 2, s / 2, s, 1.5 * s, 2 * s, l / 2, arm, theta,
                                                        l, std::numbers::pi - theta, load));
  const double F = std::cos(theta) / std::sin(theta) * (2 * load * g + 4 * arm * g);
  EXPECT_NEAR(std::abs(found.reactions.at("ram").effort), F, 1e-9 * F);
}

// A toggle press, its links at θ to their line: N = F/(2 tan θ).
TEST_P(StaticsIn, AToggleMultipliesItsForceByItsAngle) {
  const double l = 0.3, F = 50;
  for (const double theta : {0.4, 0.1, 0.01}) {
    const EquilibriumPosition found =
        rest_of(fmt::format(R"(
trammel: 1
plane: xy
points: {{O: {{at: [0, 0], on: ground}}, K: [{0:.17g}, {1:.17g}], B: [{2:.17g}, 0]}}
bodies:
  lower: {{rod: [O, K], mass: 1}}
  upper: {{rod: [K, B], mass: 1}}
  ram: {{mass: 1, inertia: 1, at: B, carries: {{B: [0, 0]}}}}
joints: {{guide: {{prismatic: [ram, ground], at: B, axis: [1, 0]}}}}
forces: {{push: {{force: [0, {3}], at: K}}}}
drivers: {{work: {{joint: guide, equals: 0}}}}
)",
                            l * std::cos(theta), l * std::sin(theta), 2 * l * std::cos(theta), -F));
    const double N = F / (2 * std::tan(theta));
    EXPECT_NEAR(std::abs(found.reactions.at("work").effort), N, 1e-9 * N / theta) << theta;
  }
}

// The links of a slider-crank lie on each other, upright or hanging: they may turn as one, with the mass M,
// or the crank may turn and push the slider, with the mass M + 4m. The stiffness of both is that of M g.
TEST_P(StaticsIn, WhereMotionsCrossTheLeastStiffnessOfThemCounts) {
  const double M = 1.5, m = 0.7, l = 0.8, g = 9.81;
  for (const double sign : {1.0, -1.0}) {
    const EquilibriumPosition found =
        rest_of(fmt::format(R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
points: {{O: {{at: [0, 0], on: ground}}, A: [{0:.17g}, {1:.17g}], B: [{2:.17g}, 0]}}
bodies:
  crank: {{rod: [O, A], mass: 0}}
  coupler: {{rod: [A, B], mass: 0}}
  pin: {{point: A, mass: {3}}}
  slider: {{point: B, mass: {4}}}
joints: {{guide: {{point-on-line: B, through: O, along: [1, 0]}}}}
)",
                            l * std::cos(1.2), sign * l * std::sin(1.2), 2 * l * std::cos(1.2), M, m));
    EXPECT_TRUE(found.singular);
    EXPECT_EQ(found.kind, sign > 0 ? EquilibriumKind::unstable : EquilibriumKind::stable);
    // The guide does not tell how much of the weight it bears: at the crossing itself, not 1e-9 beside it.
    EXPECT_NEAR(found.poses[2].position.x(), 0, 1e-14);
    EXPECT_NEAR(found.poses[2].position.y(), sign * l, 1e-12);
    EXPECT_EQ(found.reactions.at("guide").not_unique, std::vector<std::string>{"force.y"});
    ASSERT_EQ(found.stiffness.size(), 1u);
    const double expected = sign > 0 ? -g / l : M * g / l / (M + 4 * m);
    EXPECT_NEAR(found.stiffness[0], expected, 1e-6 * std::abs(expected));
  }
}

// A plate hangs from two ball joints on a level line. Each bears half of its weight; how hard they press
// against each other along the line, statics does not tell.
TEST_P(StaticsIn, OnlyForcesThatStaticsTellsAreCalledUnique) {
  const EquilibriumPosition found = rest_of(R"(
trammel: 1
gravity: [0, 0, -9.81]
bodies: {plate: {mass: 2, inertia: [0.1, 0.2, 0.1], at: [0.3, 0, -0.4]}}
joints:
  left: {spherical: [plate, ground], at: [0, -0.5, 0]}
  right: {spherical: [plate, ground], at: [0, 0.5, 0]}
)");
  EXPECT_EQ(found.kind, EquilibriumKind::stable);
  for (const char* name : {"left", "right"}) {
    const JointReaction& reaction = found.reactions.at(name);
    EXPECT_TRUE(reaction.examined);
    EXPECT_EQ(reaction.not_unique, std::vector<std::string>{"force.y"}) << name;
    ASSERT_EQ(reaction.loads.size(), 1u);
    EXPECT_EQ(reaction.loads[0].body, "plate");
    EXPECT_NEAR(reaction.loads[0].force.z(), 9.81, 1e-9) << name;
  }
}

}  // namespace
}  // namespace trammel::tests::statics_test
