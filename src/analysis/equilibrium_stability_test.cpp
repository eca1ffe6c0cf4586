// Stability of equilibria, and where it changes along a path, against closed forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/models_testing.h"
#include "trammel/analyses.h"

namespace trammel::tests::equilibrium_stability_test {
namespace {

Mechanism model(const std::string& text, const std::vector<std::string>& settings = {}) {
  ModelInput input = read_model_text(text, "test.yaml", settings);
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

EquilibriumPosition rest_of(const Mechanism& mechanism) {
  const Equilibria found = solve_equilibrium(mechanism);
  EXPECT_TRUE(found.report.accepted()) << found.report.message;
  return found.found.empty() ? EquilibriumPosition{} : found.found.front();
}

std::vector<double> changes_of(const EquilibriumPath& path) {
  std::vector<double> all;
  for (const EquilibriumPath::Point& point : path.points)
    if (point.is_change) all.push_back(point.value);
  return all;
}

// A rigid column on a hinge with a torsion spring buckles at P = k/L.
constexpr const char* kColumn = R"(
trammel: 1
plane: xy
parameters: {P: 0, k: 50, L: 1}
points: {O: {at: [0, 0], on: ground}, A: [0, L]}
bodies: {col: {rod: [O, A], mass: 1, length: L}}
forces:
  hinge: {joint-spring: O, stiffness: k, free: pi/2}
  load: {force: [0, -P], at: A}
)";

TEST(EquilibriumStability, AColumnBucklesAtItsCriticalLoadWhateverTheRange) {
  for (const double end : {100.0, 1000.0, 73.0}) {
    const EquilibriumPath path =
        solve_equilibrium_path(model(kColumn), {.parameter = "P", .from = 0, .to = end});
    ASSERT_TRUE(path.report.accepted()) << path.report.message;
    const std::vector<double> changes = changes_of(path);
    ASSERT_EQ(changes.size(), 1u) << end;
    EXPECT_NEAR(changes[0], 50, 50e-8) << end;
    for (const EquilibriumPath::Point& point : path.points) {
      if (point.is_change) continue;
      EXPECT_EQ(point.kind, point.value < 50 ? EquilibriumKind::stable : EquilibriumKind::unstable);
    }
  }
}

TEST(EquilibriumStability, AColumnIsStableAgainBelowItsCriticalLoad) {
  const EquilibriumPath path =
      solve_equilibrium_path(model(kColumn), {.parameter = "P", .from = 60, .to = 0});
  ASSERT_TRUE(path.report.accepted()) << path.report.message;
  const std::vector<double> changes = changes_of(path);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_NEAR(changes[0], 50, 50e-8);
  EXPECT_EQ(path.points.back().kind, EquilibriumKind::stable);
}

// Without a spring every position is an equilibrium; with one the column is stable.
TEST(EquilibriumStability, APathMayBeginWhereNothingHoldsTheMechanism) {
  const EquilibriumPath path =
      solve_equilibrium_path(model(kColumn), {.parameter = "k", .from = 0, .to = 500});
  ASSERT_TRUE(path.report.accepted()) << path.report.message;
  EXPECT_EQ(path.points.front().kind, EquilibriumKind::neutral);
  EXPECT_TRUE(path.points.front().is_change);
  EXPECT_EQ(path.points.back().kind, EquilibriumKind::stable);
  EXPECT_EQ(path.points.back().value, 500);
}

// Two springs from (±b, 0) to an apex at height y, of free length L₀ = √(b² + h²): sideways they hold with
// 2k(1 − L₀/L + b²L₀/L³), which vanishes before the load 2ky(L₀/L − 1) is the largest where h > b.
TEST(EquilibriumStability, ASteepTrussBucklesSidewaysBeforeItSnapsThrough) {
  const double b = 0.8, h = 2, k = 500, free = std::hypot(b, h);
  const auto sideways = [&](double L) { return 1 - free / L + b * b * free / (L * L * L); };
  double low = 1.5, high = free;  // sideways(low) < 0 < sideways(high)
  for (int i = 0; i < 100; ++i) (sideways(0.5 * (low + high)) > 0 ? high : low) = 0.5 * (low + high);
  const double critical = 2 * k * std::sqrt(low * low - b * b) * (free / low - 1);
  const EquilibriumPath path = solve_equilibrium_path(model(R"(
trammel: 1
plane: xy
parameters: {P: 0}
points: {A: {at: [-0.8, 0], on: ground}, B: {at: [0.8, 0], on: ground}, C: [0, 2]}
bodies: {apex: {point: C, mass: 2}}
forces:
  l: {spring: [A, C], stiffness: 500}
  r: {spring: [B, C], stiffness: 500}
  load: {force: [0, -P], at: C}
)"),
                                                      {.parameter = "P", .from = 0, .to = 600});
  ASSERT_TRUE(path.report.accepted()) << path.report.message;
  const std::vector<double> changes = changes_of(path);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_NEAR(critical, 445.623, 1e-3);
  EXPECT_NEAR(changes[0], critical, 1e-7 * critical);
}

TEST(EquilibriumStability, APathThatHasTooFewPointsSaysSo) {
  const EquilibriumPath path =
      solve_equilibrium_path(model(kColumn), {.parameter = "P", .from = 0, .to = 100, .points = 5});
  EXPECT_FALSE(path.report.accepted());
  EXPECT_NE(path.report.message.find("--points"), std::string::npos) << path.report.message;
}

// Ziegler's column under a follower force: two massless rods, masses 2m and m, springs k. Without damping it
// flutters from P = (7/2 − √2) k/L on; it never diverges.
constexpr const char* kZiegler = R"(
trammel: 1
plane: xy
parameters: {P: 2.2}
points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [2, 0]}
bodies:
  r1: {rod: [O, A], mass: 0}
  r2: {rod: [A, B], mass: 0}
  mA: {point: A, mass: 2}
  mB: {point: B, mass: 1}
joints: {hA: {revolute: [r2, r1], at: A}}
forces:
  k1: {joint-spring: O, stiffness: 1}
  k2: {joint-spring: hA, stiffness: 1}
  load: {force: [-P, 0], at: {body: r2, at: [2, 0]}, axes: body}
)";

