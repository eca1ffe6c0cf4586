// Assembly branches, counted independently: by closed forms and by the real roots of one unknown.
#include "analysis/assembly_branches.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "model/models_testing.h"
#include "trammel/analyses.h"

namespace trammel::tests::assembly_branches_test {
namespace {

using analysis::BranchSearch;
using std::numbers::pi;

BranchSearch searched(const std::string& text, long starts, const std::string& coordinates = "automatic",
                      std::vector<std::string>* held = nullptr) {
  ModelInput input = read_model_text(text, "test.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  input.mechanism.plan.coordinates = coordinates;
  const analysis::DrivenStart start =
      analysis::driven_start(input.mechanism, input.mechanism.plan, analysis::Undriven::held);
  EXPECT_TRUE(start.report.accepted()) << start.report.message;
  if (held != nullptr) *held = start.held;
  BranchSearch found = analysis::find_branches(*start.simulation, starts, 1);
  for (const analysis::AssemblyBranch& one : found.branches) EXPECT_LT(one.residual, 1e-9);
  return found;
}

class BranchesIn : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, BranchesIn, testing::Values("natural", "reference", "relative"),
                         [](const auto& of) { return std::string(of.param); });

// With its crank held a four-bar has two branches, mirror images about the line from B to D.
TEST_P(BranchesIn, OfAFourBarAreTwo) {
  std::vector<std::string> held;
  const BranchSearch found = searched(R"(
trammel: 1
plane: xy
points: {A: {at: [0, 0], on: ground}, D: {at: [3.5, 0], on: ground}, B: [0.6, 0.8], C: [4, 2.9]}
bodies:
  crank: {rod: [A, B], mass: 1, length: 1}
  coupler: {rod: [B, C], mass: 1, length: 4}
  rocker: {rod: [D, C], mass: 1, length: 3}
drivers: {motor: {angle: crank, equals: 0.9272952180016122}}
)",
                                      100, GetParam(), &held);
  EXPECT_TRUE(held.empty());
  ASSERT_EQ(found.branches.size(), 2u);
  EXPECT_EQ(found.unseen, 0);
  const Vec3 BD = (Vec3(3.5, 0, 0) - Vec3(0.6, 0.8, 0)).normalized();
  std::array<double, 2> side;
  for (std::size_t k = 0; k < 2; ++k)
    side[k] = BD.cross(2 * found.branches[k].poses[2].position - 2 * Vec3(3.5, 0, 0)).z();
  EXPECT_NEAR(side[0], -side[1], 1e-9);
  // C moves most: by twice its distance from that line.
  EXPECT_EQ(found.branches[0].distance, 0);
  EXPECT_NEAR(found.branches[1].distance, 2 * std::abs(side[0]), 1e-9);
}

// The first branch is the one next to the places in the model: a setting that moves them across the line from
// B to D makes the other one the first.
TEST_P(BranchesIn, TheFirstIsNearestToThePlacesThatAreSet) {
  const std::string four_bar = R"(
trammel: 1
plane: xy
points: {A: {at: [0, 0], on: ground}, D: {at: [3.5, 0], on: ground}, B: [0.6, 0.8], C: [4, 2.9]}
bodies:
  crank: {rod: [A, B], mass: 1, length: 1}
  coupler: {rod: [B, C], mass: 1, length: 4}
  rocker: {rod: [D, C], mass: 1, length: 3}
drivers: {motor: {angle: crank, equals: 0.9272952180016122}}
)";
  const auto branches = [&](const std::vector<std::string>& settings) {
    ModelInput input = read_model_text(four_bar, "test.yaml", settings);
    for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
    input.mechanism.plan.coordinates = GetParam();
    return solve_positions(input.mechanism, {.starts = 100}).branches;
  };
  const std::vector<Positions::Branch> above = branches({}), below = branches({"points.C=[2.5, -2.8]"});
  ASSERT_EQ(above.size(), 2u);
  ASSERT_EQ(below.size(), 2u);
  EXPECT_GT(above[0].poses[2].position.y(), 0);
  EXPECT_LT(below[0].poses[2].position.y(), 0);
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_LT((above[k].poses[2].position - below[1 - k].poses[2].position).norm(), 1e-9);
}

