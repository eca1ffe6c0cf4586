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

// The force of the cylinder, of length L(t) = √2 + 0.2 sin t: F L̇ = d(T + V)/dt. The boom's angle φ to the
// vertical has cos φ = 1 − L²/2, the cylinder's is ψ = (π − φ)/2.
double ram_force(double t, double mc) {
  const double L = std::sqrt(2.0) + 0.2 * std::sin(t), L_t = 0.2 * std::cos(t), L_tt = -0.2 * std::sin(t);
  const double phi = std::acos(1 - 0.5 * L * L), phi_L = L / std::sin(phi),
               phi_LL = (1 - L * std::cos(phi) / std::sin(phi) * phi_L) / std::sin(phi);
  const double phi_t = phi_L * L_t, phi_tt = phi_L * L_tt + phi_LL * L_t * L_t;
  const double psi = 0.5 * (M_PI - phi), psi_t = -0.5 * phi_t, psi_tt = -0.5 * phi_tt, r = L - 0.3;
  const double boom = (4500 * phi_tt + 2 * 9810 * std::sin(phi)) * phi_t;
  const double turning = (0.3 * 0.3 + 0.1 + 0.1 + r * r) * psi_t * psi_tt + r * L_t * psi_t * psi_t;
  const double weight = 9.81 * (L_t * std::cos(psi) - (0.3 + r) * std::sin(psi) * psi_t);
  return (boom + mc * (turning + L_t * L_tt + weight)) / L_t;
}

void expect_ram_force(const RunResult& result, double mc, double relative) {
  const std::vector<double> t = result.trajectory.column("t"), force = result.trajectory.column("ram.effort");
  ASSERT_GT(t.size(), 20u);
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double expected = ram_force(t[i], mc);
    ASSERT_NEAR(std::abs(force[i]), expected, relative * expected) << t[i];
  }
}

TEST_P(MassRatioCylinder, LiftsAHeavyBoom) {
  const double mc = GetParam();
  const RunResult result = run_text(kCylinder, {fmt::format("parameters.mc={}", mc)});
  expect_unmarked(result.summary);
  ASSERT_EQ(result.trajectory.rows(), 501u);
  expect_ram_force(result, mc, 1e-7);
}

// By tolerance, where rows lie within steps, in every kind of coordinates.
TEST_P(MassRatioCylinder, LiftsAHeavyBoomByTolerance) {
  for (const char* coordinates : {"automatic", "natural", "reference", "relative"}) {
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
    expect_ram_force(result, GetParam(), 1e-7);
    const std::vector<double> t = result.trajectory.column("t"), x = result.trajectory.column("D.x"),
                              y = result.trajectory.column("D.y");
    for (std::size_t i = 0; i < t.size(); ++i)
      EXPECT_NEAR(std::hypot(x[i], y[i] + 1), std::sqrt(2.0) + 0.2 * std::sin(t[i]), 1e-10);
  }
}

INSTANTIATE_TEST_SUITE_P(Masses, MassRatioCylinder, testing::Values(100.0, 10.0, 1.0, 0.1, 1e-3, 1e-4));

// Parallelogram of heavy cranks: A and B turn alike by φ, and the coupler of mass m only translates. About
// their pivots the cranks have inertias J₁ and J₂ and moments of mass S₁ and S₂, so that
//
//   (J₁ + J₂ + m) φ̈ = −(S₁ + S₂ + m) g cos φ
//
// and the coupler, whose weight and inertia its two ends carry alike, presses on the first crank by X where
//
//   J₁ φ̈ = −S₁ g cos φ − ½ m (g + ÿ) cos φ − X sin φ,    ÿ = φ̈ cos φ − φ̇² sin φ
class MassRatioLoop : public testing::TestWithParam<std::tuple<double, std::string>> {};

