// Modes of vibration against closed forms.
#include "analysis/vibration.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linalg/dense.h"
#include "model/models_testing.h"
#include "trammel/simulation.h"

namespace trammel::tests::vibration_test {
namespace {

Mechanism text_model(const std::string& text, const std::vector<std::string>& settings = {}) {
  ModelInput input = read_model_text(text, "test.yaml", settings);
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

analysis::Vibration at_start(Mechanism mechanism, const std::string& coordinates) {
  mechanism.plan.coordinates = coordinates;
  Simulation simulation(mechanism, mechanism.plan);
  EXPECT_TRUE(simulation.assemble().report.accepted());
  analysis::Vibration v =
      analysis::vibration(simulation.shared_system(), simulation.mechanism(), simulation.state());
  EXPECT_TRUE(v.report.accepted()) << v.report.message;
  return v;
}

constexpr const char* kTwoBars = R"(
trammel: 1
plane: xy
gravity: [0, -10]
points: {O: {at: [0, 0], on: ground}, A: [0, -5], B: [0, -10]}
bodies:
  upper: {rod: [O, A], mass: 2}
  lower: {rod: [A, B], mass: 2}
)";

class ModesIn : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, ModesIn, testing::Values("natural", "reference", "relative"),
                         [](const auto& of) { return std::string(of.param); });

// ω² = (g/L)(3 ± 6/√7) of two equal uniform bars.
TEST_P(ModesIn, OfADoublePendulum) {
  const analysis::Vibration v = at_start(text_model(kTwoBars), GetParam());
  ASSERT_EQ(v.modes.size(), 2u);
  const double slow = std::sqrt(2 * (3 - 6 / std::sqrt(7.0))), fast = std::sqrt(2 * (3 + 6 / std::sqrt(7.0)));
  EXPECT_NEAR(v.modes[0].eigenvalue.imag(), slow, 1e-10 * slow);
  EXPECT_NEAR(v.modes[1].eigenvalue.imag(), fast, 1e-10 * fast);
  EXPECT_NEAR(v.modes[0].damping_ratio(), 0, 1e-10);
  // The shapes: rotations of both bars, φ₂/φ₁ = (4/3 − g·3/2/(Lω²))/(−1/2).
  for (const VibrationMode& mode : v.modes) {
    const double w2 = mode.eigenvalue.imag() * mode.eigenvalue.imag();
    EXPECT_NEAR((mode.shape[1][5] / mode.shape[0][5]).real(), -2 * (4.0 / 3 - 2 * 1.5 / w2), 1e-8);
  }
}

// A rigid body on six springs of a bushing, with damping: every mode has its own ω₀ and ζ.
TEST_P(ModesIn, OfASpringMountedBody) {
  const analysis::Vibration v = at_start(text_model(R"(
trammel: 1
bodies: {block: {mass: 2, inertia: [0.3, 0.2, 0.4]}}
forces: {mount: {bushing: [block, ground], at: [0, 0, 0], stiffness: [200, 800, 1800, 30, 20, 40], damping: [4, 0, 0, 0, 0, 0]}}
)"),
                                         GetParam());
  ASSERT_EQ(v.modes.size(), 6u);
  const double expected[] = {10, 10, 10, 10, 20, 30};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(std::abs(v.modes[k].eigenvalue), expected[k], 1e-8) << k;
  double most = 0;
  for (const VibrationMode& mode : v.modes) most = std::max(most, mode.damping_ratio());
  EXPECT_NEAR(most, 4.0 / (2 * 2 * 10), 1e-9);
}

// A disk on a turning shaft that hangs in springs: the tilting mode splits into λ = i(ν ± √(ν² + ω₀²)), ν = C
// Ω/(2A).
TEST(Vibration, OfARotorSplitsBySpeed) {
  const analysis::Vibration v = at_start(text_model(R"(
trammel: 1
bodies:
  frame: {mass: 1e-3, inertia: [1e-4, 1e-4, 1e-4]}
  disk: {mass: 1, inertia: [0.1, 0.1, 0.16]}
joints:
  gimbal: {spherical: [frame, ground], at: [0, 0, 0]}
  bearing: {revolute: [disk, frame], at: [0, 0, 0], axis: [0, 0, 1]}
drivers: {motor: {angle: bearing, equals: 50*t}}
forces: {mount: {bushing: [frame, ground], at: [0, 0, 0], stiffness: [0, 0, 0, 40, 40, 1000], damping: [0, 0, 0, 0, 0, 0]}}
initial: {frame: {angular-velocity: [0, 0, 0]}}
)"),
                                         "relative");
  const double nu = 0.16 * 50 / (2 * (0.1 + 1e-4)), w0 = 40 / (0.1 + 1e-4), root = std::sqrt(nu * nu + w0);
  ASSERT_EQ(v.modes.size(), 3u);
  EXPECT_TRUE(v.moves);
  EXPECT_NEAR(v.modes[0].eigenvalue.imag(), root - nu, 1e-7);
  EXPECT_NEAR(v.modes[1].eigenvalue.imag(), std::sqrt(1000 / (0.16 + 1e-4)), 1e-7);  // about the axis
  EXPECT_NEAR(v.modes[2].eigenvalue.imag(), root + nu, 1e-7);
}

// The frame's speed is not given: it turns against the disk, which is no steady motion in its springs.
// A hub in a bushing of rotational stiffness k about x and 2k about y, with a symmetric rotor of speed Ω on
// it. Neither is held by a joint, so that the heavier rotor carries the hub and spins without a joint of its
// own. Tilts:  J θ̈ₓ + C Ω θ̇_y + k θₓ = 0,  J θ̈_y − C Ω θ̇ₓ + κ θ_y = 0,  J of both, C of the rotor.
TEST(Vibration, OfARotorThatCarriesItsBearingIsSeenInStandingAxes) {
  const double J = 0.06, C = 0.09, speed = 100, k = 400;
  for (const double kappa : {400.0, 800.0}) {
    const analysis::Vibration v = at_start(text_model(fmt::format(R"(
trammel: 1
bodies:
  hub: {{mass: 0.5, inertia: [0.01, 0.01, 0.01]}}
  rotor: {{mass: 2, inertia: [0.05, 0.05, 0.09]}}
joints: {{shaft: {{revolute: [rotor, hub], at: [0, 0, 0], axis: [0, 0, 1]}}}}
forces:
  bearing: {{bushing: [hub, ground], at: [0, 0, 0], stiffness: [1e4, 1e4, 1e4, 400, {}, 400]}}
initial: {{shaft: {{speed: 100}}, hub: {{angular-velocity: [0, 0, 0]}}}}
)",
                                                                  kappa)),
                                           "relative");
    EXPECT_TRUE(v.turning.empty());
    // J² ω⁴ − (J (k + κ) + C² Ω²) ω² + k κ = 0
    const double b = J * (k + kappa) + C * C * speed * speed, a = J * J;
    const double root = std::sqrt(b * b - 4 * a * k * kappa);
    for (const double w : {std::sqrt((b - root) / (2 * a)), std::sqrt((b + root) / (2 * a))}) {
      double nearest = 1e9;
      for (const VibrationMode& mode : v.modes)
        nearest = std::min(nearest, std::abs(mode.eigenvalue.imag() - w));
      EXPECT_LT(nearest, 1e-7 * w) << kappa;  // of the linearization by differences
    }
  }
}

