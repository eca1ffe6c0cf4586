// Elements on joint coordinates, in every kind of coordinates: rotors seen on a coordinate, couplers by
// expression and polynomial, tendons, screws in their nuts and constant-velocity joints, against closed
// forms; and what is said of those that cannot be.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "machine_testing.h"
#include "trammel/validate.h"

namespace trammel::tests::joint_elements_test {
namespace {

using std::numbers::pi;

// --- armature

const char* kWheel = R"yaml(
plane: xy
bodies:
  carriage: {mass: 3, inertia: 0.5}
  wheel:    {mass: 2, inertia: 0.2}
joints:
  bed:   {fixed: [carriage, ground], at: [0, 0]}
  hinge: {revolute: [wheel, carriage], at: [0, 0], armature: 0.3}
)yaml";

// θ̈ = τ/(I + a). The bed carries what the carriage receives: −τ of the motor and a θ̈ of the rotor.
TEST(Armature, IsAcceleratedWithTheJointAndLeavesTheRestToTheBed) {
  const Mechanism m = read(std::string(kWheel) + "forces: {motor: {joint: hinge, torque: 4}}\n");
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(m, coordinates);
    run.to(0.5);
    const double acceleration = 4 / (0.2 + 0.3);
    EXPECT_NEAR(run.reading("hinge", "rate"), 0.5 * acceleration, 1e-9);
    EXPECT_NEAR(run["bed"].torque.z(), 0.2 * acceleration, 1e-8);
    EXPECT_NEAR(run.energy(), 0, 1e-9);
  }
}

TEST(Armature, IsCarriedByADriver) {
  const Mechanism m = read(std::string(kWheel) + "drivers: {spin: {joint: hinge, equals: 1.5*t^2}}\n");
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(m, coordinates);
    run.to(0.5);
    EXPECT_NEAR(run.effort("spin"), 3 * (0.2 + 0.3), 1e-8);
  }
}

// All joints of a loop have one, so that no tree can hold them all.
TEST(Armature, OfALoopGivesTheSameMotionInAllCoordinates) {
  const Mechanism m = read(R"yaml(
plane: xy
gravity: [0, -9.81]
bodies:
  crank:   {mass: 1, inertia: 0.1, at: [0, 0], angle: 60 deg, points: {p: [1, 0]}}
  coupler: {mass: 2, inertia: 0.5, at: [0.5, 0.8660254037844386], points: {p: [2, 0]}}
  rocker:  {mass: 1, inertia: 0.2, at: [2.5, 0.8660254037844386], angle: -60 deg, points: {p: [1, 0]}}
joints:
  A: {revolute: [crank, ground], at: [0, 0], armature: 0.5}
  B: {revolute: [coupler, crank], at: [0.5, 0.8660254037844386], armature: 0.2}
  C: {revolute: [rocker, coupler], at: [2.5, 0.8660254037844386], armature: 0.3}
  D: {revolute: [rocker, ground], at: [3, 0], armature: 0.7}
)yaml");
  std::vector<double> angle, torque;
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(m, coordinates);
    const double start = run.energy();
    run.to(0.8);
    EXPECT_NEAR(run.energy(), start, 1e-7);
    angle.push_back(run.reading("A", "angle"));
    torque.push_back(run["D"].force.norm());
  }
  EXPECT_GT(std::abs(angle[0] - pi / 3), 0.1);
  for (std::size_t k = 1; k < angle.size(); ++k) {
    EXPECT_NEAR(angle[k], angle[0], 1e-7);
    EXPECT_NEAR(torque[k], torque[0], 1e-5);
  }
}

TEST(Armature, OfADisplacementIsAMass) {
  const Mechanism m = read(R"yaml(
gravity: [0, 0, -10]
bodies: {block: {mass: 2, inertia: [1, 1, 1]}}
joints: {guide: {prismatic: [block, ground], axis: [0, 0, 1], armature: 3}}
)yaml");
  for (const char* coordinates : kCoordinates) {
    Moved run(m, coordinates);
    run.to(1);
    EXPECT_NEAR(run.reading("guide", "rate"), -2 * 10.0 / 5, 1e-8) << coordinates;
  }
}

