// Workspaces against areas by hand.
#include "trammel/analyses.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/models_testing.h"

namespace trammel::tests::workspace_test {
namespace {

using std::numbers::pi;

Workspace found_of(const std::string& text, const std::string& point,
                   const std::string& coordinates = "automatic") {
  ModelInput input = read_model_text(text, "test.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  input.mechanism.plan.coordinates = coordinates;
  WorkspaceOptions options;
  options.point = point;
  Workspace found = solve_workspace(input.mechanism, options);
  EXPECT_TRUE(found.report.accepted()) << found.report.message;
  EXPECT_TRUE(found.covered);
  return found;
}

std::string two_links(double a, double b, const std::string& rest = "") {
  return "trammel: 1\nplane: xy\npoints: {O: {at: [0, 0], on: ground}, A: [" + std::to_string(a) +
         ", 0], P: [" + std::to_string(a + b * 0.6) + ", " + std::to_string(b * 0.8) +
         "]}\nbodies: {first: {rod: [O, A], mass: 1}, second: {rod: [A, P], mass: 1}}\n" + rest;
}

class WorkspaceIn : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, WorkspaceIn, testing::Values("natural", "reference", "relative"),
                         [](const auto& of) { return std::string(of.param); });

// Two links reach a ring: π((a + b)² − (a − b)²) = 4π a b.
TEST_P(WorkspaceIn, OfTwoLinksIsARing) {
  const double a = 1, b = 0.6;
  const Workspace found = found_of(two_links(a, b), "P", GetParam());
  EXPECT_EQ(found.freedoms, 2);
  EXPECT_EQ(found.branches, 1);
  ASSERT_EQ(found.boundary.size(), 2u);
  EXPECT_EQ(found.rough, 0);
  for (const auto& loop : found.boundary)
    for (const Vec3& at : loop) {
      const double r = at.head<2>().norm();
      EXPECT_NEAR(r, r > 1 ? a + b : a - b, 1e-8);
    }
  EXPECT_NEAR(found.area.value(), 4 * pi * a * b, std::max(1e-7, found.area_error));
  EXPECT_LT(found.area_error, 1e-5);
}

// Limits of both joints, the elbow bent to one side: ½(r₂² − r₁²) times the first joint's range, for r² = a²
// + b² + 2ab cos ψ falls with ψ and both boundaries turn with the first joint.
TEST(WorkspaceOf, TwoLinksWithStopsIsASector) {
  const Workspace found = found_of(two_links(1, 0.6, R"(
stops:
  shoulder: {joint: O, lower: -0.5, upper: 1}
  elbow: {joint: A, lower: -2, upper: -0.3}
)"),
                                   "P");
  const auto r2 = [](double psi) { return 1 + 0.36 + 1.2 * std::cos(psi); };
  EXPECT_NEAR(found.area.value(), 0.5 * (r2(0.3) - r2(2)) * 1.5, found.area_error);
  EXPECT_LT(found.area_error, 1e-3);
  ASSERT_EQ(found.boundary.size(), 1u);
  EXPECT_GT(found.refined, 9 * found.rough);
  for (const Vec3& at : found.boundary[0]) EXPECT_LT(at.squaredNorm(), r2(0.3) + 1e-7);
}

void expect_area(const Workspace& found, double area, double error) {
  EXPECT_NEAR(found.area.value(), area, std::max(1e-9, found.area_error));
  EXPECT_LT(found.area_error, error);
}

// The largest distance of a corner from the boundary's points.
double farthest(const Workspace& found, const std::vector<Vec3>& corners) {
  double most = 0;
  for (const Vec3& corner : corners) {
    double least = INFINITY;
    for (const auto& loop : found.boundary)
      for (const Vec3& at : loop) least = std::min(least, (at - corner).norm());
    most = std::max(most, least);
  }
  return most;
}

// Links of 1 m and 0.6 m, from the middle of their ranges: the lower one turns by `elbow` from the upper one.
std::string robot_arm(double shoulder_from, double shoulder_to, double elbow_from, double elbow_to) {
  return fmt::format(R"(
trammel: 1
plane: xy
bodies:
  upper: {{mass: 1, inertia: 1, points: {{h: [1, 0]}}}}
  lower: {{mass: 1, inertia: 1, at: [1, 0], points: {{tip: [0.6, 0]}}}}
joints:
  sh: {{revolute: [upper, ground], at: [0, 0]}}
  el: {{revolute: [lower, upper], at: [1, 0]}}
initial: {{sh: {{angle: {}}}, el: {{angle: {}}}}}
stops:
  s: {{joint: sh, lower: {}, upper: {}}}
  e: {{joint: el, lower: {}, upper: {}}}
)",
                     (shoulder_from + shoulder_to) / 2, (elbow_from + elbow_to) / 2, shoulder_from,
                     shoulder_to, elbow_from, elbow_to);
}

// A stop that coincides with the stretched or the folded position: there an arc about the elbow and a circle
// about the shoulder touch. The area is that of a sector, a b (cos ψ₁ − cos ψ₂) times the shoulder's range.
TEST(WorkspaceOf, AnArmWhoseStopsAreStretchedAndFoldedEndsInCusps) {
  const struct {
    double from, to, elbow_from, elbow_to;
  } arms[] = {{0, pi / 2, 0, pi}, {-1.5, 1.5, 0, 2.7}, {-2, 2, -2.5, 0}};
  for (const auto& arm : arms) {
    const Workspace found = found_of(robot_arm(arm.from, arm.to, arm.elbow_from, arm.elbow_to), "lower.tip");
    ASSERT_EQ(found.boundary.size(), 1u) << arm.from;
    expect_area(
        found, 0.6 * std::abs(std::cos(arm.elbow_from) - std::cos(arm.elbow_to)) * (arm.to - arm.from), 1e-3);
    // The elbow bends away from the end of the shoulder's range on this side.
    const double end = arm.elbow_to > 0 ? arm.from : arm.to;
    EXPECT_LT(farthest(found, {1.6 * Vec3(std::cos(end), std::sin(end), 0)}), 1e-6) << arm.from;
  }
}

// The shoulder turns nearly all around: between its stops a gap is left that narrows below a cell.
TEST(WorkspaceOf, AGapNarrowerThanACellIsInTheError) {
  const Workspace found = found_of(robot_arm(0, 6.2, -2, 0), "lower.tip");
  expect_area(found, 0.6 * (1 - std::cos(2)) * 6.2, 0.03);
}

// The circle of the elbow's stop and the arcs at the shoulder's meet at less than 0.2 rad.
TEST(WorkspaceOf, AnObtuseCornerIsExact) {
  const Workspace found = found_of(robot_arm(-1, 1, 0.3, 2), "lower.tip");
  expect_area(found, 0.6 * (std::cos(0.3) - std::cos(2)) * 2, 1e-6);
}

// An arm of 1 m on a cart: its circle touches the straight line that it draws at right angles to the rail.
TEST(WorkspaceOf, AnArmOnACartEndsInCusps) {
  const auto cart = [](double way, double from, double to) {
    return fmt::format(R"(
trammel: 1
plane: xy
bodies:
  cart: {{mass: 1, inertia: 1}}
  arm: {{mass: 1, inertia: 1, points: {{tip: [1, 0]}}}}
joints:
  x: {{prismatic: [cart, ground], at: [0, 0], axis: [1, 0]}}
  r: {{revolute: [arm, cart], at: [0, 0]}}
stops:
  sr: {{joint: r, lower: {} deg, upper: {} deg}}
  sx: {{joint: x, lower: -{} m, upper: {} m}}
)",
                       from, to, way, way);
  };
  const Workspace quarter = found_of(cart(1, 0, 90), "arm.tip");
  expect_area(quarter, 2, 1e-3);
  EXPECT_LT(farthest(quarter, {{-1, 1, 0}, {0, 0, 0}, {2, 0, 0}}), 1e-6);
  const Workspace half = found_of(cart(0.5, -90, 90), "arm.tip");
  expect_area(half, 2, 1e-6);
  EXPECT_LT(farthest(half, {{-0.5, 1, 0}, {-0.5, -1, 0}}), 1e-6);
}

