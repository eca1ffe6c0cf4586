// Bevel gears and worms: every force between the teeth and of the bearings against the formulas of textbooks
// (Shigley's Mechanical Engineering Design, chapter 13), in all coordinates; a differential; and what is said
// of pairs that cannot be.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "machine_testing.h"
#include "model/writer/model_writer.h"

namespace trammel::tests::crossed_gears_test {
namespace {

// A shaft that is held at a ball, which takes the thrust, and at a sleeve, both on the line at + s·axis.
std::string shaft(const std::string& name, const std::string& at, const std::string& axis,
                  const std::string& ball, const std::string& sleeve) {
  return fmt::format(R"yaml(
  {0}_ball:   {{spherical: [{0}, ground], at: {3}}}
  {0}_sleeve: {{point-on-line: {{body: {0}, at: {4}}}, through: {1}, along: {2}}}
)yaml",
                     name, at, axis, ball, sleeve);
}

// The forces of ball and sleeve on a shaft that a force at a place loads, without weight.
void expect_held(const Moved& run, const std::string& name, const Vec3& ball, const Vec3& sleeve,
                 const Vec3& at, const Vec3& force) {
  const Vec3 arm = sleeve - ball, moment = (at - ball).cross(force);
  // arm × S + moment = 0 across the shaft
  const Vec3 S = arm.cross(moment) / arm.squaredNorm();
  expect_force(run[name + "_sleeve"], S, 1e-6);
  expect_force(run[name + "_ball"], -force - S, 1e-6);
}

std::string bevel(double torque, const std::string& more) {
  return fmt::format(R"yaml(
bodies:
  pinion: {{mass: 1, inertia: [1e-3, 2e-3, 2e-3], at: [0.1, 0, 0]}}
  gear:   {{mass: 3, inertia: [0.01, 0.02, 0.01], at: [0, 0.05, 0]}}
joints: {0}{1}
  mesh: {{bevel-pair: [pinion, gear], radii: [30 mm, 60 mm], apex: [0, 0, 0], axes: [[1, 0, 0], [0, 1, 0]]{3}}}
forces:
  motor: {{torque: [{2}, 0, 0], on: pinion}}
  load:  {{torque: [0, "2*({2})", 0], on: gear}}
initial: {{pinion: {{angular-velocity: [20, 0, 0]}}}}
simulate: {{duration: 1, step: 1 ms}}
)yaml",
                     shaft("pinion", "[0, 0, 0]", "[1, 0, 0]", "[0.1, 0, 0]", "[0.2, 0, 0]"),
                     shaft("gear", "[0, 0, 0]", "[0, 1, 0]", "[0, 0.06, 0]", "[0, -0.1, 0]"), torque, more);
}

// γ of the pinion: tan γ = 30/60. W_r = W_t tan φ cos γ, W_a = W_t tan φ sin γ.
TEST(BevelPair, ForcesOfStraightTeethAreThoseOfTheTextbook) {
  for (const double torque : {6.0, -6.0})
    for (const char* coordinates : kCoordinates) {
      SCOPED_TRACE(fmt::format("{} {}", torque, coordinates));
      Moved run(read(bevel(torque, "")), coordinates);
      run.to(0.2);
      EXPECT_NEAR(run.body(0).angular_velocity.x(), 20, 1e-7);
      EXPECT_NEAR(run.body(1).angular_velocity.y(), -10, 1e-7);
      const double Wt = torque / 0.03, part = std::abs(Wt) * std::tan(20 * kDegree);
      const double gamma = std::atan(0.5);
      // On the pinion at (60, 30, 0) mm: it is held back along −z, pushed to its axis and away from the apex.
      const Vec3 on_pinion(part * std::sin(gamma), -part * std::cos(gamma), -Wt);
      expect_force(run["mesh"], on_pinion, 1e-7 * std::abs(Wt));
      EXPECT_LT(run["mesh"].torque.norm(), 1e-8);
      const Vec3 at(0.06, 0.03, 0);
      expect_held(run, "pinion", {0.1, 0, 0}, {0.2, 0, 0}, at, on_pinion);
      expect_held(run, "gear", {0, 0.06, 0}, {0, -0.1, 0}, at, -on_pinion);
    }
}

