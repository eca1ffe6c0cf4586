// Mechanisms are assembled to rounding, and initial velocities that a person leaves open completed, in all
// coordinates.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "formulations/projection/assembly.h"
#include "system/system.h"
#include "trammel/model.h"
#include "trammel/simulation.h"

namespace trammel::tests::assembly_test {
namespace {

class Completed : public testing::TestWithParam<std::string> {
 protected:
  std::vector<double> speeds(const std::string& text) const {
    std::vector<double> omega;
    const Mechanism mechanism =
        read_model_text("trammel: 1\nplane: xy\n" + text +
                            "\nsimulate: {duration: 1, step: 1 ms, coordinates: " + GetParam() + "}\n",
                        "assembly.yaml")
            .value();
    Simulation simulation(mechanism, mechanism.plan);
    EXPECT_TRUE(simulation.assemble().report.accepted());
    for (const Body& body : mechanism.bodies)
      omega.push_back(simulation.pose(body.name).angular_velocity.z());
    return omega;
  }
};

// The least kinetic energy: of two equal rods in line the second turns back at one and a half times the speed
// of the first. The heavier the second is, the less rounding may be multiplied by penalties.
TEST_P(Completed, VelocitiesOfAChainAreTheLeast) {
  for (const char* const mass : {"1", "1e6"}) {
    const std::vector<double> omega = speeds(
        "points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [2, 0]}\n"
        "bodies: {upper: {rod: [O, A], mass: 1}, lower: {rod: [A, B], mass: " +
        std::string(mass) + "}}\ninitial: {upper: {angular-velocity: 8}}");
    EXPECT_NEAR(omega[0], 8, 1e-12) << mass;
    EXPECT_NEAR(omega[1], -12, 2e-12) << mass;
  }
}

// A parallelogram's rocker follows its crank, and the coupler does not turn.
TEST_P(Completed, VelocitiesOfALoopAreThoseThatItHas) {
  const std::vector<double> omega = speeds(
      "points: {O: {at: [0, 0], on: ground}, D: {at: [2, 0], on: ground}, A: [0.6, 0.8], B: [2.6, 0.8]}\n"
      "bodies: {crank: {rod: [O, A], mass: 1}, coupler: {rod: [A, B], mass: 3}, "
      "rocker: {rod: [D, B], mass: 2}}\ninitial: {crank: {angular-velocity: 5}}");
  EXPECT_NEAR(omega[0], 5, 1e-12);
  EXPECT_NEAR(omega[1], 0, 1e-12);
  EXPECT_NEAR(omega[2], 5, 1e-12);
}

// Velocities of a motion are projected to the nearest that the joints allow: also so close to a singular
// position that sweeps with penalties hardly move them. A parallelogram has one motion, u: the change is
// square to it.
class NearlyFlat : public testing::TestWithParam<std::string> {};

TEST_P(NearlyFlat, TakesTheNearestVelocities) {
  for (const double angle : {0.3, 1e-4, 1e-6}) {
    const double x = std::cos(angle), y = std::sin(angle);
    const Mechanism mechanism =
        read_model_text(
            fmt::format("trammel: 1\nplane: xy\n"
                        "points: {{O: {{at: [0, 0], on: ground}}, D: {{at: [2, 0], on: ground}}, "
                        "A: [{0:.17g}, {1:.17g}], B: [{2:.17g}, {1:.17g}]}}\n"
                        "bodies: {{crank: {{rod: [O, A], mass: 1}}, coupler: {{rod: [A, B], mass: 3}}, "
                        "rocker: {{rod: [D, B], mass: 2}}}}\n"
                        "initial: {{crank: {{angular-velocity: 5}}}}\n"
                        "simulate: {{duration: 1, step: 1 ms, coordinates: {3}}}\n",
                        x, y, 2 + x, GetParam()),
            "assembly.yaml")
            .value();
    Simulation simulation(mechanism, mechanism.plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    const system::System& system = simulation.system();
    const std::vector<double> u = simulation.state().v;
    State state = simulation.state();
    for (std::size_t k = 0; k < state.v.size(); ++k) state.v[k] += 0.1 * std::cos(static_cast<double>(3 * k));
    const std::vector<double> before = state.v;
    const AssemblyReport closed = formulations::close(system, state);
    EXPECT_TRUE(closed.report.accepted()) << angle;
    EXPECT_TRUE(closed.conflicts.empty()) << angle;
    system::Terms terms = system.make_terms();
    system.evaluate(state, system::kAskPosition, terms);
    std::vector<double> change(u.size()), momentum(u.size(), 0.0);
    for (std::size_t k = 0; k < u.size(); ++k) change[k] = state.v[k] - before[k];
    system.add_mass_times(terms, change, 1, momentum);
    double along = 0, size = 0;
    for (std::size_t k = 0; k < u.size(); ++k) {
      along += momentum[k] * u[k];
      size += std::abs(momentum[k] * u[k]);
    }
    EXPECT_LT(std::abs(along), 1e-6 * size + 1e-12) << angle;  // what 1e-8 of the rates leaves, and rounding
  }
}

INSTANTIATE_TEST_SUITE_P(All, NearlyFlat, testing::Values("natural", "reference", "relative"),
                         [](const auto& one) { return one.param; });

// Two fixed joints say the same: in natural coordinates the equation of their angle is c·|d|² with c a
// rounding error, whatever the bodies' angles.
TEST(Assembled, TwoFixedJointsBetweenTheSameBodies) {
  for (const char* const angle : {"0.4097137005626492", "0.4", "0.77", "2"}) {
    const Mechanism mechanism = read_model_text(R"(
trammel: 1
plane: xy
bodies:
  a: {mass: 1000, inertia: 76, at: [-0.24, -0.01], angle: )" +
                                                    std::string(angle) + R"(, free: true}
  b: {mass: 1000, inertia: 8, at: [-0.43, 0.26], angle: 1.832856882326003, free: true}
joints:
  one: {fixed: [b, a], at: [-0.68, 0.33]}
  two: {fixed: [b, a], at: [-0.52, 0.28]}
simulate: {duration: 1, step: 1 ms, coordinates: natural}
)",
                                                "assembly.yaml")
                                    .value();
    Simulation simulation(mechanism, mechanism.plan);
    const AssemblyReport assembly = simulation.assemble();
    EXPECT_TRUE(assembly.report.accepted()) << angle;
    EXPECT_LT(assembly.largest_move, 1e-12) << angle;
  }
}

// Bodies placed hundreds of their sizes away from what holds them come to it.
class FromAfar : public testing::TestWithParam<std::string> {};

TEST_P(FromAfar, BodiesComeToTheirJoints) {
  const char* const models[] = {
      "points: {O: {at: [0, 0, 0], on: ground}}\n"
      "bodies: {ball: {mass: 1, inertia: [0.01, 0.01, 0.01], com: [50, 30, 20], points: {P: [50.1, 30, "
      "20]}}}\n"
      "joints: {tie: {distance: [O, ball.P], length: 0.3}}\n",
      "bodies: {ball: {mass: 1, inertia: [0.01, 0.01, 0.01], com: [50, 30, 20], points: {P: [50.1, 30, "
      "20]}}}\n"
      "joints: {line: {point-on-line: ball.P, through: [0, 0, 0], along: [1, 0, 0]}}\n",
      "bodies: {wheel: {mass: 1, inertia: [0.01, 0.01, 0.01], com: [5, 3, 20]}}\n"
      "joints: {contact: {rolling: wheel, radius: 0.1, through: [0, 0, 0], normal: [0, 0, 1]}}\n",
      "points: {A: {at: [0, 0, 0], on: ground}, B: {at: [1, 0, 0], on: ground}, C: {at: [0.5, 0.8, 0], on: "
      "ground}}\n"
      "bodies:\n  plate: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [20, 30, 40],\n"
      "    points: {P: [20, 30, 40], Q: [20.5, 30, 40], R: [20.2, 30.4, 40]}}\n"
      "joints:\n  a: {distance: [A, plate.P], length: 1}\n  b: {distance: [B, plate.Q], length: 1}\n"
      "  c: {distance: [C, plate.R], length: 1}\n",
      "plane: xy\npoints: {O: {at: [0, 0], on: ground}, A: [100, 20], B: {at: [3, 0], on: ground}}\n"
      "bodies: {a: {rod: [O, A], mass: 1, length: 1}, b: {rod: [A, B], mass: 1, length: 2.5}}\n"};
  for (const char* const text : models) {
    const Mechanism mechanism =
        read_model_text(
            std::string("trammel: 1\n") + text + "simulate: {duration: 1, coordinates: " + GetParam() + "}\n",
            "afar.yaml")
            .value();
    Simulation simulation(mechanism, mechanism.plan);
    const AssemblyReport report = simulation.assemble();
    ASSERT_TRUE(report.report.accepted()) << text;
    EXPECT_LT(report.report.violation, 1e-9);
    EXPECT_GT(report.largest_move, 1) << text;
  }
}
// What cannot be closed still is refused.
TEST_P(FromAfar, WhatIsTooShortStaysOpen) {
  const Mechanism mechanism =
      read_model_text(
          "trammel: 1\nplane: xy\npoints: {O: {at: [0, 0], on: ground}, A: [100, 20], B: {at: [4, 0], on: "
          "ground}}\n"
          "bodies: {a: {rod: [O, A], mass: 1, length: 1}, b: {rod: [A, B], mass: 1, length: 2.5}}\n"
          "simulate: {duration: 1, coordinates: " +
              GetParam() + "}\n",
          "short.yaml")
          .value();
  Simulation simulation(mechanism, mechanism.plan);
  EXPECT_EQ(simulation.assemble().report.outcome, Outcome::assembly_failed);
}
INSTANTIATE_TEST_SUITE_P(All, FromAfar, testing::Values("natural", "reference", "relative"),
                         [](const auto& of) { return of.param; });

INSTANTIATE_TEST_SUITE_P(All, Completed, testing::Values("natural", "reference", "relative"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace trammel::tests::assembly_test
