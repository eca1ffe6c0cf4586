// Where a steam engine with a centrifugal governor begins to hunt: Vyshnegradsky (1876), as in Pontryagin,
// "Ordinary Differential Equations", section 27.
//
// A ball m on an arm l stands at φ from the vertical and turns with a shaft of inertia J; the governor closes
// the steam, so that the torque on the shaft is k (cos φ − cos φ₀). About ω₀² = g/(l cos φ₀), with A = m l² +
// i, I = J + i + m l² sin²φ₀ (i: inertia of the ball itself):
//
//   A δφ̈ + b δφ̇ + C δφ = E δω,   I δω̇ + E δφ̇ = −K δφ        C = m g l sin²φ₀/cos φ₀
//                                                            E = m l² ω₀ sin 2φ₀,  K = k sin φ₀
//
// so that A I λ³ + b I λ² + (C I + E²) λ + E K = 0, which has roots ±iω where b (C I + E²) = A E K:
// the engine hunts with ω² = (C I + E²)/(A I) if b is less. For J ≫ m l² this is Vyshnegradsky's
// condition, b J ν/m = 1 with ν = ω₀/(2F), F = k cos φ₀.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "trammel/analyses.h"
#include "trammel/model.h"

namespace trammel::tests::governor_test {
namespace {

constexpr double kMass = 1, kLength = 1, kOwn = 0.01, kGain = 30, kGravity = 9.81;

struct Engine {
  double J, angle = 0.7;
  double speed = std::sqrt(kGravity / (kLength * std::cos(angle)));
  double A = kMass * kLength * kLength + kOwn;
  double I = J + kOwn + kMass * std::pow(kLength * std::sin(angle), 2);
  double C = kMass * kGravity * kLength * std::pow(std::sin(angle), 2) / std::cos(angle);
  double E = kMass * kLength * kLength * speed * std::sin(2 * angle);
  double K = kGain * std::sin(angle);

  double hunting_damping() const { return A * E * K / (C * I + E * E); }
  double hunting_frequency() const { return std::sqrt((C * I + E * E) / (A * I)); }

  // The mode of the largest real part that oscillates.
  VibrationMode slowest_to_decay(double b) const {
    const ModelInput input = read_model_text(
        R"(
trammel: 1
gravity: [0, 0, -9.81]
parameters: {J: 1, b: 1, w: 1, phi: 0.7, k: 30}
bodies:
  shaft: {mass: 1, inertia: [J, J, J]}
  arm:
    {mass: 1, inertia: [0.01, 0.01, 0.01], com: [0, 0, -1],
     orientation: {x: [cos(phi), 0, sin(phi)], y: [0, 1, 0]}}
joints:
  bearing: {revolute: [shaft, ground], at: [0, 0, 0], axis: [0, 0, 1]}
  hinge: {revolute: [arm, shaft], at: [0, 0, 0], axis: [0, -1, 0], coordinate: phi}
forces:
  damper: {joint-spring: hinge, damping: b}
  steam: {joint-spring: bearing, torque: -k*(cos(hinge.angle) - cos(phi))}
initial:
  shaft: {angular-velocity: [0, 0, w]}
  arm: {angular-velocity: [0, 0, w]}
)",
        "governor.yaml",
        {"parameters.J=" + std::to_string(J), "parameters.b=" + text(b), "parameters.w=" + text(speed),
         "parameters.phi=" + text(angle)});
    for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
    const Modes found = solve_modes(input.mechanism);
    EXPECT_TRUE(found.report.accepted()) << found.report.message;
    EXPECT_EQ(found.about, "steady motion");
    VibrationMode slowest;
    slowest.eigenvalue = -1e9;
    for (const VibrationMode& mode : found.modes)
      if (mode.eigenvalue.imag() > 0 && mode.eigenvalue.real() > slowest.eigenvalue.real()) slowest = mode;
    return slowest;
  }
  static std::string text(double x) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", x);
    return digits;
  }
  // The damping at which the real part passes zero: secant.
  double found_damping() const {
    double a = 0.9 * hunting_damping(), b = 1.1 * hunting_damping();
    double fa = slowest_to_decay(a).eigenvalue.real(), fb = slowest_to_decay(b).eigenvalue.real();
    EXPECT_GT(fa, 0);  // hunts
    EXPECT_LT(fb, 0);  // settles
    for (int k = 0; k < 8 && std::abs(b - a) > 1e-13 * b && fa != fb; ++k) {
      const double c = b - fb * (b - a) / (fb - fa);
      a = b, fa = fb, b = c, fb = slowest_to_decay(c).eigenvalue.real();
    }
    return b;
  }
};

TEST(Governor, HuntsBelowTheDampingOfTheCharacteristicEquation) {
  const Engine engine{5};
  EXPECT_NEAR(engine.found_damping() / engine.hunting_damping(), 1, 1e-9);
  const VibrationMode mode = engine.slowest_to_decay(engine.hunting_damping());
  EXPECT_NEAR(mode.eigenvalue.imag() / engine.hunting_frequency(), 1, 1e-9);
  EXPECT_NEAR(mode.eigenvalue.real(), 0, 1e-8);
}

// With a given damper there is a speed below which it hunts: a Hopf bifurcation, where b (C I + E²) = A E K.
// The arms open with the speed, ω² = g/(l cos φ). For b = 1.5 N.m.s that is 3.760273 rad/s.
TEST(Governor, HuntsBelowItsHopfSpeed) {
  constexpr double b = 1.5;
  const auto at = [](double speed) { return Engine{5, std::acos(kGravity / (kLength * speed * speed))}; };
  // The root of f between two speeds, by secants that begin with them.
  const auto root = [](double low, double high, const auto& f) {
    double x = low, y = high, fx = f(x), fy = f(y);
    EXPECT_LT(fx * fy, 0);
    for (int k = 0; k < 12 && std::abs(y - x) > 1e-13 * y && fx != fy; ++k) {
      const double next = y - fy * (y - x) / (fy - fx);
      x = y, fx = fy, y = next, fy = f(next);
    }
    return y;
  };
  const double hopf = root(3.5, 4, [&](double speed) { return at(speed).hunting_damping() - b; });
  EXPECT_NEAR(hopf, 3.760273, 1e-6);
  const double found = root(0.99 * hopf, 1.01 * hopf,
                            [&](double speed) { return at(speed).slowest_to_decay(b).eigenvalue.real(); });
  EXPECT_NEAR(found / hopf, 1, 1e-9);
  const Engine engine = at(hopf);
  EXPECT_NEAR(engine.slowest_to_decay(b).eigenvalue.imag() / engine.hunting_frequency(), 1, 1e-9);
}

// A heavy flywheel: b J ω₀/(2 F A/l²) = 1, but for parts m l²/J.
TEST(Governor, MeetsVyshnegradskysConditionWithAHeavyFlywheel) {
  const Engine engine{1e4};
  const double F = kGain * std::cos(engine.angle);
  EXPECT_NEAR(engine.found_damping() * engine.J * engine.speed / (2 * F * engine.A), 1, 1e-3);
}

}  // namespace
}  // namespace trammel::tests::governor_test
