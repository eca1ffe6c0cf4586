// Equations of motion in independent coordinates: against closed forms, energy, and the motion itself.
#include "trammel/equations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

#include "trammel/model.h"

namespace trammel::tests::equations_test {
namespace {

constexpr double kG = 9.81;

Mechanism model(const std::string& text) {
  return read_model_text("trammel: 1\ngravity: [0, -9.81]\nplane: xy\n" + text, "model.yaml").value();
}

// At the start, or later.
std::unique_ptr<Simulation> assembled(const Mechanism& mechanism, double t = 0) {
  auto simulation = std::make_unique<Simulation>(mechanism, mechanism.plan);
  EXPECT_TRUE(simulation->assemble().report.accepted());
  EXPECT_TRUE(simulation->advance_to(t).report.accepted());
  return simulation;
}

std::vector<double> rate_of(MotionEquations& motion, double t, const std::vector<double>& y) {
  std::vector<double> rate(y.size());
  const Report report = motion.derivative(t, y, rate);
  EXPECT_TRUE(report.accepted()) << report.message;
  return rate;
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

// A rod of 2 kg and 1.2 m on a cart of 3 kg that the input u pushes.
Mechanism cart_and_rod() {
  return model(R"(
inputs: {u: 0}
bodies:
  cart: {mass: 3, inertia: 1, points: {A: [0, 0]}}
  rod: {mass: 2, inertia: 0.24, at: [0, 0], com: [0.6, 0]}
joints:
  s: {prismatic: [cart, ground], axis: [1, 0]}
  h: {revolute: [rod, cart], at: [0, 0]}
forces: {push: {force: [u, 0], at: cart.com}}
)");
}

const char* const kFourBar = R"(
points: {O: {at: [0, 0], on: ground}, A: [0.3, 0.4], B: [1.3, 0.9], C: {at: [1.4, 0], on: ground}}
bodies:
  crank: {rod: [O, A], mass: 1}
  coupler: {rod: [A, B], mass: 2}
  rocker: {rod: [B, C], mass: 1}
)";

// Whichever of its bodies a joint names first, and however often it has turned: y, its rate and the results
// of the same name are one. The chain's first joint leads from ground to a rod, its second from either.
TEST(MotionEquations, CountAsResultsOfTheSameNameDo) {
  const char* const b1 = "  b1: {rod: [O, A], mass: 1}\n";
  const char* const b2 = "  b2: {rod: [A, B], mass: 1}\n";
  for (const bool swapped : {false, true}) {
    const auto simulation = assembled(
        model(std::string("points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [2, 0.3]}\nbodies:\n") +
              (swapped ? b2 : b1) + (swapped ? b1 : b2) +
              "initial: {b1: {angular-velocity: 15}, b2: {angular-velocity: -12}}\n"));
    MotionEquations motion(*simulation);
    ASSERT_EQ(motion.names()[0], "O.angle");
    for (const double t : {0.0, 0.1, 0.5, 1.0}) {
      ASSERT_TRUE(simulation->advance_to(t).report.accepted());
      const std::vector<double> y = motion.y(*simulation);
      const std::vector<std::string> results = {"O.angle", "A.angle", "O.rate", "A.rate"};
      const std::vector<double> rate = rate_of(motion, t, y);
      for (std::size_t k = 0; k < y.size(); ++k) {
        const double value = simulation->value(results[k]);
        EXPECT_NEAR(y[k], value, 1e-9 * std::max(1.0, std::abs(value))) << results[k] << " at " << t;
      }
      for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(rate[k], y[k + 2], 1e-12 * std::abs(y[k + 2]));
      ASSERT_TRUE(motion.place(t, y, *simulation).accepted());
      for (std::size_t k = 0; k < y.size(); ++k)
        EXPECT_NEAR(simulation->value(results[k]), y[k], 1e-9 * std::max(1.0, std::abs(y[k])));
    }
    EXPECT_GT(std::abs(simulation->value("O.angle")), 4);
  }
}

// (M + m) ẍ − m l (sin θ θ̈ + cos θ θ̇²) = u,   (J + m l²) θ̈ − m l sin θ ẍ + m g l cos θ = 0
TEST(MotionEquations, AreThoseOfACartWithARod) {
  const auto simulation = assembled(cart_and_rod());
  MotionEquations motion(*simulation, {"s.displacement", "h.angle"});
  ASSERT_EQ(motion.names(),
            (std::vector<std::string>{"s.displacement", "h.angle", "s.displacement.rate", "h.angle.rate"}));
  simulation->set_input("u", 7);
  motion.take_inputs(*simulation);
  constexpr double M = 3, m = 2, l = 0.6, J = 0.24, u = 7;
  for (const double angle : {0.0, 0.7, 1.5, -2.0, 3.0}) {
    const double w = 1.3 - angle, s = std::sin(angle), c = std::cos(angle);
    const double top = u + m * l * c * w * w, bottom = -m * kG * l * c;
    const double determinant = (M + m) * (J + m * l * l) - m * l * s * m * l * s;
    const double x = (top * (J + m * l * l) + bottom * m * l * s) / determinant;
    const double turn = ((M + m) * bottom + m * l * s * top) / determinant;
    const std::vector<double> rate = rate_of(motion, 0, {0.2, angle, -0.4, w});
    EXPECT_NEAR(rate[0], -0.4, 1e-13);
    EXPECT_NEAR(rate[1], w, 1e-12);
    EXPECT_NEAR(rate[2], x, 1e-9) << angle;
    EXPECT_NEAR(rate[3], turn, 1e-9) << angle;
  }
}

// A rod whose hinge a driver moves along x by 0.1 sin 3t: (J + m l²) θ̈ = m l (ẍ sin θ − g cos θ). Time
// enters through the driver alone.
// A joint's coordinate reads what `coordinate:` says where the file places the bodies: so does y.
TEST(MotionEquations, CountCoordinatesAsTheModelDoes) {
  const Mechanism m = read_model_text(R"(
trammel: 1
gravity: [0, 0, -9.81]
bodies: {arm: {mass: 2, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0]}}
joints: {hinge: {revolute: [arm, ground], at: [0, 0, 0], axis: [0, 1, 0], coordinate: 0.4}}
initial: {hinge: {angle: 0.9, speed: 1.5}}
)",
                                      "model.yaml")
                          .value();
  for (const double t : {0.0, 0.3}) {
    const auto simulation = assembled(m, t);
    MotionEquations motion(*simulation);
    const std::vector<double> y = motion.y(*simulation);
    EXPECT_NEAR(y[0], simulation->value("hinge.angle"), 1e-12);
    // About +y a positive angle lowers the arm: I θ̈ = m g l cos(θ − 0.4).
    EXPECT_NEAR(rate_of(motion, t, y)[1], 2 * kG * 0.5 * std::cos(y[0] - 0.4) / (0.1 + 2 * 0.25), 1e-9);
  }
}