TEST(Armature, IsWrittenAndReadAgain) {
  const Mechanism m = read(kWheel);
  const ModelInput again = read_model_text(write_model(m), "again.yaml");
  ASSERT_TRUE(again.errors.empty()) << to_string(again.errors.front());
  EXPECT_EQ(again.mechanism.joint("hinge")->armature, 0.3);
}

TEST(Armature, MustMakeSense) {
  const std::string head = "plane: xy\nbodies: {a: {mass: 1, inertia: 1}}\njoints: ";
  EXPECT_NE(complaint(head + "{h: {revolute: [a, ground], at: [0, 0], armature: -1}}\n")
                .find("the armature of 'h' is -1"),
            std::string::npos);
  EXPECT_NE(complaint(head + "{h: {revolute: [a, ground], at: [0, 0], armature: 1 kg}}\n").find("armature"),
            std::string::npos);
  Mechanism m = read(head + "{h: {fixed: [a, ground]}}\n");
  m.joints[0].armature = 1;
  EXPECT_NE(validate(m).at(0).message.find("not exactly one coordinate"), std::string::npos);
}

TEST(Armature, BetweenSubsystemsIsRefusedByModular) {
  const Mechanism m = read(kWheel);
  Plan plan = m.plan;
  plan.formulation = "modular";
  EXPECT_THROW(
      {
        try {
          Simulation simulation(m, plan);
        } catch (const std::invalid_argument& error) {
          EXPECT_NE(std::string(error.what()).find("does not know the armature of 'hinge'"),
                    std::string::npos);
          throw;
        }
      },
      std::invalid_argument);
}

// --- couplers

std::string cam(const std::string& coupler) {
  return R"yaml(
plane: xy
bodies:
  disk:   {mass: 1, inertia: 0.3}
  tappet: {mass: 2, inertia: 0.1}
joints:
  turn: {revolute: [disk, ground], at: [0, 0]}
  lift: {prismatic: [tappet, ground], axis: [0, 1]}
  cam:  )yaml" +
         coupler + "\n";
}

// s = h (1 − cos ωt): the coupler pushes with m s̈ and takes m s̈ ds/dθ from the motor.
TEST(Coupler, FollowsAnExpressionAndReportsItsEffort) {
  const Mechanism m = read(cam("{coupler: [lift, turn], equals: 0.02*(1 - cos(turn.angle))}") +
                           "drivers: {motor: {joint: turn, equals: 7*t}}\n");
  const double t = 0.9, w = 7, s_dd = 0.02 * w * w * std::cos(w * t);
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(m, coordinates);
    run.to(t);
    EXPECT_NEAR(run.reading("lift", "displacement"), 0.02 * (1 - std::cos(w * t)), 1e-11);
    EXPECT_NEAR(run.effort("cam"), 2 * s_dd, 1e-7);
    EXPECT_NEAR(run.effort("motor"), 2 * s_dd * 0.02 * std::sin(w * t), 1e-7);
  }
}

// Assembly moves the tappet onto the curve; then the energy stays what it was.
TEST(Coupler, FollowsAPolynomialOverTurns) {
  const Mechanism m = read(cam("{coupler: [lift, turn], polynomial: [0.1, 0.05, -0.02, 0.003, 0.001]}") +
                           "initial: {turn: {speed: 3}}\n");
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(m, coordinates);
    const double start = run.energy();
    run.to(5);
    const double x = run.reading("turn", "angle");
    EXPECT_GT(x, 2 * pi);
    EXPECT_NEAR(run.reading("lift", "displacement"), 0.1 + x * (0.05 + x * (-0.02 + x * (0.003 + x * 0.001))),
                1e-9);
    EXPECT_NEAR(run.energy(), start, 1e-7);
  }
}

