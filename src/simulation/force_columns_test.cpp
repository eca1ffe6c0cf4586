// Motors, and what columns tell of forces, in all coordinates: closed forms and the balance of bodies.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::force_columns_test {
namespace {

class ForceColumns : public testing::TestWithParam<std::string> {
 protected:
  Mechanism read(const std::string& text) const {
    return read_model_text("trammel: 1\n" + text, "forces.yaml",
                           {"simulate.coordinates=" + GetParam(), "outputs.interval=0.1"})
        .value();
  }
  static Trajectory rows_of(const Mechanism& mechanism) {
    Simulation simulation(mechanism, mechanism.plan);
    EXPECT_TRUE(simulation.assemble().report.accepted());
    RunResult result = run(simulation);
    EXPECT_EQ(result.summary.status, RunStatus::ok);
    return std::move(result.trajectory);
  }
  static double last(const Trajectory& rows, const std::string& column) { return rows.column(column).back(); }
};

// Two free bodies on a hinge through both centres: one torque turns them apart, and nothing else moves.
TEST_P(ForceColumns, AMotorTurnsBothBodies) {
  const Trajectory rows = rows_of(read(R"(
plane: xy
bodies:
  hub: {mass: 2, inertia: 0.5, free: true}
  arm: {mass: 1, inertia: 0.2}
joints: {A: {revolute: [arm, hub], at: [0, 0]}}
forces: {motor: {joint: A, torque: 0.3 N.m}}
simulate: {duration: 2 s, step: 2 ms}
)"));
  // I θ̈ = ±τ; directions of unit length turn by (ωh)²/12 too little in a step: 1.4e-5 rad in all
  EXPECT_NEAR(last(rows, "arm.angle"), 0.5 * 0.3 / 0.2 * 4, 5e-5);
  EXPECT_NEAR(last(rows, "hub.angle"), -0.5 * 0.3 / 0.5 * 4, 5e-5);
  EXPECT_NEAR(last(rows, "A.rate"), 0.3 * (1 / 0.2 + 1 / 0.5) * 2, 5e-5);
  EXPECT_NEAR(last(rows, "A.force.x"), 0, 5e-5);
  EXPECT_EQ(last(rows, "motor.torque"), 0.3);
  // power = torque·rate: all of the energy is the motor's work
  EXPECT_NEAR(last(rows, "energy.kinetic"), 0.3 * last(rows, "A.angle"), 5e-5);
  EXPECT_NEAR(last(rows, "energy.work"), last(rows, "energy.kinetic"), 5e-5);
}

// In space, on both coordinates of a cylindrical joint, with laws of the motion.
TEST_P(ForceColumns, MotorsOnACylindricalJoint) {
  const Trajectory rows = rows_of(read(R"(
bodies:
  base: {mass: 3, inertia: [1, 1, 0.5], free: true}
  ram:  {mass: 1, inertia: [1, 1, 0.25], at: [0, 0, 1]}
joints: {A: {cylindrical: [ram, base], at: [0, 0, 0], axis: [0, 0, 1]}}
forces:
  turn: {joint: A, torque: 0.1*cos(t)}
  push: {joint: A, force: -4*A.displacement}
initial: {base: {velocity: [0, 0, -0.25]}, ram: {velocity: [0, 0, 0.75]}}
simulate: {duration: 1 s, tolerance: 1e-9}
)"));
  // reduced mass 3/4, stiffness 4: s = sin(ωt)/ω; reduced inertia 1/6: θ = 0.6 (1 − cos t)
  const double omega = std::sqrt(4 / 0.75);
  EXPECT_NEAR(last(rows, "A.displacement"), std::sin(omega) / omega, 1e-7);
  EXPECT_NEAR(last(rows, "A.angle"), 0.6 * (1 - std::cos(1.0)), 1e-7);
  EXPECT_NEAR(last(rows, "push.force"), -4 * std::sin(omega) / omega, 1e-6);
  EXPECT_NEAR(last(rows, "turn.torque"), 0.1 * std::cos(1.0), 1e-12);
}

// A body on a slide: m ẍ is the sum of its columns, each with its sense.
TEST_P(ForceColumns, ColumnsBalanceTheBody) {
  const Mechanism mechanism = read(R"(
plane: xy
points: {W: {at: [-1, 0], on: ground}}
bodies: {cart: {mass: 2, inertia: 0.1, points: {p: [0, 0]}}}
joints: {rail: {prismatic: [cart, ground], at: [0, 0], axis: [1, 0]}}
forces:
  spring: {spring: [W, cart.p], stiffness: 30, length: 0.8, damping: 2, preload: 1}
  law:    {spring: [W, cart.p], tension: 3*law.length^2}
  back:   {joint-spring: rail, stiffness: 5, free: 0.1, damping: 0.3}
  rub:    {friction: rail, coulomb: 0.4, viscous: 0.2, transition: 0.05}
  motor:  {joint: rail, force: 2*sin(5*t)}
  push:   {force: [t, 3], at: cart.p}
  spin:   {torque: 0.7, on: cart}
  bush:   {bushing: [cart, ground], at: [0, 0], stiffness: [7, 8, 9], damping: [0.1, 0, 0]}
simulate: {duration: 0.7 s, tolerance: 1e-10}
)");
  const Trajectory rows = rows_of(mechanism);
  const double x = last(rows, "rail.displacement"), v = last(rows, "rail.rate"), t = 0.7;
  EXPECT_NEAR(last(rows, "spring.force"), 30 * (1 + x - 0.8) + 2 * v + 1, 1e-9);
  EXPECT_NEAR(last(rows, "law.force"), 3 * (1 + x) * (1 + x), 1e-9);
  EXPECT_NEAR(last(rows, "back.force"), 5 * (x - 0.1) + 0.3 * v, 1e-9);
  EXPECT_NEAR(last(rows, "rub.force"), -(0.4 * std::tanh(v / 0.05) + 0.2 * v), 1e-9);
  EXPECT_NEAR(last(rows, "motor.force"), 2 * std::sin(5 * t), 1e-12);
  EXPECT_NEAR(last(rows, "push.force.x"), t, 1e-12);
  EXPECT_EQ(last(rows, "push.force.y"), 3);
  EXPECT_EQ(last(rows, "spin.torque.z"), 0.7);
  EXPECT_NEAR(last(rows, "bush.force.x"), -7 * x - 0.1 * v, 1e-9);
  EXPECT_NEAR(last(rows, "bush.torque.z"), 0, 1e-9);
  // The rail carries what acts across it.
  EXPECT_NEAR(last(rows, "rail.force.y"), -3, 1e-9);
  EXPECT_NEAR(last(rows, "rail.torque.z"), -0.7, 1e-9);
  // The value of a simulation has the same names, and 2 ẍ is the sum along the rail.
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  ASSERT_TRUE(simulation.advance_to(t).report.accepted());
  const auto value = [&](const char* name) { return simulation.value(name); };
  EXPECT_NEAR(value("spring.force"), last(rows, "spring.force"), 1e-6);
  const auto sum = [&] {
    return -value("spring.force") - value("law.force") - value("back.force") + value("rub.force") +
           value("motor.force") + value("push.force.x") + value("bush.force.x");
  };
  const double before = value("rail.rate"), first = sum();
  const double h = 1e-4;
  ASSERT_TRUE(simulation.advance_to(t + h).report.accepted());
  // the mean of both ends: error h²/12 of a third derivative below 1e4
  EXPECT_NEAR(2 * (value("rail.rate") - before) / h, 0.5 * (first + sum()), 1e-4);
}

// A harmonic drive without control: the link swings against the rotor, which weighs N² times its inertia.
//   ω² = k (1/(N² (J_r + a) + J_o) + 1/J_l), a the armature of the shaft; the bearing does not rub
TEST_P(ForceColumns, TheRotorOfAHarmonicDriveWeighsAsMuchAsItsRatioSquared) {
  ModelInput input = read_model(std::string(kSourceDir) + "/examples/machines/robot-joint.yaml",
                                {"gravity=[0, 0]", "parameters.kp=0", "parameters.kd=0",
                                 "forces.flex.damping=0", "simulate.duration=0.2", "outputs.interval=0.1",
                                 "simulate.tolerance=1e-9", "simulate.coordinates=" + GetParam()});
  Mechanism m = std::move(input).value();
  std::erase_if(m.forces, [](const Force& force) { return force.name == "rub"; });
  for (Joint& joint : m.joints)
    if (joint.name == "elbow")
      joint.speed = 1;
    else if (joint.name == "drive")
      joint.speed = 0;
  const Trajectory rows = rows_of(m);
  const auto J = [&](const char* name) { return m.body(name)->inertia(2, 2); };
  const Body& link = *m.body("link");
  const double of_link = J("link") + link.mass * link.com.squaredNorm();
  EXPECT_NEAR(J("rotor"), 0.5 * 0.3 * 0.025 * 0.025, 1e-12);
  const double omega = std::sqrt(2000 * (1 / (1e4 * (J("rotor") + 2e-5) + J("output")) + 1 / of_link));
  EXPECT_NEAR(last(rows, "elbow.angle"), std::sin(0.2 * omega) / omega, 1e-6 / omega);
  EXPECT_NEAR(last(rows, "shaft.angle"), -100 * last(rows, "drive.angle"), 1e-9);
  EXPECT_NEAR(last(rows, "flex.torque"), 2000 * last(rows, "elbow.angle"), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(All, ForceColumns, testing::Values("natural", "reference", "relative"),
                         [](const auto& which) { return which.param; });

}  // namespace
}  // namespace trammel::tests::force_columns_test