// W_a = W_t/cos ψ (tan φ sin γ ± sin ψ cos γ), W_r = W_t/cos ψ (tan φ cos γ ∓ sin ψ sin γ)
TEST(BevelPair, ASpiralAddsAForceAlongTheCone) {
  for (const double psi : {35 * kDegree, -35 * kDegree})
    for (const double torque : {6.0, -6.0})
      for (const char* coordinates : kCoordinates) {
        SCOPED_TRACE(fmt::format("{} {} {}", psi, torque, coordinates));
        Moved run(read(bevel(torque, fmt::format(", spiral-angle: {}", psi))), coordinates);
        run.to(0.05);
        const double Wt = torque / 0.03, W = std::abs(Wt) / std::cos(psi), gamma = std::atan(0.5);
        // Right-handed teeth of a pinion that drives in the positive sense push it along its axis, as a
        // screw.
        const double s = std::copysign(std::sin(psi), psi * torque), tan20 = std::tan(20 * kDegree);
        const Vec3 on_pinion(W * (tan20 * std::sin(gamma) + s * std::cos(gamma)),
                             -W * (tan20 * std::cos(gamma) - s * std::sin(gamma)), -Wt);
        expect_force(run["mesh"], on_pinion, 1e-7 * W);
        EXPECT_LT(run["mesh"].torque.norm(), 1e-8);
        expect_held(run, "pinion", {0.1, 0, 0}, {0.2, 0, 0}, {0.06, 0.03, 0}, on_pinion);
      }
}

// Axes at 60 and at 120 deg: the force is one at the pitch point, and does no work.
TEST(BevelPair, AxesMayMeetAtAnyAngle) {
  for (const double angle : {60.0, 120.0})
    for (const char* flank : {"either", "negative"})
      for (const char* coordinates : kCoordinates) {
        SCOPED_TRACE(fmt::format("{} {} {}", angle, flank, coordinates));
        const double c = std::cos(angle * kDegree), s = std::sin(angle * kDegree);
        const std::string axis = fmt::format("[{:.17g}, {:.17g}, 0]", c, s);
        Moved run(read(fmt::format(R"yaml(
bodies:
  a: {{mass: 1, inertia: [1e-3, 2e-3, 2e-3], at: [0.1, 0, 0]}}
  b: {{mass: 2, inertia: [3e-3, 3e-3, 3e-3], at: [{0:.17g}, {1:.17g}, 0]}}
joints:
  A: {{revolute: [a, ground], at: [0, 0, 0], axis: [1, 0, 0]}}
  B: {{revolute: [b, ground], at: [0, 0, 0], axis: {2}}}
  mesh: {{bevel-pair: [a, b], radii: [30 mm, 45 mm], apex: [0, 0, 0], axes: [[1, 0, 0], {2}], flank: {3}}}
forces: {{motor: {{joint: A, torque: 3}}}}
simulate: {{duration: 1, step: 1 ms}}
)yaml",
                                   0.1 * c, 0.1 * s, axis, flank)),
                  coordinates);
        run.to(0.1);
        // J = J_a + J_b (r_a/r_b)²
        const double J = 1e-3 + 3e-3 * 4.0 / 9, W = 3 * (1 - 1e-3 / J) / 0.03;
        EXPECT_NEAR(run.body(0).angular_velocity.x(), 3 / J * 0.1, 1e-6);
        EXPECT_NEAR(run.body(1).angular_velocity.dot(Vec3(c, s, 0)), -2.0 / 3 * 3 / J * 0.1, 1e-6);
        EXPECT_NEAR(run["mesh"].force.z(), -W, 1e-6 * W);
        EXPECT_NEAR(run["mesh"].force.norm(), W / std::cos(20 * kDegree), 1e-6 * W);
        EXPECT_LT(run["mesh"].torque.norm(), 1e-7);
        expect_force(run["A"], -run["mesh"].force, 1e-6 * W);
      }
}

