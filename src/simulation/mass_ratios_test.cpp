// Light bodies between heavy ones, massless mechanisms, and mechanisms far from the origin: none of them is a
// singular position, and no step is marked.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::mass_ratios_test {
namespace {

RunResult run_text(const std::string& text, const std::vector<std::string>& settings = {}) {
  const Mechanism mechanism = read_model_text("trammel: 1\n" + text, "mass_ratios.yaml", settings).value();
  Simulation simulation(mechanism, mechanism.plan);
  return run(simulation);
}

void expect_unmarked(const RunSummary& summary) {
  EXPECT_LE(summary.status, RunStatus::limited) << summary.message;
  EXPECT_TRUE(summary.marked_steps.empty())
      << summary.marked_steps.size() << " marks, the first: " << summary.marked_steps.front().reason;
}

const std::string kCylinder = R"(
plane: xy
gravity: [0, -9.81]
parameters: {mc: 0.1}
points:
  O: {at: [0, 0], on: ground}
  C: {at: [0, -1], on: ground}
  D: [1, 0]
bodies:
  boom: {mass: 1000 kg, inertia: 500, com: [2, 0], carries: [O, D]}
  cyl: {mass: mc, inertia: mc*0.1, at: C, angle: 45 deg, com: [0.3, 0], carries: [C]}
  pis: {mass: mc, inertia: mc*0.1, at: D, angle: 45 deg, com: [-0.3, 0], carries: [D]}
joints:
  s: {prismatic: [pis, cyl], axis: [1, 1], at: D}
drivers:
  ram: {joint: s, equals: 0.2*sin(t)}
simulate: {duration: 0.5 s, step: 1 ms}
)";

class MassRatioCylinder : public testing::TestWithParam<double> {};

// A boom on a hydraulic cylinder of length L(t) = √2 + 0.2 sin t: its angle φ to the vertical has
// cos φ = 1 − L²/2, and the cylinder's force is (J φ̈ + 2 m g sin φ) dφ/dL.
TEST_P(MassRatioCylinder, LiftsAHeavyBoom) {
  const double mc = GetParam();
  const RunResult result = run_text(kCylinder, {fmt::format("parameters.mc={}", mc)});
  expect_unmarked(result.summary);
  const std::vector<double> t = result.trajectory.column("t"), force = result.trajectory.column("ram.effort");
  ASSERT_EQ(t.size(), 501u);
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double L = std::sqrt(2.0) + 0.2 * std::sin(t[i]), L_t = 0.2 * std::cos(t[i]),
                 L_tt = -0.2 * std::sin(t[i]), phi = std::acos(1 - 0.5 * L * L);
    const double phi_L = L / std::sin(phi),
                 phi_LL = (1 - L * std::cos(phi) / std::sin(phi) * phi_L) / std::sin(phi),
                 phi_tt = phi_L * L_tt + phi_LL * L_t * L_t;
    const double expected = (4500 * phi_tt + 2 * 9810 * std::sin(phi)) * phi_L;
    // The closed form leaves out the cylinder's own weight and inertia.
    EXPECT_NEAR(std::abs(force[i]), expected, 1e-7 * expected + 20 * mc) << t[i];
  }
}

// By tolerance, where rows lie within steps, in every kind of coordinates.
TEST_P(MassRatioCylinder, LiftsAHeavyBoomByTolerance) {
  for (const char* coordinates : {"natural", "reference", "relative"}) {
    SCOPED_TRACE(coordinates);
    Mechanism mechanism = read_model_text("trammel: 1\n" + kCylinder, "mass_ratios.yaml",
                                          {fmt::format("parameters.mc={}", GetParam())})
                              .value();
    Plan plan = mechanism.plan;
    plan.step = 0;
    plan.tolerance = 1e-6;
    plan.coordinates = coordinates;
    Simulation simulation(mechanism, plan);
    const RunResult result = run(simulation);
    expect_unmarked(result.summary);
    EXPECT_LT(result.summary.violation.position, 1e-11);
    const std::vector<double> t = result.trajectory.column("t"), x = result.trajectory.column("D.x"),
                              y = result.trajectory.column("D.y");
    for (std::size_t i = 0; i < t.size(); ++i)
      EXPECT_NEAR(std::hypot(x[i], y[i] + 1), std::sqrt(2.0) + 0.2 * std::sin(t[i]), 1e-10);
  }
}

INSTANTIATE_TEST_SUITE_P(Masses, MassRatioCylinder, testing::Values(10.0, 1.0, 0.1, 1e-3, 1e-4));

class MassRatioCoordinates : public testing::TestWithParam<std::string> {};

