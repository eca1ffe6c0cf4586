// Columns and conditions that name accelerations, reactions, forces and rotations, in all coordinates.
#include <gtest/gtest.h>

#include <cmath>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::output_signals_test {
namespace {

class OutputSignals : public testing::TestWithParam<std::string> {
 protected:
  RunResult run_of(const std::string& text) const {
    const Mechanism mechanism =
        read_model_text("trammel: 1\n" + text, "outputs.yaml", {"simulate.coordinates=" + GetParam()})
            .value();
    Simulation simulation(mechanism, mechanism.plan);
    EXPECT_TRUE(simulation.assemble().report.accepted());
    RunResult result = run(simulation);
    EXPECT_EQ(result.summary.status, RunStatus::ok);
    return result;
  }
};

// A rod of length 1 on a pin: θ̈ = −1.5 g cos θ, and the pin bears the rest.
TEST_P(OutputSignals, APendulumsAccelerationsAndReactions) {
  const Trajectory rows = run_of(R"(
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, P: [1, 0]}
bodies: {rod: {rod: [O, P], mass: 2}}
outputs:
  interval: 0.1
  columns:
    tip: hypot(P.a.x, P.a.y)
    alpha: rod.alpha
    up: O.force.y
    lift: 2*up
    rise: rod.a.y
    speed: rod.omega
    along: P.v.x
    axis: rod.ex.x
    across: rod.ey.x
simulate: {duration: 1 s, tolerance: 1e-9}
)")
                              .trajectory;
  const auto angle = rows.column("rod.angle"), omega = rows.column("rod.omega");
  const auto tip = rows.column("tip"), alpha = rows.column("alpha"), up = rows.column("up"),
             force = rows.column("O.force.y"), lift = rows.column("lift");
  for (std::size_t i = 0; i < angle.size(); ++i) {
    const double expected = -1.5 * 9.81 * std::cos(angle[i]);
    EXPECT_NEAR(alpha[i], expected, 1e-7);
    EXPECT_NEAR(tip[i], std::hypot(expected, omega[i] * omega[i]), 1e-6);
    EXPECT_EQ(up[i], force[i]);
    EXPECT_EQ(lift[i], 2 * force[i]);
    EXPECT_NEAR(force[i], 2 * (rows.column("rise")[i] + 9.81), 1e-7);  // the rod's own balance
    EXPECT_NEAR(rows.column("speed")[i], omega[i], 1e-12);
    EXPECT_NEAR(rows.column("along")[i], -std::sin(angle[i]) * omega[i], 1e-9);
    EXPECT_NEAR(rows.column("axis")[i], std::cos(angle[i]), 1e-12);
    EXPECT_NEAR(rows.column("across")[i], -std::sin(angle[i]), 1e-12);
  }
}

// A free body in space: ω as its columns have it, J ω̇ = −ω × Jω.
TEST_P(OutputSignals, AFreeBodyInSpace) {
  const Trajectory rows = run_of(R"(
bodies: {box: {mass: 1, inertia: [1, 2, 3], free: true}}
initial: {box: {angular-velocity: [0.5, 2, 0.3]}}
outputs:
  interval: 0.2
  columns:
    x: box.omega.x
    y: box.omega.y
    z: box.omega.z
    spin: box.omega.x*box.ez.x + box.omega.y*box.ez.y + box.omega.z*box.ez.z
    change: box.alpha.x*box.ez.x + box.alpha.y*box.ez.y + box.alpha.z*box.ez.z
    first: box.omega.x*box.ex.x + box.omega.y*box.ex.y + box.omega.z*box.ex.z
    second: box.omega.x*box.ey.x + box.omega.y*box.ey.y + box.omega.z*box.ey.z
simulate: {duration: 2 s, tolerance: 1e-9}
)")
                              .trajectory;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto at = [&](const char* name) { return rows.column(name)[i]; };
    EXPECT_NEAR(at("x"), at("box.omega.x"), 1e-9);
    EXPECT_NEAR(at("y"), at("box.omega.y"), 1e-9);
    EXPECT_NEAR(at("z"), at("box.omega.z"), 1e-9);
    // about the third axis: 3 ω̇ = (1 − 2) ω₁ ω₂
    EXPECT_NEAR(at("change"), -at("first") * at("second") / 3, 1e-7);
  }
}

// A motor that compensates a spring reads its force; a condition ends the run where the pin carries 15 N.
TEST_P(OutputSignals, ForcesReadEachOtherAndConditionsReactions) {
  const RunResult result = run_of(R"(
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, P: [1, 0]}
bodies: {rod: {rod: [O, P], mass: 1}}
forces:
  coil:  {joint-spring: O, stiffness: 4, damping: 0.5}
  motor: {joint: O, torque: coil.torque}
outputs: {columns: {turn: motor.torque, power: coil.torque*O.rate}}
simulate: {duration: 2 s, tolerance: 1e-9, stop-when: "hypot(O.force.x, O.force.y) > 15"}
)");
  // As without spring and motor: from rest at θ = 0, φ = −θ, pull m(g sin φ + 1.5 g sin φ) along the rod and
  // m g cos φ/4 across it.
  const double phi = -result.trajectory.column("rod.angle").back();
  EXPECT_NEAR(std::hypot(2.5 * std::sin(phi), 0.25 * std::cos(phi)), 15 / 9.81, 1e-6);
  EXPECT_EQ(result.trajectory.column("turn").back(), result.trajectory.column("motor.torque").back());
  EXPECT_NEAR(result.trajectory.column("turn").back(), result.trajectory.column("coil.torque").back(), 1e-9);
  EXPECT_NEAR(result.trajectory.column("power").back(),
              result.trajectory.column("coil.torque").back() * result.trajectory.column("O.rate").back(),
              1e-9);
}

INSTANTIATE_TEST_SUITE_P(All, OutputSignals, testing::Values("natural", "reference", "relative"),
                         [](const auto& which) { return which.param; });

}  // namespace
}  // namespace trammel::tests::output_signals_test