TEST(EquilibriumStability, AFollowerForceMakesAColumnFlutter) {
  EXPECT_EQ(rest_of(model(kZiegler, {"parameters.P=2.05"})).kind, EquilibriumKind::stable);
  EXPECT_EQ(rest_of(model(kZiegler, {"parameters.P=2.1"})).kind, EquilibriumKind::unstable);
  EXPECT_FALSE(rest_of(model(kZiegler, {"parameters.P=2.05"})).symmetric);
  const EquilibriumPath path =
      solve_equilibrium_path(model(kZiegler), {.parameter = "P", .from = 0, .to = 3});
  ASSERT_TRUE(path.report.accepted()) << path.report.message;
  const std::vector<double> changes = changes_of(path);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_NEAR(changes[0], 3.5 - std::sqrt(2.0), 1e-7);
}

// A slider whose force has a kink or a jump where it rests.
std::string slider(const std::string& force) {
  return fmt::format(R"(
trammel: 1
plane: xy
bodies: {{b: {{mass: 1, inertia: 0.1}}}}
joints: {{g: {{prismatic: [b, ground], axis: [1, 0]}}}}
forces:
  weak: {{joint-spring: g, stiffness: 1e-3}}
  s: {{joint: g, force: "{}"}}
)",
                     force);
}

TEST(EquilibriumStability, AtAKinkTheForcesOnBothSidesDecide) {
  const struct {
    const char* force;
    EquilibriumKind kind;
  } all[] = {{"-if(g.displacement > 0, 100, 400)*g.displacement", EquilibriumKind::stable},
             {"-sign(g.displacement)", EquilibriumKind::stable},
             {"sign(g.displacement)", EquilibriumKind::unstable},
             {"if(g.displacement > 0, 100, -400)*g.displacement", EquilibriumKind::unstable},
             {"1000*max(0, -g.displacement)", EquilibriumKind::stable}};
  for (const auto& one : all) {
    const EquilibriumPosition found = rest_of(model(slider(one.force)));
    EXPECT_EQ(found.kind, one.kind) << one.force;
    EXPECT_TRUE(found.kinked) << one.force;
    EXPECT_EQ(found.kinks, std::vector<std::string>{"s"}) << one.force;
    EXPECT_TRUE(found.stiffness.empty()) << one.force;
    const Modes modes = solve_modes(model(slider(one.force)));
    EXPECT_EQ(modes.report.outcome, Outcome::refused) << one.force;
    EXPECT_NE(modes.report.message.find("'s'"), std::string::npos) << modes.report.message;
  }
}

TEST(EquilibriumStability, SmoothForcesHaveNoKink) {
  for (const char* force : {"-100*g.displacement - 1e4*g.displacement^2", "-tanh(1e3*g.displacement)",
                            "-if(g.displacement > 0.1, 100, 400)*g.displacement", "-g.rate*abs(g.rate)"}) {
    const EquilibriumPosition found = rest_of(model(slider(force)));
    EXPECT_FALSE(found.kinked) << force;
    EXPECT_EQ(found.kind, EquilibriumKind::stable) << force;
    EXPECT_TRUE(solve_modes(model(slider(force))).report.accepted()) << force;
  }
}