// A tonne on ten rods of a gram each, hoisted by y = 0.1 sin 5t: the winch carries m (g + ÿ).
TEST_P(MassRatioCoordinates, ALightChainHoistsAHeavyLoad) {
  const RunResult result = run_text(R"(
plane: xy
gravity: [0, -9.81]
parameters: {N: 10, mr: 0.001, M: 1000}
points:
  P0: [0, 0]
  "P{i}": {for: {i: 1..N}, at: [0, -0.5*i]}
bodies:
  hook: {point: P0, mass: mr}
  "r{i}": {for: {i: 1..N}, rod: ["P{i-1}", "P{i}"], mass: mr}
  load: {point: P10, mass: M}
drivers:
  winch: {position: P0, equals: [0, 0.1*sin(5*t)]}
simulate: {duration: 0.5 s, step: 1 ms}
)",
                                    {"simulate.coordinates=" + GetParam()});
  expect_unmarked(result.summary);
  const std::vector<double> t = result.trajectory.column("t"),
                            force = result.trajectory.column("winch.force.y");
  ASSERT_EQ(t.size(), 501u);
  for (std::size_t i = 0; i < t.size(); ++i)
    EXPECT_NEAR(std::abs(force[i]), 1000.011 * (9.81 - 2.5 * std::sin(5 * t[i])), 1e-3) << t[i];
}

INSTANTIATE_TEST_SUITE_P(All, MassRatioCoordinates, testing::Values("natural", "reference"),
                         [](const auto& test) { return test.param; });

std::string vector_text(const Vec3& v) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v.x(), v.y(), v.z());
}

// Six legs in three mirrored pairs between circles of radius 2 m and 1 m.
std::string stewart_platform(double leg_mass) {
  std::string points, legs, joints, drivers, carried;
  for (int i = 0; i < 6; ++i) {
    const double pair = i / 2 * 2 * M_PI / 3, side = i % 2 == 0 ? -1 : 1;
    const double a = pair + side * M_PI / 9, b = pair + side * 2 * M_PI / 9;
    const Vec3 base(2 * std::cos(a), 2 * std::sin(a), 0), top(std::cos(b), std::sin(b), 2);
    const Vec3 along = (top - base).normalized(), first = along.cross(Vec3::UnitZ()).normalized(),
               second = along.cross(first);
    points +=
        fmt::format("  B{0}: {{at: {1}, on: ground}}\n  P{0}: {2}\n", i, vector_text(base), vector_text(top));
    carried += fmt::format("{}P{}", i > 0 ? ", " : "", i);
    const std::string body = fmt::format("mass: {0}, inertia: [{1}, {1}, {1}]", leg_mass, 0.1 * leg_mass);
    legs +=
        fmt::format("  c{0}: {{{1}, at: {2}, carries: [B{0}]}}\n  p{0}: {{{1}, at: {3}, carries: [P{0}]}}\n",
                    i, body, vector_text(base + 0.5 * along), vector_text(top - 0.5 * along));
    joints += fmt::format(
        "  u{0}: {{universal: [c{0}, ground], at: B{0}, axes: [{1}, {2}]}}\n"
        "  s{0}: {{prismatic: [p{0}, c{0}], axis: {3}, at: P{0}}}\n",
        i, vector_text(first), vector_text(second), vector_text(along));
    drivers += fmt::format("  d{0}: {{joint: s{0}, equals: 0.1*sin(t)}}\n", i);
  }
  return "gravity: [0, 0, -9.81]\npoints:\n" + points +
         "bodies:\n  platform: {mass: 1000, inertia: [300, 300, 500], at: [0, 0, 2], carries: [" + carried +
         "]}\n" + legs + "joints:\n" + joints + "drivers:\n" + drivers +
         "simulate: {duration: 0.2 s, step: 1 ms}\n";
}

// All legs stretch alike, L = L₀ + 0.1 sin t, so that the platform only rises: z² = L² − r², and each leg
// carries m (g + z̈) L/(6 z).
TEST(MassRatios, AStewartPlatformOnLightLegs) {
  const RunResult result = run_text(stewart_platform(1e-3));
  expect_unmarked(result.summary);
  const double turned = M_PI / 9, r2 = 4 + 1 - 4 * std::cos(turned), L0 = std::sqrt(r2 + 4);
  const std::vector<double> t = result.trajectory.column("t");
  ASSERT_EQ(t.size(), 201u);
  for (const char* leg : {"d0", "d3", "d5"}) {
    const std::vector<double> force = result.trajectory.column(std::string(leg) + ".effort");
    for (std::size_t i = 0; i < t.size(); ++i) {
      const double L = L0 + 0.1 * std::sin(t[i]), L_t = 0.1 * std::cos(t[i]), L_tt = -0.1 * std::sin(t[i]);
      const double z = std::sqrt(L * L - r2), z_t = L * L_t / z,
                   z_tt = (L_t * L_t + L * L_tt - z_t * z_t) / z;
      const double expected = 1000 * (9.81 + z_tt) * L / (6 * z);
      EXPECT_NEAR(std::abs(force[i]), expected, 0.05) << t[i];  // the legs' own weight
    }
  }
}