// A body of three different moments of inertia that spins about the largest: constant in its own axes only.
// There it nutates with Ω √((C − A)(C − B)/(A B)).
TEST(Vibration, OfAnUnevenFreeBodyIsSeenInItsOwnAxes) {
  const double A = 0.04, B = 0.06, C = 0.09, speed = 10;
  const analysis::Vibration v = at_start(text_model(R"(
trammel: 1
bodies: {body: {mass: 1, inertia: [0.04, 0.06, 0.09], free: true}}
initial: {body: {angular-velocity: [0, 0, 10]}}
)"),
                                         "relative");
  EXPECT_EQ(v.turning, std::vector<std::string>{"body"});
  const double w = speed * std::sqrt((C - A) * (C - B) / (A * B));
  // A tilt that stands is seen to turn with −Ω.
  for (const double seen : {w, speed}) {
    double nearest = 1e9;
    for (const VibrationMode& mode : v.modes)
      nearest = std::min(nearest, std::abs(mode.eigenvalue.imag() - seen));
    EXPECT_LT(nearest, 1e-7 * seen);
  }
}

// A pendulum on a shaft that a driver turns: about rest the shaft stands, whatever its speed is to be.
TEST(Vibration, AboutRestDriversStand) {
  for (const char* equals : {"sin(6*t)", "6*t", "way"}) {
    const Mechanism mechanism = text_model(fmt::format(R"(
trammel: 1
gravity: [0, 0, -9.81]
define: {{way: sin(6*t)}}
bodies:
  shaft: {{mass: 1, inertia: [0.1, 0.1, 0.1]}}
  bob: {{mass: 1, inertia: [0.01, 0.01, 0.01], at: [0, 0, -1]}}
joints:
  bearing: {{revolute: [shaft, ground], at: [0, 0, 0], axis: [0, 0, 1]}}
  hinge: {{revolute: [bob, shaft], at: [0, 0, 0], axis: [0, 1, 0]}}
drivers: {{turn: {{joint: bearing, equals: "{}"}}}}
)",
                                                       equals));
    const Modes modes = solve_modes(mechanism, {.at = ModesAt::stable});
    ASSERT_TRUE(modes.report.accepted()) << modes.report.message;
    ASSERT_EQ(modes.modes.size(), 1u) << equals;
    EXPECT_NEAR(modes.modes[0].eigenvalue.imag(), std::sqrt(9.81 / 1.01), 1e-8) << equals;
  }
}