TEST_P(MassRatioLoop, OfHeavyCranksAndALightCoupler) {
  const auto& [m, coordinates] = GetParam();
  const RunResult result =
      run_text(R"(
plane: xy
gravity: [0, -9.81]
parameters: {m: 1, start: 60 deg}
points:
  O: {at: [0, 0], on: ground}
  D: {at: [2, 0], on: ground}
  A: [cos(start), sin(start)]
  B: [2 + cos(start), sin(start)]
bodies:
  crank: {rod: [O, A], mass: 1000}
  rocker: {mass: 1200, inertia: 200, at: D, angle: start, com: [0.8, 0], carries: [D, B]}
  coupler: {rod: [A, B], mass: m}
initial: {crank: {angular-velocity: 2}}
simulate: {duration: 0.6, tolerance: 1e-8}
outputs: {interval: 5 ms}
)",
               {fmt::format("parameters.m={}", m), "simulate.coordinates=" + coordinates});
  expect_unmarked(result.summary);
  const double g = 9.81, J1 = 1000. / 3, J2 = 200 + 1200 * 0.64, S1 = 500, S2 = 960;
  const std::vector<double> angle = result.trajectory.column("crank.angle"),
                            rate = result.trajectory.column("crank.omega"),
                            force = result.trajectory.column("A.force.x");
  ASSERT_EQ(angle.size(), 121u);
  const auto energy = [&](std::size_t i) {
    return 0.5 * (J1 + J2 + m) * rate[i] * rate[i] + (S1 + S2 + m) * g * std::sin(angle[i]);
  };
  for (std::size_t i = 0; i < angle.size(); ++i) {
    const double c = std::cos(angle[i]), s = std::sin(angle[i]);
    const double turn = -(S1 + S2 + m) * g * c / (J1 + J2 + m), rise = turn * c - rate[i] * rate[i] * s;
    const double push = -(J1 * turn + S1 * g * c + 0.5 * m * (g + rise) * c) / s;
    // The coupler's force follows the place, which errs by up to thirty tolerances. It is of the order of 1
    // kN.
    EXPECT_NEAR(std::abs(force[i]), std::abs(push), 1e-3) << 0.005 * static_cast<double>(i);
    EXPECT_NEAR(energy(i), energy(0), 1e-3) << 0.005 * static_cast<double>(i);  // of 13 kJ
  }
}

INSTANTIATE_TEST_SUITE_P(All, MassRatioLoop,
                         testing::Combine(testing::Values(1, 1e-3, 1e-4),
                                          testing::Values("automatic", "natural", "reference", "relative")));

class MassRatioCoordinates : public testing::TestWithParam<std::string> {};

// A tonne on ten rods of a gram each, hoisted by y = 0.1 sin 5t: the winch carries m (g + ÿ).
class MassRatioChain : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(MassRatioChain, HoistsAHeavyLoad) {
  const auto& [coordinates, steps] = GetParam();
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
outputs: {interval: 1 ms}
simulate: {duration: 0.5 s)" + steps + "}",
                                    {"simulate.coordinates=" + coordinates});
  expect_unmarked(result.summary);
  const std::vector<double> t = result.trajectory.column("t"),
                            force = result.trajectory.column("winch.force.y");
  ASSERT_EQ(t.size(), 501u);
  for (std::size_t i = 0; i < t.size(); ++i)
    EXPECT_NEAR(std::abs(force[i]), 1000.011 * (9.81 - 2.5 * std::sin(5 * t[i])), 1e-3) << t[i];
}

INSTANTIATE_TEST_SUITE_P(All, MassRatioChain,
                         testing::Combine(testing::Values("automatic", "natural", "reference", "relative"),
                                          testing::Values(", step: 1 ms", "")));

INSTANTIATE_TEST_SUITE_P(All, MassRatioCoordinates, testing::Values("natural", "reference"),
                         [](const auto& test) { return test.param; });

std::string vector_text(const Vec3& v) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v.x(), v.y(), v.z());
}

// Six legs in three mirrored pairs between circles of radius 2 m and 1 m.
std::string stewart_platform(double leg_mass, const std::string& steps) {
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
         "outputs: {interval: 1 ms}\nsimulate: {duration: 0.2 s" + steps + "}\n";
}

// All legs stretch alike, L = L₀ + 0.1 sin t, so that the platform only rises: z² = L² − r², and each leg
// carries m (g + z̈) L/(6 z).
void expect_stewart_platform(const std::string& steps) {
  const RunResult result = run_text(stewart_platform(1e-3, steps));
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

TEST(MassRatios, AStewartPlatformOnLightLegs) { expect_stewart_platform(", step: 1 ms"); }
TEST(MassRatios, AStewartPlatformOnLightLegsByTolerance) { expect_stewart_platform(""); }

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

const std::string kLightCartPole = R"(
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
)";