// An implicit relation: the joint that follows may stand on the right, too.
TEST(Coupler, MayBeImplicit) {
  const Mechanism m = read(cam("{coupler: [lift, turn], equals: lift.displacement^3 + 0.2*turn.angle}") +
                           "drivers: {motor: {joint: turn, equals: t}}\n");
  for (const char* coordinates : kCoordinates) {
    Moved run(m, coordinates);
    run.to(0.7);
    const double s = run.reading("lift", "displacement");
    EXPECT_NEAR(s, s * s * s + 0.2 * 0.7, 1e-10) << coordinates;
  }
}

TEST(Coupler, HoldsOneJoint) {
  const Mechanism m = read(cam("{coupler: lift, polynomial: [0.3]}"));
  Moved run(m, "natural");
  EXPECT_NEAR(run.reading("lift", "displacement"), 0.3, 1e-11);
}

TEST(Coupler, IsWrittenAndReadAgain) {
  const Mechanism m = read(cam("{coupler: [lift, turn], polynomial: [0.1, 0.05, -0.02]}"));
  const ModelInput again = read_model_text(write_model(m), "again.yaml");
  ASSERT_TRUE(again.errors.empty()) << to_string(again.errors.front());
  EXPECT_EQ(again.mechanism.joint("cam")->law, m.joint("cam")->law);
  EXPECT_EQ(again.mechanism.joint("cam")->of, m.joint("cam")->of);
}

TEST(Coupler, MustMakeSense) {
  const auto says = [](const std::string& coupler, const std::string& words) {
    const std::string said = complaint(cam(coupler));
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  says("{coupler: [lift, turn]}", "equals");
  says("{coupler: [lift, turn], equals: turn.rate}", "coupler 'cam' depends on 'turn.rate'");
  says("{coupler: [lift, turn], equals: t}", "coupler 'cam' depends on 't'");
  says("{coupler: [lift], equals: turn.angle}", "does not name the joint 'turn'");
  says("{coupler: [lift, turn], equals: abs(turn.angle)}", "has a jump or a kink");
  says("{coupler: [lift, lift], equals: 0}", "names joint 'lift' twice");
  says("{coupler: [lift, turm], equals: 0}", "turm");
  says("{coupler: [lift, turn], polynomial: 3}", "polynomial: expected numbers");
  says("{coupler: [lift, turn], polynomial: [1], equals: 0}", "`polynomial:` already says what it equals");
  says("{coupler: lift, polynomial: [1, 2]}", "names one joint only");
  says("{coupler: [lift, turn], equals: turn.angel}", "turn.angel");
}

// --- tendons

// L̈ = −(r₁²/I₁ + r₂²/m) F, F = p + k (L − L₀) + d L̇: a damped oscillation about L₀ − p/k.
TEST(Tendon, SwingsAsItsClosedForm) {
  const Mechanism m = read(R"yaml(
plane: xy
bodies:
  disk:  {mass: 1, inertia: 0.3}
  block: {mass: 2, inertia: 0.1}
joints:
  turn: {revolute: [disk, ground], at: [0, 0]}
  lift: {prismatic: [block, ground], axis: [0, 1]}
forces:
  cable: {tendon: {turn: 0.5, lift: -2}, stiffness: 40, length: 0.1, damping: 1.5, preload: 3}
outputs: {columns: {again: cable.force}}
)yaml");
  const double mobility = 0.25 / 0.3 + 4 / 2.0, k = 40, d = 1.5;
  const double decay = d * mobility / 2, w = std::sqrt(k * mobility - decay * decay), rest = 0.1 - 3 / k;
  const auto length = [&](double t) {
    return rest - rest * std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t));
  };
  const double t = 0.6, h = 1e-5, L = length(t), L_dot = (length(t + h) - length(t - h)) / (2 * h);
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(m, coordinates);
    run.to(t);
    EXPECT_NEAR(0.5 * run.reading("turn", "angle") - 2 * run.reading("lift", "displacement"), L, 1e-9);
    EXPECT_NEAR(run.effort("cable"), 3 + k * (L - 0.1) + d * L_dot, 1e-6);
    EXPECT_NEAR(run.reading("", "again"), run.effort("cable"), 1e-12);
    EXPECT_NEAR(run.energy(), 0.5 * k * 0.01 - 3 * 0.1, 1e-8);
  }
}