// The links of a four-bar of equal cranks lie on one line: two motions cross there. Beside it there is one.
TEST(Vibration, WhereMotionsCrossIsRefused) {
  const auto modes_at_angle = [](double angle) {
    const double x = std::cos(angle), y = std::sin(angle);
    return solve_modes(text_model(fmt::format(R"(
trammel: 1
plane: xy
points:
  A0: {{at: [0, 0], on: ground}}
  A1: {{at: [1, 0], on: ground}}
  B0: [{0:.17g}, {2:.17g}]
  B1: [{1:.17g}, {2:.17g}]
bodies:
  crank0: {{rod: [A0, B0], mass: 1}}
  crank1: {{rod: [A1, B1], mass: 1}}
  coupler: {{rod: [B0, B1], mass: 1}}
)",
                                              x, 1 + x, y)),
                       {.at = ModesAt::start});
  };
  const Modes crossing = modes_at_angle(0);
  EXPECT_EQ(crossing.report.outcome, Outcome::refused);
  EXPECT_NE(crossing.report.message.find("the start is a singular position"), std::string::npos)
      << crossing.report.message;
  const Modes beside = modes_at_angle(0.5);
  EXPECT_TRUE(beside.report.accepted()) << beside.report.message;
}

TEST(Vibration, OfAMotionThatIsNotSteadyIsRefused) {
  Mechanism mechanism = text_model(R"(
trammel: 1
bodies:
  frame: {mass: 1e-3, inertia: [1e-4, 1e-4, 1e-4]}
  disk: {mass: 1, inertia: [0.1, 0.1, 0.16]}
joints:
  gimbal: {spherical: [frame, ground], at: [0, 0, 0]}
  bearing: {revolute: [disk, frame], at: [0, 0, 0], axis: [0, 0, 1]}
drivers: {motor: {angle: bearing, equals: 50*t}}
forces: {mount: {bushing: [frame, ground], at: [0, 0, 0], stiffness: [0, 0, 0, 40, 40, 1000], damping: [0, 0, 0, 0, 0, 0]}}
)");
  mechanism.plan.coordinates = "relative";
  Simulation simulation(mechanism, mechanism.plan);
  EXPECT_TRUE(simulation.assemble().report.accepted());
  const analysis::Vibration v =
      analysis::vibration(simulation.shared_system(), simulation.mechanism(), simulation.state());
  EXPECT_EQ(v.report.outcome, Outcome::refused);
  EXPECT_NE(v.report.message.find("the motion is not steady"), std::string::npos) << v.report.message;
}