TEST(MotionEquations, KnowTheTimeOfDrivers) {
  const Mechanism mechanism = model(R"(
bodies:
  cart: {mass: 3, inertia: 1}
  rod: {mass: 2, inertia: 0.24, at: [0, 0], com: [0.6, 0]}
joints:
  s: {prismatic: [cart, ground], axis: [1, 0]}
  h: {revolute: [rod, cart], at: [0, 0]}
drivers: {shake: {joint: s, equals: 0.1*sin(3*t)}}
)");
  const auto simulation = assembled(mechanism);
  MotionEquations motion(*simulation);
  ASSERT_EQ(motion.names(), (std::vector<std::string>{"h.angle", "h.angle.rate"}));
  for (const double t : {0.0, 0.3, 1.7}) {
    const double x = -0.9 * std::sin(3 * t), angle = 0.5 - t;
    const double turn = 2 * 0.6 * (x * std::sin(angle) - kG * std::cos(angle)) / (0.24 + 2 * 0.36);
    EXPECT_NEAR(rate_of(motion, t, {angle, 2.0})[1], turn, 1e-9) << t;
  }
}

// Nothing but gravity: along ẏ the energy of a closed loop stays, which its one acceleration alone can do.
TEST(MotionEquations, OfAClosedLoopKeepTheEnergy) {
  const Mechanism mechanism = model(kFourBar);
  const auto simulation = assembled(mechanism);
  MotionEquations motion(*simulation, {"O.angle"});
  const std::vector<double> start = motion.y(*simulation);
  constexpr double h = 1e-4;
  const auto energy_at = [&](const std::vector<double>& y) {
    EXPECT_TRUE(motion.place(0, y, *simulation).accepted());
    const Energy energy = simulation->energy();
    return energy.kinetic + energy.potential;
  };
  for (const double turn : {-0.4, 0.0, 0.5}) {
    const std::vector<double> y{start[0] + turn, 2.5};
    const std::vector<double> rate = rate_of(motion, 0, y);
    const double change = energy_at({y[0] + h * rate[0], y[1] + h * rate[1]}) -
                          energy_at({y[0] - h * rate[0], y[1] - h * rate[1]});
    // Differences of second order: h² of the third derivative.
    EXPECT_NEAR(change / (2 * h), 0, 1e-5) << turn;
    // A rate that is wrong by a hundredth would show.
    const double wrong = energy_at({y[0] + h * rate[0], y[1] + 1.01 * h * rate[1]}) -
                         energy_at({y[0] - h * rate[0], y[1] - 1.01 * h * rate[1]});
    EXPECT_GT(std::abs(wrong / (2 * h)), 1e-3) << turn;
  }
}