// Half of what the carrier turns goes to each wheel, whichever is faster: ω₁ + ω₂ = 2 ω.
TEST(BevelPair, ADifferentialSharesTheTorqueAndNotTheSpeed) {
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(read(R"yaml(
bodies:
  carrier: {mass: 2, inertia: [0.02, 0.02, 0.02]}
  left:    {mass: 1, inertia: [0.01, 0.01, 0.01], at: [0.05, 0, 0]}
  right:   {mass: 1, inertia: [0.03, 0.02, 0.02], at: [-0.05, 0, 0]}
  spider:  {mass: 0.2, inertia: [1e-4, 1e-4, 1e-4], at: [0, 0.05, 0]}
joints:
  C: {revolute: [carrier, ground], at: [0, 0, 0], axis: [1, 0, 0]}
  L: {revolute: [left, ground], at: [0, 0, 0], axis: [1, 0, 0]}
  R: {revolute: [right, ground], at: [0, 0, 0], axis: [1, 0, 0]}
  S: {revolute: [spider, carrier], at: [0, 0, 0], axis: [0, 1, 0]}
  to_left:  {bevel-pair: [spider, left], radii: [30 mm, 50 mm], apex: [0, 0, 0], axes: [[0, 1, 0], [1, 0, 0]]}
  to_right: {bevel-pair: [spider, right], radii: [30 mm, 50 mm], apex: [0, 0, 0], axes: [[0, 1, 0], [-1, 0, 0]]}
forces: {motor: {joint: C, torque: 4}}
simulate: {duration: 1, step: 1 ms}
)yaml"),
              coordinates);
    run.to(1);
    const double w = run.body(0).angular_velocity.x(), w1 = run.body(1).angular_velocity.x(),
                 w2 = run.body(2).angular_velocity.x();
    EXPECT_NEAR(w1 + w2, 2 * w, 1e-7 * w);
    // The spider turns on the carrier at (5/3)(ω₁ − ω₂)/2, which adds ½ J_s (ω₁ − ω₂)² to the energy:
    // (J₁ + 2 J_s) ω̇₁ = (J₂ + 2 J_s) ω̇₂
    const double Js = 1e-4 * 25.0 / 9 / 4;
    const double ratio = (0.03 + 2 * Js) / (0.01 + 2 * Js);
    EXPECT_NEAR(w1 / w2, ratio, 1e-6 * ratio);
    EXPECT_GT(w, 10);  // several turns: no angle is lost
  }
}

std::string worm(double torque, double lead) {
  return fmt::format(R"yaml(
bodies:
  worm:  {{mass: 1, inertia: [1e-3, 2e-3, 2e-3]}}
  wheel: {{mass: 3, inertia: [0.01, 0.01, 0.02], at: [0, 0.1, 0]}}
joints: {0}{1}
  mesh: {{worm-pair: [worm, wheel], radii: [20 mm, 80 mm], lead-angle: {3:.17g}, axes: [[1, 0, 0], [0, 0, 1]],
         centers: [[0.03, 0, 0], [0, 0.1, 0.02]]}}
forces:
  motor: {{torque: [{2}, 0, 0], on: worm}}
  load:  {{torque: [0, 0, "({2})*4/tan({3:.17g})"], on: wheel}}
initial: {{worm: {{angular-velocity: [50, 0, 0]}}}}
simulate: {{duration: 1, step: 1 ms}}
)yaml",
                     shaft("worm", "[0, 0, 0]", "[1, 0, 0]", "[-0.1, 0, 0]", "[0.1, 0, 0]"),
                     shaft("wheel", "[0, 0.1, 0]", "[0, 0, 1]", "[0, 0.1, -0.05]", "[0, 0.1, 0.05]"), torque,
                     lead);
}