TEST(Tendon, IsWrittenAndReadAgain) {
  const std::string text = R"yaml(
plane: xy
bodies: {disk: {mass: 1, inertia: 0.3}}
joints: {turn: {revolute: [disk, ground], at: [0, 0]}}
forces: {cable: {tendon: {turn: 20 mm/rad}, stiffness: 40, length: 0.1, damping: 1.5, preload: 3}}
)yaml";
  const Mechanism m = read(text);
  EXPECT_EQ(std::get<Tendon>(m.forces[0].law).terms[0].coefficient, 0.02);
  const ModelInput again = read_model_text(write_model(m), "again.yaml");
  ASSERT_TRUE(again.errors.empty()) << to_string(again.errors.front());
  EXPECT_EQ(again.mechanism.forces[0].law, m.forces[0].law);
}

TEST(Tendon, MustMakeSense) {
  const auto says = [](const std::string& tendon, const std::string& words) {
    const std::string said =
        complaint(cam("{coupler: lift, polynomial: [0.3]}") + "forces: {cable: " + tendon + "}\n");
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  says("{tendon: turn, stiffness: 1}", "tendon: expected joints and their coefficients");
  says("{tendon: {turm: 1}, stiffness: 1}", "turm");
  says("{tendon: {cam: 1}, stiffness: 1}", "joint 'cam' has no coordinate");
  says("{tendon: {turn: 0}, stiffness: 1}", "the coefficient of 'turn' in 'cable' is zero");
  says("{tendon: {turn: 1}}", "stiffness");
}

// --- screws in their nuts

// The nut (m, guided) rises by z = −p/2π θ as the screw (I) turns by θ. F on the nut along z:
// m z̈ = F − m g,  I θ̈ = T + F p/2π.
TEST(ScrewPair, PressesOnBothBearings) {
  const Mechanism m = read(R"yaml(
gravity: [0, 0, -9.81]
bodies:
  screw: {mass: 1, inertia: [0.1, 0.1, 0.02]}
  nut:   {mass: 5, inertia: [0.1, 0.1, 0.1], at: [0, 0, 0.2]}
joints:
  bearing: {revolute: [screw, ground], at: [0, 0, 0], axis: [0, 0, 1]}
  guide:   {prismatic: [nut, ground], at: [0, 0, 0.2], axis: [0, 0, 1]}
  thread:  {screw-pair: [nut, screw], at: [0, 0, 0.2], axis: [0, 0, 1], pitch: 40 mm}
forces:
  motor: {joint: bearing, torque: -1}
)yaml");
  const double c = 0.04 / (2 * pi);
  const double turn = (-1 + 5 * 9.81 * c) / (0.02 + 5 * c * c), F = 5 * (9.81 - c * turn);
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(m, coordinates);
    run.to(0.5);
    EXPECT_NEAR(run.reading("bearing", "rate"), 0.5 * turn, 1e-8);
    EXPECT_NEAR(run.reading("guide", "rate"), -c * 0.5 * turn, 1e-9);
    const system::Wrench thread = run["thread"];
    EXPECT_NEAR(thread.force.z(), F, 1e-7);
    EXPECT_NEAR(thread.torque.z(), -F * c, 1e-8);
    // The bearing carries the screw's weight and the thrust; the guide holds the nut against the thread.
    EXPECT_NEAR(run["bearing"].force.z(), 9.81 + F, 1e-7);
    EXPECT_NEAR(run["guide"].torque.z(), F * c, 1e-8);
  }
}