// A light chain that swings vibrates faster than the step follows: such steps are taken in halves.
TEST(MassRatios, ALightChainSwingsAHeavyLoad) {
  const RunResult result = run_text(R"(
plane: xy
gravity: [0, -9.81]
points:
  P0: {at: [0, 0], on: ground}
  "P{i}": {for: {i: 1..10}, at: [0.5*i, 0]}
bodies:
  "r{i}": {for: {i: 1..10}, rod: ["P{i-1}", "P{i}"], mass: 0.01}
  load: {point: P10, mass: 1000}
simulate: {duration: 1.5 s, step: 1 ms}
)");
  expect_unmarked(result.summary);
  EXPECT_LT(result.summary.energy_drift, 0.1);  // of 4.9e4 J
  // The load is a pendulum of 5 m.
  const std::vector<double> x = result.trajectory.column("P10.x"), y = result.trajectory.column("P10.y");
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(std::hypot(x[i], y[i]), 5, 0.01);
}

// The pole's mass falls freely until the pole stands upright, and bounces within a microsecond: no step of
// 1 ms follows that. The message names no constraint that is closed.
TEST(MassRatios, AStepThatFailsBlamesNoClosedConstraint) {
  const RunResult result = run_text(R"(
plane: xy
gravity: [0, -9.81]
points:
  C: [0, 0]
  B: [1, 0]
bodies:
  cart: {point: C, mass: 1e-6}
  pole: {rod: [C, B], mass: 0}
  bob:  {point: B, mass: 1}
joints:
  rail: {point-on-line: C, through: [0, 0], along: [1, 0]}
simulate: {duration: 0.6 s, step: 1 ms}
)");
  EXPECT_EQ(result.summary.status, RunStatus::failed);
  EXPECT_NE(result.summary.message.find("a tolerance, which chooses the steps"), std::string::npos)
      << result.summary.message;
  for (const char* closed : {"e-11 of its size", "e-12 of", "e-13 of", "e-14 of", "e-15 of", "e-16 of"})
    EXPECT_EQ(result.summary.message.find(closed), std::string::npos) << result.summary.message;
}

const std::string kFourBar = R"(
plane: xy
gravity: [0, -9.81]
parameters: {X: 0}
points:
  A: {at: [X, 0], on: ground}
  D: {at: [X+3, 0], on: ground}
  B: [X+0.5, 1]
  C: [X+3, 2]
bodies:
  crank: {rod: [A, B], mass: 1}
  coupler: {rod: [B, C], mass: 3}
  rocker: {rod: [D, C], mass: 2}
simulate: {duration: 1 s, step: 1 ms}
)";

// A million metres from the origin positions are known to 1e-10 m, and constraints close to that.
TEST_P(MassRatioCoordinates, AFourBarFarFromTheOrigin) {
  const std::string coordinates = "simulate.coordinates=" + GetParam();
  const RunResult near = run_text(kFourBar, {coordinates});
  const RunResult far = run_text(kFourBar, {coordinates, "parameters.X=1e6"});
  expect_unmarked(near.summary);
  expect_unmarked(far.summary);
  EXPECT_LT(near.summary.violation.position, 1e-11);
  EXPECT_LT(far.summary.violation.position, 1e-8);
  const std::vector<double> y = near.trajectory.column("C.y"), far_y = far.trajectory.column("C.y"),
                            force = near.trajectory.column("D.force.y"),
                            far_force = far.trajectory.column("D.force.y");
  ASSERT_EQ(y.size(), far_y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_NEAR(far_y[i], y[i], 1e-7);
    EXPECT_NEAR(far_force[i], force[i], 1e-5);
  }
}

// Kinematics alone: no body has a mass, and no reaction is anything but zero.
TEST_P(MassRatioCoordinates, AMechanismWithoutMass) {
  const RunResult result = run_text(R"(
plane: xy
points:
  A: {at: [0, 0], on: ground}
  D: {at: [3, 0], on: ground}
  B: [0, 1]
  C: [3, 2]
bodies:
  crank: {rod: [A, B], mass: 0}
  coupler: {rod: [B, C], mass: 0}
  rocker: {rod: [D, C], mass: 0}
joints:
  pin: {revolute: [crank, ground], at: A}
drivers:
  turn: {angle: pin, equals: "2*t"}
simulate: {duration: 3 s, step: 1 ms}
)",
                                    {"simulate.coordinates=" + GetParam()});
  expect_unmarked(result.summary);
}

}  // namespace
}  // namespace trammel::tests::mass_ratios_test