// Without friction, W the force across the teeth: W_t = W cos φ sin λ and W_a = W cos φ cos λ of the worm,
// which are W_a and W_t of the wheel, and W_r = W sin φ.
TEST(WormPair, ForcesAreThoseOfTheTextbook) {
  for (const double lead : {10 * kDegree, -10 * kDegree})
    for (const double torque : {1.5, -1.5})
      for (const char* coordinates : kCoordinates) {
        SCOPED_TRACE(fmt::format("{} {} {}", lead, torque, coordinates));
        Moved run(read(worm(torque, lead)), coordinates);
        run.to(0.2);
        EXPECT_NEAR(run.body(0).angular_velocity.x(), 50, 1e-6);
        // A right-handed worm that is held pulls what it meshes with against its own axis.
        EXPECT_NEAR(run.body(1).angular_velocity.z(), -50 * std::tan(lead) / 4, 1e-6);
        const double W = std::abs(torque) / 0.02 / (std::cos(20 * kDegree) * std::sin(std::abs(lead)));
        const Vec3 on_worm(std::copysign(W * std::cos(20 * kDegree) * std::cos(lead), torque * lead),
                           -W * std::sin(20 * kDegree), -torque / 0.02);
        expect_force(run["mesh"], on_worm, 1e-7 * W);
        EXPECT_LT(run["mesh"].torque.norm(), 1e-8 * W);
        const Vec3 at(0, 0.02, 0);
        expect_held(run, "worm", {-0.1, 0, 0}, {0.1, 0, 0}, at, on_worm);
        expect_held(run, "wheel", {0, 0.1, -0.05}, {0, 0.1, 0.05}, at, -on_worm);
      }
}

// Helical gears on crossed axes, helix angles β₁ + β₂ = Σ: ω₁ r₁ cos β₁ = ω₂ r₂ cos β₂.
TEST(WormPair, AxesMayCrossAtAnyAngle) {
  for (const char* flank : {"either", "negative"})
    for (const char* coordinates : kCoordinates) {
      SCOPED_TRACE(fmt::format("{} {}", flank, coordinates));
      Moved run(read(fmt::format(R"yaml(
bodies:
  a: {{mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}
  b: {{mass: 2, inertia: [3e-3, 3e-3, 3e-3], at: [0, 0.1, 0]}}
joints:
  A: {{revolute: [a, ground], at: [0, 0, 0], axis: [1, 0, 0]}}
  B: {{revolute: [b, ground], at: [0, 0.1, 0], axis: [0.5, 0, 0.86602540378443865]}}
  mesh: {{worm-pair: [a, b], radii: [40 mm, 60 mm], lead-angle: 50 deg, axes: [[1, 0, 0], [0.5, 0, 0.86602540378443865]], flank: {}}}
forces: {{motor: {{joint: A, torque: 3}}}}
simulate: {{duration: 1, step: 1 ms}}
)yaml",
                                 flank)),
                coordinates);
      run.to(0.1);
      const double w1 = run.body(0).angular_velocity.x(),
                   w2 = run.body(1).angular_velocity.dot(Vec3(0.5, 0, 0.86602540378443865));
      EXPECT_NEAR(std::abs(w1 * 0.04 * std::cos(40 * kDegree)), std::abs(w2 * 0.06 * std::cos(20 * kDegree)),
                  1e-8);
      const double ratio = w2 / w1, J = 1e-3 + 3e-3 * ratio * ratio;
      EXPECT_NEAR(w1, 3 / J * 0.1, 1e-6);
      // W_t = W cos φ cos β of each gear
      const double W = 3 * (1 - 1e-3 / J) / 0.04 / (std::cos(20 * kDegree) * std::cos(40 * kDegree));
      EXPECT_NEAR(run["mesh"].force.norm(), W, 1e-6 * W);
      EXPECT_NEAR(run["mesh"].force.y(), -W * std::sin(20 * kDegree), 1e-6 * W);
      EXPECT_LT(run["mesh"].torque.norm(), 1e-7 * W);
    }
}