// Two limits hold back three freedoms. A rectangle of 2 m by 1 m is moved along a quarter of a circle: what
// it gains outside the chord it loses inside.
TEST(WorkspaceOf, AGantryWithAnArmHasTwoJointsAtTheirStops) {
  const Workspace found = found_of(R"(
trammel: 1
plane: xy
bodies:
  bridge: {mass: 1, inertia: 1}
  trolley: {mass: 1, inertia: 1}
  arm: {mass: 1, inertia: 1, points: {tip: [1, 0]}}
joints:
  x: {prismatic: [bridge, ground], at: [0, 0], axis: [1, 0]}
  y: {prismatic: [trolley, bridge], at: [0, 0], axis: [0, 1]}
  r: {revolute: [arm, trolley], at: [0, 0]}
stops:
  sx: {joint: x, lower: -1 m, upper: 1 m}
  sy: {joint: y, lower: -0.5 m, upper: 0.5 m}
  sr: {joint: r, lower: 0, upper: 90 deg}
)",
                                   "arm.tip");
  expect_area(found, 5, 0.05);
  EXPECT_EQ(found.boundary.size(), 1u);
}

std::string five_bar(const std::string& points, double left, double right, const std::string& rest = "") {
  return fmt::format(R"(
trammel: 1
plane: xy
points: {{A: {{at: [-0.5, 0], on: ground}}, D: {{at: [0.5, 0], on: ground}}, {}}}
bodies:
  left: {{rod: [A, B], mass: 1, length: 1}}
  one: {{rod: [B, P], mass: 1, length: {}}}
  two: {{rod: [C, P], mass: 1, length: {}}}
  right: {{rod: [D, C], mass: 1, length: {}}}
{})",
                     points, left, right, right == 2 ? 2.0 : 1.0, rest);
}