// A 3-RPR platform with given legs: x and y follow from the differences of two circles, linear in them; the
// first circle is then one equation in the platform's angle φ, of degree 6 in tan φ/2. Its sign changes are
// counted.
TEST_P(BranchesIn, OfA3RprPlatformAreTheSixRealRoots) {
  const std::array<std::array<double, 2>, 3> A{{{0, 0}, {3.2, 0}, {1.8, 1.2}}},
      b{{{0, 0}, {2.3, 0}, {1.0, 1.9}}};
  const std::array<double, 3> l{1.71, 2.41, 2.48};
  const auto circle = [&](double phi, std::array<double, 2>* at = nullptr) {
    std::array<double, 3> x{}, y{}, z{};
    for (std::size_t i = 1; i < 3; ++i) {
      const double rx = std::cos(phi) * b[i][0] - std::sin(phi) * b[i][1] - A[i][0];
      const double ry = std::sin(phi) * b[i][0] + std::cos(phi) * b[i][1] - A[i][1];
      x[i] = 2 * rx, y[i] = 2 * ry, z[i] = l[i] * l[i] - l[0] * l[0] - rx * rx - ry * ry;
    }
    const double D = x[1] * y[2] - x[2] * y[1], X = z[1] * y[2] - z[2] * y[1], Y = x[1] * z[2] - x[2] * z[1];
    if (at != nullptr) *at = {X / D, Y / D};
    return X * X + Y * Y - l[0] * l[0] * D * D;
  };
  std::vector<double> roots;
  constexpr int kScan = 20000;
  for (int k = 0; k < kScan; ++k) {
    double from = -pi + 2 * pi * k / kScan, to = from + 2 * pi / kScan;
    if (circle(from) * circle(to) >= 0) continue;
    for (int i = 0; i < 60; ++i) {
      const double middle = (from + to) / 2;
      (circle(from) * circle(middle) <= 0 ? to : from) = middle;
    }
    roots.push_back((from + to) / 2);
  }
  ASSERT_EQ(roots.size(), 6u);
  const BranchSearch found = searched(R"(
trammel: 1
plane: xy
points:
  A1: {at: [0, 0], on: ground}
  A2: {at: [3.2, 0], on: ground}
  A3: {at: [1.8, 1.2], on: ground}
  P1: [0.5, 1.6]
  P2: [2.8, 1.6]
  P3: [1.5, 3.5]
bodies:
  platform: {mass: 1, inertia: 1, com: [1, 0.6], at: P1, carries: {P1: [0, 0], P2: [2.3, 0], P3: [1.0, 1.9]}}
drivers:
  leg1: {distance: [A1, P1], equals: 1.71}
  leg2: {distance: [A2, P2], equals: 2.41}
  leg3: {distance: [A3, P3], equals: 2.48}
)",
                                      400, GetParam());
  ASSERT_EQ(found.branches.size(), 6u);
  EXPECT_TRUE(std::ranges::is_sorted(found.branches, {}, &analysis::AssemblyBranch::distance));
  for (const double phi : roots) {
    std::array<double, 2> at{};
    circle(phi, &at);
    bool met = false;
    for (const analysis::AssemblyBranch& one : found.branches) {
      const Vec3 P1 = one.poses[0].position - one.poses[0].axes * Vec3(1, 0.6, 0);
      met = met || (std::hypot(P1.x() - at[0], P1.y() - at[1]) < 1e-8 &&
                    std::abs(std::remainder(one.poses[0].angle - phi, 2 * pi)) < 1e-8);
    }
    EXPECT_TRUE(met) << phi;
  }
}

// A Gough–Stewart platform whose legs meet in pairs at three points of the platform and of the base. Each
// platform point moves on a circle about a side of the base; from the angle of the first, those of the others
// follow in closed form with two signs each, and the third side is one equation, whose sign changes are
// counted.
class ThreeThreePlatform {
 public:
  using Point = std::array<double, 3>;
  static constexpr std::array<Point, 3> kBase{{{0, 0, 0}, {2, 0, 0}, {1, 1.7, 0}}};
  // Legs from the point to both ends of its side of the base; sides of the platform 01, 12, 20.
  static constexpr std::array<std::array<double, 2>, 3> kLegs{{{1.86, 1.17}, {1.2, 2.1}, {1.52, 1.19}}};
  static constexpr std::array<double, 3> kSides{1.42, 1.35, 1.36};

