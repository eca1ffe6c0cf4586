// Workspaces against areas by hand.
#include "trammel/analyses.h"

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
  // Its four corners are where tangents cross: on a curved side a little outside.
  long outside = 0;
  for (const Vec3& at : found.boundary[0]) {
    EXPECT_LT(at.norm(), std::sqrt(r2(0.3)) + 0.1 * found.grid);
    if (at.squaredNorm() > r2(0.3) + 1e-7) ++outside;
  }
  EXPECT_LE(outside, 4);
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
  EXPECT_THROW(static_cast<void>(solve_workspace(mechanism, options)), std::invalid_argument);
}

}  // namespace
}  // namespace trammel::tests::workspace_test