TEST(CrossedGears, AreWrittenAsTheyAreRead) {
  for (const std::string& text : {bevel(1, ", spiral-angle: 0.3, flank: negative"), worm(1, -0.2)}) {
    const Mechanism m = read(text);
    const ModelInput again = read_model_text(write_model(m), "written.yaml");
    for (const InputError& error : again.errors) ADD_FAILURE() << to_string(error);
    const Joint &joint = *m.joint("mesh"), &other = *again.mechanism.joint("mesh");
    EXPECT_EQ(other.kind, joint.kind);
    EXPECT_EQ(other.teeth, joint.teeth);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_LT((other.markers[k].frame.at - joint.markers[k].frame.at).norm(), 1e-15);
      EXPECT_LT((other.markers[k].frame.axes.col(2) - joint.markers[k].frame.axes.col(2)).norm(), 1e-15);
    }
  }
}

TEST(CrossedGears, SayWhatIsWrong) {
  const auto with = [](const std::string& mesh) {
    return complaint(
        "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1], at: [0, 3, 0]}}\n"
        "joints:\n  A: {revolute: [a, ground], at: [0, 0, 0], axis: [1, 0, 0]}\n"
        "  B: {revolute: [b, ground], at: [0, 3, 0], axis: [0, 0, 1]}\n  m: {" +
        mesh + "}\nsimulate: {duration: 1, step: 0.1}\n");
  };
  const auto bevel_with = [&](const std::string& more) { return with("bevel-pair: [a, b], " + more); };
  EXPECT_EQ(bevel_with("radii: [1, 2], apex: [0, 0, 0], axes: [[1, 0, 0], [0, 0, 1]]"), "");
  EXPECT_NE(bevel_with("radii: [1, 2], axes: [[1, 0, 0], [0, 0, 1]]").find("where the axes meet"),
            std::string::npos);
  EXPECT_NE(bevel_with("radii: [1, 2], apex: [0, 0, 0], axes: [1, 0, 0]").find("expected two directions"),
            std::string::npos);
  EXPECT_NE(bevel_with("radii: [1, 2], apex: [0, 0, 0], axes: [[1, 0, 0], [1, 0, 0]]")
                .find("the axes of the bevel gears of 'm' are parallel"),
            std::string::npos);
  EXPECT_NE(
      bevel_with("radii: [1, 5], apex: [0, 0, 0], axes: [[1, 0, 0], [-1, 0, 1]]").find("toothed inside"),
      std::string::npos);
  EXPECT_NE(bevel_with("radii: [1, 2], apex: [0, 0, 0], axes: [[1, 0, 0], [0, 0, 1]], spiral-angle: 70 deg")
                .find("the spiral angle of 'm' is 70 deg"),
            std::string::npos);
  const auto worm_with = [&](const std::string& more) { return with("worm-pair: [a, b], " + more); };
  EXPECT_EQ(worm_with("radii: [1, 2], lead-angle: 5 deg, axes: [[1, 0, 0], [0, 0, 1]]"), "");
  EXPECT_NE(worm_with("radii: [1, 2], axes: [[1, 0, 0], [0, 0, 1]]").find("give the lead angle of the worm"),
            std::string::npos);
  EXPECT_NE(worm_with("radii: [1, 2], lead-angle: 0.1 deg, axes: [[1, 0, 0], [0, 0, 1]]")
                .find("the lead angle of 'm' is 0.1 deg"),
            std::string::npos);
  EXPECT_NE(worm_with("radii: [1, 1], lead-angle: 5 deg, axes: [[1, 0, 0], [0, 0, 1]]")
                .find("are 3 m apart at the start, and their radii make 2 m"),
            std::string::npos);
  EXPECT_NE(worm_with("radii: [1, 2], lead-angle: 5 deg, axes: [[1, 0, 0], [1, 0, 0]]")
                .find("the axes of worm and wheel of 'm' are parallel"),
            std::string::npos);
  EXPECT_NE(worm_with("radii: [1, -2], lead-angle: 5 deg, axes: [[1, 0, 0], [0, 0, 1]]")
                .find("the radii of 'm' are 1 m and -2 m"),
            std::string::npos);
  EXPECT_NE(
      complaint("plane: xy\nbodies: {a: {mass: 1, inertia: 1}}\njoints: {m: {bevel-pair: [a, ground]}}\n")
          .find("does not exist in the plane"),
      std::string::npos);
}

}  // namespace
}  // namespace trammel::tests::crossed_gears_test