  static Point at(std::size_t i, double angle) {
    const Point &a = kBase[i], &b = kBase[(i + 1) % 3];
    const double d = std::hypot(b[0] - a[0], b[1] - a[1]), ux = (b[0] - a[0]) / d, uy = (b[1] - a[1]) / d;
    const double x = (kLegs[i][0] * kLegs[i][0] - kLegs[i][1] * kLegs[i][1] + d * d) / (2 * d);
    const double r = std::sqrt(kLegs[i][0] * kLegs[i][0] - x * x);
    return {a[0] + x * ux + r * std::cos(angle) * uy, a[1] + x * uy - r * std::cos(angle) * ux,
            r * std::sin(angle)};
  }
  static double distance(const Point& a, const Point& b) {
    return std::hypot(std::hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
  }
  // |at(i, angle) − P|² = c + p cos + q sin, from three values.
  static std::optional<double> angle_at(std::size_t i, const Point& P, double side, double sign) {
    const auto square = [&](double angle) { return std::pow(distance(at(i, angle), P), 2); };
    const double c = (square(0) + square(pi)) / 2, p = (square(0) - square(pi)) / 2, q = square(pi / 2) - c;
    const double h = std::hypot(p, q), cosine = (side * side - c) / h;
    if (std::abs(cosine) > 1) return std::nullopt;
    return std::atan2(q, p) + sign * std::acos(cosine);
  }
  static int real_solutions() {
    int count = 0;
    constexpr int kScan = 40000;
    for (const double first : {1.0, -1.0})
      for (const double second : {1.0, -1.0}) {
        std::optional<double> before;
        for (int k = 0; k <= kScan; ++k) {
          const Point P = at(0, -pi + 2 * pi * k / kScan + 1e-6);
          const auto one = angle_at(1, P, kSides[0], first), other = angle_at(2, P, kSides[2], second);
          std::optional<double> now;
          if (one && other) now = distance(at(1, *one), at(2, *other)) - kSides[1];
          if (now && before && *now * *before < 0) ++count;
          before = now;
        }
      }
    return count;
  }
};

TEST(Branches, OfAGoughStewartPlatformAreItsRealSolutions) {
  EXPECT_EQ(ThreeThreePlatform::real_solutions(), 12);
  const BranchSearch found = searched(R"(
trammel: 1
points:
  B0: {at: [0, 0, 0], on: ground}
  B1: {at: [2, 0, 0], on: ground}
  B2: {at: [1, 1.7, 0], on: ground}
  P0: [1.2, 0.2, 1]
  P1: [1.9, 1.1, 1]
  P2: [0.5, 1.2, 1]
parameters: {x: (1.42^2 + 1.36^2 - 1.35^2)/(2*1.42)}
bodies:
  platform:
    mass: 1
    inertia: [1, 1, 1]
    com: [0.7, 0.4, 0]
    at: P0
    carries: {P0: [0, 0, 0], P1: [1.42, 0, 0], P2: [x, sqrt(1.36^2 - x^2), 0]}
drivers:
  l1: {distance: [B0, P0], equals: 1.86}
  l2: {distance: [B1, P0], equals: 1.17}
  l3: {distance: [B1, P1], equals: 1.2}
  l4: {distance: [B2, P1], equals: 2.1}
  l5: {distance: [B2, P2], equals: 1.52}
  l6: {distance: [B0, P2], equals: 1.19}
)",
                                      1500);
  EXPECT_EQ(found.branches.size(), 12u);
  EXPECT_EQ(found.starts, 1500);
  // The base is a plane of symmetry: each position has its mirror image.
  double height = 0;
  for (const analysis::AssemblyBranch& one : found.branches) height += one.poses[0].position.z();
  EXPECT_NEAR(height, 0, 1e-7);
}