// Each leg of a symmetric five-bar reaches a ring of the radii 1 ± 0.6 m: both reach what two discs of the
// larger have in common, less the two holes.
TEST(WorkspaceOf, ASymmetricFiveBarIsALensWithHoles) {
  const Workspace found =
      found_of(five_bar("B: [-0.9, 0.9165], C: [0.9, 0.9165], P: [0, 1.2]", 0.6, 0.6), "P");
  const double R = 1.6, hole = 0.4;
  const double lens = 2 * R * R * std::acos(0.5 / R) - 0.5 * std::sqrt(4 * R * R - 1);
  EXPECT_EQ(found.boundary.size(), 3u);
  expect_area(found, lens - 2 * pi * hole * hole, 1e-3);
}

// The second leg reaches wherever the first does, whose stops are stretched and folded.
TEST(WorkspaceOf, AFiveBarWithStopsEndsInCusps) {
  const Workspace found =
      found_of(five_bar("B: [0.2071, 0.7071], C: [0.0104, 1.9392], P: [0.6314, 0.2828]", 0.6, 2, R"(stops:
  s: {joint: A, lower: 0, upper: 90 deg}
  e: {joint: B, lower: 0, upper: 180 deg}
)"),
               "P");
  ASSERT_EQ(found.boundary.size(), 1u);
  expect_area(found, 0.6 * pi, 1e-3);
  EXPECT_LT(farthest(found, {{-0.5, 1.6, 0}, {-0.5, 0.4, 0}}), 1e-6);
}

// One freedom draws a curve; the branches of a crank-rocker are not connected.
TEST(WorkspaceOf, ACrankRockerIsTwoCurves) {
  const Workspace found = found_of(R"(
trammel: 1
plane: xy
points: {A: {at: [0, 0], on: ground}, D: {at: [3.5, 0], on: ground}, B: [1, 0.1], C: [4, 2.9]}
bodies:
  crank: {rod: [A, B], mass: 1, length: 1}
  coupler: {rod: [B, C], mass: 1, length: 4}
  rocker: {rod: [D, C], mass: 1, length: 3}
)",
                                   "C");
  EXPECT_EQ(found.freedoms, 1);
  EXPECT_EQ(found.branches, 2);
  EXPECT_EQ(found.area, 0);
  for (const Workspace::Place& one : found.points) {
    EXPECT_NEAR((one.at - Vec3(3.5, 0, 0)).norm(), 3, 1e-9);
    EXPECT_EQ(one.at.y() > 0, found.points[0].at.y() > 0 ? one.branch == 0 : one.branch == 1);
  }
}

// Three links of a chain reach a disc.
TEST(WorkspaceOf, ThreeLinksIsADisc) {
  const Workspace found = found_of(R"(
trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [1, 0.8], P: [1.5, 0.8]}
bodies: {first: {rod: [O, A], mass: 1}, second: {rod: [A, B], mass: 1}, third: {rod: [B, P], mass: 1}}
)",
                                   "P");
  EXPECT_EQ(found.freedoms, 3);
  ASSERT_EQ(found.boundary.size(), 1u);
  EXPECT_NEAR(found.area.value(), pi * 2.3 * 2.3, 5e-3);
}

TEST(WorkspaceOf, SamplesTooFarApartAreRefused) {
  const Mechanism arm = read_model(std::string(kSourceDir) + "/models/double-pendulum.yaml").mechanism;
  for (const double spacing : {-1.0, 0.7, 10.0})
    EXPECT_THROW(solve_workspace(arm, {.spacing = spacing}), std::invalid_argument) << spacing;
  EXPECT_THROW(solve_workspace(arm, {.most = 0}), std::invalid_argument);
}

TEST(WorkspaceOf, APointThatIsNotThereIsTold) {
  const Mechanism mechanism = model("double-pendulum");
  WorkspaceOptions options;
  options.point = "Q";
  EXPECT_THROW(static_cast<void>(solve_workspace(mechanism, options)), std::invalid_argument);
  options.point = "O";
  try {
    static_cast<void>(solve_workspace(mechanism, options));
    ADD_FAILURE() << "a point of ground has no workspace";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "point 'O' is fixed to ground; give one of: A, B, upper.com, lower.com");
  }
}

}  // namespace
}  // namespace trammel::tests::workspace_test