// ẏ is the slope of y along the motion that the simulation takes, of loops in space with free rotations too.
TEST(MotionEquations, AreTheSlopeOfTheMotion) {
  const Mechanism mechanism = read_model_text(R"(
trammel: 1
gravity: [0, 0, -9.81]
states: {z: {derivative: "-2*z + l.angle", initial: 1}}
bodies:
  left: {mass: 1, inertia: [0.1, 0.2, 0.3], com: [0.2, 0, 0], points: {A: [0.4, 0, 0]}}
  right: {mass: 2, inertia: [0.1, 0.1, 0.1], at: [1, 0.2, 0.5], com: [0, 0.2, 0], points: {B: [0, 0.4, 0]}}
  ball: {mass: 1, inertia: [0.05, 0.1, 0.12], at: [3, 0, 0], com: [0.1, 0, 0.3]}
joints:
  l: {revolute: [left, ground], at: [0, 0, 0], axis: [0, 0.6, 0.8]}
  r: {revolute: [right, ground], at: [1, 0.2, 0.5], axis: [1, 0, 0]}
  bar: {distance: [left.A, right.B]}
  socket: {spherical: [ball, ground], at: [3, 0, 0]}
initial: {ball: {angular-velocity: [1, -0.5, 2]}}
simulate: {tolerance: 1e-13}
)",
                                              "loop.yaml")
                                  .value();
  constexpr double t = 0.3, h = 1e-4;
  const auto middle = assembled(mechanism, t);
  MotionEquations motion(*middle);
  ASSERT_EQ(motion.names().size(), 9U);  // 1 + 3 freedoms, their rates, z
  const std::vector<double> before = motion.y(*assembled(mechanism, t - h)),
                            after = motion.y(*assembled(mechanism, t + h)), y = motion.y(*middle);
  const std::vector<double> rate = rate_of(motion, t, y);
  for (std::size_t k = 0; k < y.size(); ++k)
    EXPECT_NEAR(rate[k], (after[k] - before[k]) / (2 * h), 1e-5) << motion.names()[k];
}

TEST(MotionEquations, PlaceASimulationWhereTheySay) {
  const auto simulation = assembled(model(kFourBar));
  MotionEquations motion(*simulation, {"O.angle"});
  std::vector<double> y = motion.y(*simulation);
  y[0] += 0.3, y[1] = -1.5;
  ASSERT_TRUE(motion.place(0.7, y, *simulation).accepted());
  EXPECT_EQ(simulation->state().t, 0.7);
  EXPECT_NEAR(simulation->value("O.angle"), y[0], 1e-12);
  EXPECT_NEAR(simulation->value("O.rate"), y[1], 1e-12);
  EXPECT_NEAR((simulation->point("A").position - simulation->point("B").position).norm(), std::sqrt(1.25),
              1e-12);
}

// The rocker swings between two ends.
TEST(MotionEquations, TellWhereTheCoordinatesNoLongerDetermineTheMotion) {
  const auto simulation = assembled(model(kFourBar));
  MotionEquations motion(*simulation, {"C.angle"});
  std::vector<double> y = motion.y(*simulation);
  const std::vector<double> before = rate_of(motion, 0, y);
  y[0] += 3;
  const State stood = simulation->state();
  const Report report = motion.place(0, y, *simulation);
  EXPECT_FALSE(report.accepted());
  EXPECT_NE(report.message.find("C.angle no longer determines the motion"), std::string::npos)
      << report.message;
  EXPECT_EQ(simulation->state().q, stood.q);
  // It goes on from where it was.
  y[0] -= 3;
  EXPECT_NEAR(rate_of(motion, 0, y)[1], before[1], 1e-9);
}

TEST(MotionEquations, RefuseWhatTheyCannotDo) {
  const Mechanism mechanism = model(kFourBar);
  const auto simulation = assembled(mechanism);
  EXPECT_NE(refusal([&] { MotionEquations(*simulation, {"D.angle"}); }).find("'D.angle'"), std::string::npos);
  EXPECT_NE(refusal([&] {
              MotionEquations(*simulation, {"O.angle", "C.angle"});
            }).find("name as many"),
            std::string::npos);
  MotionEquations motion(*simulation);
  std::vector<double> rate(2);
  EXPECT_NE(refusal([&] {
              static_cast<void>(motion.derivative(0, std::vector<double>{1}, rate));
            }).find("y has 1 entries"),
            std::string::npos);
  EXPECT_EQ(motion.derivative(0, std::vector<double>{NAN, 0}, rate).outcome, Outcome::not_finite);
}

}  // namespace
}  // namespace trammel::tests::equations_test