// A fall: λ = ±√(3g/2L) of a rod that stands, whose moduli are the same but for rounding. The one that grows
// comes first.
TEST_P(ModesIn, OfTwoWithOneModulusTheGrowingOneComesFirst) {
  for (int k = 1; k <= 20; ++k) {
    const double length = 0.37 * k;
    const analysis::Vibration v = at_start(text_model(fmt::format(R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
points: {{O: {{at: [0, 0], on: ground}}, A: [0, {}]}}
bodies: {{rod: {{rod: [O, A], mass: 1}}}}
)",
                                                                  length)),
                                           GetParam());
    ASSERT_EQ(v.modes.size(), 2u);
    const double fall = std::sqrt(1.5 * 9.81 / length);
    EXPECT_NEAR(v.modes[0].eigenvalue.real(), fall, 1e-9 * fall) << length;
    EXPECT_NEAR(v.modes[1].eigenvalue.real(), -fall, 1e-9 * fall) << length;
  }
}

// Meijaard, Papadopoulos, Ruina & Schwab (2007): the uncontrolled bicycle, straight and upright. Table 2 and
// section 5(b).
class Bicycle : public testing::Test {
 protected:
  static Modes at(double speed) {
    ModelInput input = read_model(std::string(kSourceDir) + "/papers/benchmarks/models/bicycle.yaml",
                                  {fmt::format("parameters.v={:.17g}", speed)});
    for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
    Modes modes = solve_modes(input.mechanism);
    EXPECT_TRUE(modes.report.accepted()) << modes.report.message;
    // The frame does not spin: axes stand.
    EXPECT_TRUE(modes.turning.empty());
    return modes;
  }
  // Of the modes that are not free, in order of |λ|.
  static std::vector<std::complex<double>> eigenvalues(double speed) {
    std::vector<std::complex<double>> all;
    for (const VibrationMode& mode : at(speed).modes)
      if (!mode.is_free()) all.push_back(mode.eigenvalue);
    return all;
  }
  // The speed at which f is zero, from speeds beside it: Neville's interpolation of speed over f.
  template <class F>
  static double root(F f, double from, double step) {
    constexpr int kPoints = 10;
    std::vector<double> x, v;
    for (int k = 0; k < kPoints; ++k) v.push_back(from + k * step), x.push_back(f(v.back()));
    for (std::size_t m = 1; m < x.size(); ++m)
      for (std::size_t i = 0; i + m < x.size(); ++i)
        v[i] = (x[i + m] * v[i] - x[i] * v[i + 1]) / (x[i + m] - x[i]);
    return v[0];
  }
};

// Of lean and steer, det(M s² + v C₁ s + g K₀ + v² K₂) = 0: equation (5.1) with the matrices of section 5(a).
std::vector<std::complex<double>> of_canonical_matrices(double v) {
  const double g = 9.81;
  Eigen::Matrix2d M, C1, K0, K2;
  M << 80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686;
  C1 << 0, 33.86641391492494, -0.85035641456978, 1.68540397397560;
  K0 << -80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618;
  K2 << 0, 76.59734589573222, 0, 2.65431523794604;
  Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
  A.topRightCorner<2, 2>().setIdentity();
  A.bottomLeftCorner<2, 2>() = -M.inverse() * (g * K0 + v * v * K2);
  A.bottomRightCorner<2, 2>() = -v * M.inverse() * C1;
  return linalg::eigenvalues(A);
}

std::complex<double> nearest(const std::vector<std::complex<double>>& all, std::complex<double> to) {
  return *std::ranges::min_element(all, {}, [&](std::complex<double> one) { return std::abs(one - to); });
}