// The pole's mass falls freely until the pole stands upright, and bounces within a microsecond: no step of
// 1 ms follows that. The message names no constraint that is closed.
TEST(MassRatios, AStepThatFailsBlamesNoClosedConstraint) {
  const RunResult result = run_text(kLightCartPole + "simulate: {duration: 0.6 s, step: 1 ms}\n");
  EXPECT_EQ(result.summary.status, RunStatus::failed);
  EXPECT_NE(result.summary.message.find("a tolerance, which chooses the steps"), std::string::npos)
      << result.summary.message;
  for (const char* closed : {"e-11 of its size", "e-12 of", "e-13 of", "e-14 of", "e-15 of", "e-16 of"})
    EXPECT_EQ(result.summary.message.find(closed), std::string::npos) << result.summary.message;
}

// A tolerance follows it: after √(2/g) the mass rises as fast as it fell, from one metre below.
TEST(MassRatios, ALightCartPoleBounces) {
  const RunResult result =
      run_text(kLightCartPole + "simulate: {duration: 0.8 s}\noutputs: {interval: 10 ms}\n");
  EXPECT_LE(result.summary.status, RunStatus::limited) << result.summary.message;
  const double g = 9.81, bounce = std::sqrt(2 / g);
  const std::vector<double> t = result.trajectory.column("t"), x = result.trajectory.column("B.x"),
                            y = result.trajectory.column("B.y");
  ASSERT_EQ(t.size(), 81u);
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double s = t[i] - bounce;
    const double expected = s < 0 ? -0.5 * g * t[i] * t[i] : -1 + std::sqrt(2 * g) * s - 0.5 * g * s * s;
    // The cart weighs 1e-6 of the mass: its momentum is up to a thousandth while the pole passes upright.
    EXPECT_NEAR(y[i], expected, 2e-3) << t[i];
    EXPECT_NEAR(x[i], 1, 2e-3) << t[i];
  }
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

// Relative coordinates there do not show the positions' rounding of 1e-10 m, with which the iterations of a
// step do not settle: its increments go up and down. Such steps are marked, and the motion is right.
TEST(MassRatios, AFourBarFarFromTheOriginInRelativeCoordinatesIsMarked) {
  const std::string coordinates = "simulate.coordinates=relative";
  const RunResult near = run_text(kFourBar, {coordinates, "simulate.duration=0.2"});
  const RunResult far = run_text(kFourBar, {coordinates, "simulate.duration=0.2", "parameters.X=1e6"});
  expect_unmarked(near.summary);
  ASSERT_EQ(far.summary.status, RunStatus::marked) << far.summary.message;
  EXPECT_NE(far.summary.marked_steps.front().reason.find("rounding is large: far from the origin"),
            std::string::npos)
      << far.summary.marked_steps.front().reason;
  const std::vector<double> y = near.trajectory.column("C.y"), far_y = far.trajectory.column("C.y");
  ASSERT_EQ(y.size(), far_y.size());
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(far_y[i], y[i], 1e-7);
}

const std::string kMassless = R"(
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
)";

// Kinematics alone: no body has a mass, and no reaction is anything but zero.
TEST_P(MassRatioCoordinates, AMechanismWithoutMass) {
  expect_unmarked(run_text(kMassless, {"simulate.coordinates=" + GetParam()}).summary);
}

// The recursion along the tree of joints divides by its inertia, before loops and drivers count.
TEST(MassRatios, RelativeCoordinatesSayWhyTheyNeedMass) {
  const Mechanism mechanism =
      read_model_text("trammel: 1\n" + kMassless, "massless.yaml", {"simulate.coordinates=relative"}).value();
  Simulation simulation(mechanism, mechanism.plan);
  const AssemblyReport report = simulation.assemble();
  EXPECT_EQ(report.report.outcome, Outcome::singular);
  EXPECT_EQ(
      report.report.message,
      "relative coordinates need bodies with mass: the tree of joints, without the joints that close its "
      "loops and without drivers, can move in a way that has none, though these hold it; choose natural "
      "coordinates, or give every body at the end of the tree mass and inertia");
}

}  // namespace
}  // namespace trammel::tests::mass_ratios_test