// The lines of three bars meet in a point, about which the platform may begin to turn; but it cannot.
TEST(EquilibriumStability, AStructureInASingularPositionIsLocked) {
  const Mechanism locked = model(R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
bodies:
  plat: {mass: 1, inertia: 0.1, at: [0, 1], points: {p1: [-0.4, 0], p2: [0, 0], p3: [0.4, 0]}}
joints:
  d1: {distance: [{body: ground, at: [-0.8, 0]}, plat.p1]}
  d2: {distance: [{body: ground, at: [0, 0]}, plat.p2]}
  d3: {distance: [{body: ground, at: [0.8, 0]}, plat.p3]}
)");
  const EquilibriumPosition found = rest_of(locked);
  EXPECT_EQ(found.kind, EquilibriumKind::locked);
  EXPECT_TRUE(found.singular);
  const Modes modes = solve_modes(locked);
  EXPECT_EQ(modes.report.outcome, Outcome::refused);
  EXPECT_NE(modes.report.message.find("locked"), std::string::npos) << modes.report.message;
}

// A shaft of hardly any inertia bears a bob on a hinge: it hangs or stands, and the shaft may be turned.
TEST(EquilibriumStability, APositionThatMayBeTurnedIsNeutralAndCountsOnce) {
  const Equilibria found = solve_equilibrium(model(R"(
trammel: 1
gravity: [0, 0, -9.81]
bodies:
  shaft: {mass: 1, inertia: [0.01, 0.01, 1e-8]}
  bob: {mass: 1, inertia: [1e-9, 1e-9, 1e-9], at: [0.64, 0, -0.77]}
joints:
  spin: {revolute: [shaft, ground], at: [0, 0, 0], axis: [0, 0, 1]}
  tilt: {revolute: [bob, shaft], at: [0, 0, 0], axis: [0, 1, 0]}
)"),
                                             {.starts = 10});
  ASSERT_TRUE(found.report.accepted()) << found.report.message;
  ASSERT_EQ(found.found.size(), 2u);
  EXPECT_EQ(found.found[0].kind, EquilibriumKind::neutral);
  EXPECT_EQ(found.found[1].kind, EquilibriumKind::unstable);
  EXPECT_EQ(found.starts, 10);
  EXPECT_GT(found.converged, 0);
}

TEST(EquilibriumStability, ABodyThatWouldRestOnAStopHearsThatStopsAreIgnored) {
  const Mechanism falling = model(R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
bodies: {b: {mass: 1, inertia: 0.1, at: [0, 0.5]}}
joints: {g: {prismatic: [b, ground], axis: [0, 1]}}
stops: {wall: {joint: g, lower: -0.5}}
)");
  const std::string nearest = solve_equilibrium(falling).report.message;
  EXPECT_NE(nearest.find("End-stops are ignored"), std::string::npos) << nearest;
  EXPECT_NE(nearest.find("'wall'"), std::string::npos) << nearest;
  EXPECT_NE(nearest.find("nothing balances the applied forces"), std::string::npos) << nearest;
  const std::string stable = solve_equilibrium(falling, {.stable = true}).report.message;
  EXPECT_EQ(stable.find("--stable"), std::string::npos) << stable;
}

// m g l/2 cos φ = k (f − φ) has its root at −0.0450017 rad, which a stop at the start does not allow.
TEST(EquilibriumStability, AStopThatTheStartPressesOnHoldsNothing) {
  const Mechanism arm = model(R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [0.5, 0]}
bodies: {upper: {rod: [O, A], mass: 2}}
joints: {sh: {revolute: [upper, ground], at: O}}
stops: {lim: {joint: sh, lower: 0, upper: 2}}
forces: {s: {joint-spring: sh, stiffness: 20, free: 0.2}}
)");
  const double angle = -0.0450017074;
  EXPECT_NEAR(2 * 9.81 * 0.25 * std::cos(angle), 20 * (0.2 - angle), 1e-6);
  const Equilibria found = solve_equilibrium(arm);
  ASSERT_EQ(found.found.size(), 1U) << found.report.message;
  EXPECT_NEAR(found.found[0].poses[0].angle, angle, 1e-6);
  EXPECT_EQ(found.found[0].passed_stops, std::vector<std::string>{"lim"});
  const Modes modes = solve_modes(arm);
  ASSERT_EQ(modes.modes.size(), 1U) << modes.report.message;
  // I ω² = k − m g l/2 sin φ
  EXPECT_NEAR(std::norm(modes.modes[0].eigenvalue), (20 - 2 * 9.81 * 0.25 * std::sin(angle)) / (2 * 0.25 / 3),
              1e-4);
}

TEST(EquilibriumStability, ForcesThatThePotentialLeavesOutAreNamed) {
  const Equilibria found = solve_equilibrium(model(kColumn));
  EXPECT_EQ(found.no_potential, std::vector<std::string>{"load"});
}

}  // namespace
}  // namespace trammel::tests::equilibrium_stability_test