TEST(ScrewPair, MustMakeSense) {
  const auto says = [](const std::string& bodies, const std::string& words) {
    const std::string said = complaint("bodies:\n" + bodies + "\n");
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  const std::string a = "  a: {mass: 1, inertia: [1, 1, 1]}\n";
  says(a + "joints: {s: {screw-pair: [a, ground], at: [0, 0, 0], axis: [0, 0, 1], pitch: 0}}", "pitch");
  says(a + "joints: {s: {screw-pair: [a, ground], at: [0, 0, 0], axis: [0, 0, 1]}}", "pitch");
  says(
      "  a: {rod: [O, A], mass: 1}\njoints: {s: {screw-pair: [a, ground], at: O, axis: [0, 0, 1], pitch: "
      "1}}\n"
      "points: {O: {at: [0, 0, 0], on: ground}, A: [0, 0, 1]}",
      "which has none about its own axis");
}

// --- shafts that meet at an angle

std::string bent(const std::string& joint, double degrees) {
  const double c = std::cos(degrees * pi / 180), s = std::sin(degrees * pi / 180);
  return fmt::format(R"yaml(
bodies:
  input:  {{mass: 1, inertia: [0.1, 0.1, 0.02], at: [0, 0, -1]}}
  output: {{mass: 1, inertia: [0.1, 0.1, 0.02], at: [{0}, 0, {1}], orientation: {{axis: [0, 1, 0], angle: {2} deg}}}}
joints:
  bearing: {{revolute: [input, ground], at: [0, 0, -1], axis: [0, 0, 1]}}
  far:     {{cylindrical: [output, ground], at: [{0}, 0, {1}], axis: [{0}, 0, {1}]}}
  bend:    {3}
drivers: {{motor: {{joint: bearing, equals: 10*t}}}}
)yaml",
                     s, c, degrees, fmt::format(fmt::runtime(joint), s, c));
}

// φ₂ = φ₁, whatever the bend: at every moment, not only over a turn.
TEST(ConstantVelocity, HasTheSameAngleAtAnyBend) {
  for (const double degrees : {0.0, 20.0, 45.0, 80.0, 120.0})
    for (const char* coordinates : kCoordinates) {
      SCOPED_TRACE(fmt::format("{} deg, {}", degrees, coordinates));
      Moved run(
          read(bent("{{constant-velocity: [output, input], at: [0, 0, 0], axes: [[{0}, 0, {1}], [0, 0, 1]]}}",
                    degrees)),
          coordinates);
      for (const double t : {0.05, 0.13, 0.31}) {
        run.to(t);
        EXPECT_NEAR(run.reading("far", "angle"), 10 * t, 1e-9);
        EXPECT_NEAR(run.reading("far", "angle_rate"), 10, 1e-7);
      }
    }
}

// Hooke's joint does not: with the cross's pin on the input across the plane of the bend at the start,
// tan φ₂ = tan φ₁/cos β. So `universal` is the coupling with a cross.
TEST(Universal, HasHookesRatioOfSpeeds) {
  const double beta = 40 * pi / 180;
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(
        read(bent("{{universal: [output, input], at: [0, 0, 0], axes: [[{1}, 0, -{0}], [0, 1, 0]]}}", 40)),
        coordinates);
    for (const double t : {0.05, 0.13}) {
      run.to(t);
      const double phi = std::atan2(std::sin(10 * t) * std::cos(beta), std::cos(10 * t));
      EXPECT_NEAR(run.reading("far", "angle"), phi, 1e-9);
    }
  }
}

TEST(ConstantVelocity, MustMakeSense) {
  const std::string head = "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints: ";
  const auto says = [&](const std::string& joint, const std::string& words) {
    const std::string said = complaint(head + "{j: " + joint + "}\n");
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  says("{constant-velocity: [a, ground], at: [0, 0, 0]}", "axes");
  says("{constant-velocity: [a, ground], at: [0, 0, 0], axes: [1, 0, 0]}", "axes: expected two directions");
  says("{constant-velocity: [a, ground], at: [0, 0, 0], axes: [[0, 0, 1], [0, 0, -1]]}",
       "point against each other");
}

}  // namespace
}  // namespace trammel::tests::joint_elements_test