// Table 2, speeds from 0 to 10 m/s; of a conjugate pair one.
TEST_F(Bicycle, EigenvaluesAtThePublishedSpeeds) {
  using Values = std::vector<std::complex<double>>;
  const Values published[] = {
      {5.53094371765393, 3.13164324790656, -3.13164324790656, -5.53094371765393},
      {{3.52696170990070, 0.80774027519930}, -3.13423125066578, -7.11008014637442},
      {{2.68234517512745, 1.68066296590675}, -3.07158645641514, -8.67387984831735},
      {{1.70675605663975, 2.31582447384325}, -2.63366137253667, -10.3510146724592},
      {{0.41325331521125, 3.07910818603206}, -1.42944427361326, -12.1586142657645},
      {{-0.77534188219585, 4.46486771378823}, -0.32286642900409, -14.0783896927982},
      {{-1.52644486584142, 5.87673060598709}, -0.00406690076970, -16.0853712309803},
      {{-2.13875644258362, 7.19525913329805}, 0.10268170574766, -18.1578846612526},
      {{-2.69348683581097, 8.46037971396931}, 0.14327879765713, -20.2794089439457},
      {{-3.21675402252485, 9.69377351531791}, 0.15790184030917, -22.4378855904086},
      {{-3.72016840437287, 10.9068113947629}, 0.16105338653172, -24.6245963501740},
  };
  for (std::size_t v = 0; v < std::size(published); ++v) {
    const Values ours = eigenvalues(static_cast<double>(v)),
                 canonical = of_canonical_matrices(static_cast<double>(v));
    ASSERT_EQ(ours.size(), published[v].size()) << v;
    for (const std::complex<double>& one : published[v]) {
      const std::complex<double> exact = nearest(canonical, one);
      EXPECT_LT(std::abs(one - exact), 1e-11 * std::abs(one)) << v << " m/s: printed digits of " << one;
      EXPECT_LT(std::abs(nearest(ours, one) - exact), 1e-10 * std::abs(one)) << v << " m/s, " << one;
    }
  }
}

TEST_F(Bicycle, WeaveAndCapsizeSpeeds) {
  const auto weave = [](double v) { return eigenvalues(v)[1].real(); };
  const auto capsize = [](double v) { return eigenvalues(v)[0].real(); };
  EXPECT_NEAR(root(weave, 4.255, 0.01), 4.29238253634111, 4.3e-10);
  EXPECT_NEAR(root(capsize, 5.795, 0.05), 6.02426201538837, 6e-10);
}

// Outputs that are joint coordinates are the states of the same name, whichever body a joint names first.
TEST(Vibration, StatesCountAsColumnsOfTheSameNameDo) {
  for (const char* bodies : {"b1: {rod: [O, A], mass: 1}, b2: {rod: [A, B], mass: 1}",
                             "b2: {rod: [A, B], mass: 1}, b1: {rod: [O, A], mass: 1}"}) {
    const Modes found = solve_modes(text_model(fmt::format(R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
points: {{O: {{at: [0, 0], on: ground}}, A: [0, -1], B: [0, -2]}}
bodies: {{{}}}
inputs: {{T: 0}}
forces: {{motor: {{joint: A, torque: T}}}}
outputs: {{columns: {{a: A.angle, o: O.angle}}}}
)",
                                                           bodies)));
    ASSERT_TRUE(found.report.accepted()) << found.report.message;
    const std::vector<std::string>& states = found.linear.states;
    const auto of = [&](const char* name) { return std::ranges::find(states, name) - states.begin(); };
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(2, 4);
    expected(0, of("A.angle")) = expected(1, of("O.angle")) = 1;
    EXPECT_LT((found.linear.C - expected).norm(), 1e-9) << bodies;
    // The torque opens the joint.
    EXPECT_GT(found.linear.B(of("A.angle.rate"), 0), 0);
  }
}

// F → x of a mass on a spring with damper: 1/(k − mω² + icω).
TEST_P(ModesIn, FrequencyResponseOfAMassOnASpring) {
  Mechanism mechanism = text_model(R"(
trammel: 1
plane: xy
bodies: {mass: {mass: 2, inertia: 1}}
joints: {slide: {prismatic: [mass, ground], axis: [1, 0], at: [0, 0]}}
inputs: {F: 0}
forces:
  spring: {joint-spring: slide, stiffness: 50, damping: 3}
  push: {force: [F, 0], at: mass.com}
outputs: {columns: {x: slide.displacement, v: slide.rate}}
)");
  const analysis::Vibration v = at_start(mechanism, GetParam());
  for (const double w : {0.1, 1.0, 5.0, 20.0}) {
    const Eigen::MatrixXcd G = frequency_response(v.linear, {w / (2 * std::numbers::pi)}).front();
    const std::complex<double> expected = 1.0 / std::complex<double>(50 - 2 * w * w, 3 * w);
    EXPECT_NEAR(std::abs(G(1, 0) - expected), 0, 1e-11);
    EXPECT_NEAR(std::abs(G(0, 0) - G(1, 0) * 0.0 - std::complex<double>(0, w) * expected), 0, 1e-10);
  }
}

}  // namespace
}  // namespace trammel::tests::vibration_test