// A platform over a straight base: the sum of the outer circles, d1² + d3² = 2 d2² + 1.6 − 1.28 cos φ, has
// two roots ±φ; their difference makes the middle leg perpendicular to a given line, above or below the base.
TEST_P(BranchesIn, OfAPlatformLieOnBothSidesOfItsBase) {
  const BranchSearch found = searched(R"(
trammel: 1
plane: xy
bodies:
  plat: {mass: 1, inertia: 0.1, at: [0, 1], points: {p1: [-0.4, 0], p2: [0, 0], p3: [0.4, 0]}}
joints:
  d1: {distance: [{body: ground, at: [-0.8, 0]}, plat.p1]}
  d2: {distance: [{body: ground, at: [0, 0]}, plat.p2], length: 0.99}
  d3: {distance: [{body: ground, at: [0.8, 0]}, plat.p3]}
)",
                                      kUntilSettled, GetParam());
  ASSERT_EQ(found.branches.size(), 4u);
  Vec3 sum = Vec3::Zero();
  for (const analysis::AssemblyBranch& one : found.branches) {
    sum += one.poses[0].position;
    EXPECT_NEAR(0.8 - 0.64 * std::cos(one.poses[0].angle), 1.16 - 0.99 * 0.99, 1e-9);
  }
  EXPECT_LT(sum.norm(), 1e-9);
}

// Dietmaier's platform (1998): 40 real positions, as many as the equations have solutions at all (Ronga &
// Vust, Raghavan), so that 40 different ones are all. The legs of each are measured again from its pose.
TEST(Branches, OfDietmaiersPlatformAreForty) {
  const std::array<Vec3, 6> base{{{0, 0, 0},
                                  {1.107915, 0, 0},
                                  {0.549094, 0.756063, 0},
                                  {0.735077, -0.223935, 0.525991},
                                  {0.514188, -0.526063, -0.368418},
                                  {0.590473, 0.094733, -0.205018}}},
      platform{{{0, 0, 0},
                {0.542805, 0, 0},
                {0.956919, -0.528915, 0},
                {0.665885, -0.353482, 1.402538},
                {0.478359, 1.158742, 0.107672},
                {-0.137087, -0.235121, 0.353913}}};
  const std::array<double, 6> legs{1, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071};
  const ModelInput input =
      read_model(std::string(kSourceDir) + "/papers/benchmarks/models/dietmaier-platform.yaml");
  ASSERT_TRUE(input);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const analysis::DrivenStart start =
        analysis::driven_start(input.mechanism, input.mechanism.plan, analysis::Undriven::held);
    ASSERT_TRUE(start.report.accepted()) << start.report.message;
    const BranchSearch found = analysis::find_branches(*start.simulation, kUntilSettled, seed);
    EXPECT_EQ(found.branches.size(), 40u) << seed;
    EXPECT_LT(found.starts, analysis::kMostStarts);
    for (const analysis::AssemblyBranch& one : found.branches) {
      EXPECT_GE(one.hits, analysis::kEnoughHits);
      const Pose& pose = one.poses[0];
      EXPECT_GT(pose.axes.determinant(), 0);
      for (std::size_t k = 0; k < 6; ++k) {
        const Vec3 at = pose.position + pose.axes * (platform[k] - input.mechanism.bodies[0].com);
        EXPECT_NEAR((at - base[k]).norm(), legs[k], 1e-9) << k;
      }
    }
    // Different: no two within a thousandth.
    for (std::size_t i = 0; i < found.branches.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const Pose &a = found.branches[i].poses[0], &b = found.branches[j].poses[0];
        EXPECT_GT((a.position - b.position).norm() + (a.axes - b.axes).norm(), 1e-3);
      }
  }
}

// What nothing drives is held where it starts.
TEST_P(BranchesIn, FreedomsThatNothingDrivesAreHeld) {
  std::vector<std::string> held;
  const BranchSearch found = searched(R"(
trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [1, 1]}
bodies: {upper: {rod: [O, A], mass: 1}, lower: {rod: [A, B], mass: 1}}
)",
                                      20, GetParam(), &held);
  EXPECT_EQ(held.size(), 2u);
  ASSERT_EQ(found.branches.size(), 1u);
  EXPECT_NEAR(found.branches[0].poses[1].position.y(), 0.5, 1e-12);
}

}  // namespace
}  // namespace trammel::tests::assembly_branches_test
