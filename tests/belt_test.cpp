// Belts and chains: tensions of all spans and forces of the bearings against hand calculation, inextensible
// and elastic, open and crossed; the length of a belt over a moving tensioner against tangents and arcs
// measured anew; a span that goes slack; and what is said of belts that cannot be.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "machine_testing.h"
#include "model/writer/model_writer.h"

namespace trammel::tests::belt_test {
namespace {

constexpr double kPi = std::numbers::pi;

// Two pulleys 0.5 m apart; the second stands on a slide that a force of 400 N pulls away. A motor drives the
// first, a load holds the second back: constant speed.
std::string drive(double r1, double r2, const std::string& more = "") {
  return fmt::format(R"yaml(
plane: xy
bodies:
  motor: {{mass: 1, inertia: 0.01}}
  fan:   {{mass: 2, inertia: 0.02, at: [0.5, 0]}}
  slide: {{mass: 1, inertia: 0.01, at: [0.5, 0]}}
joints:
  M: {{revolute: [motor, ground], at: [0, 0]}}
  F: {{revolute: [fan, slide], at: [0.5, 0]}}
  S: {{prismatic: [slide, ground], axis: [1, 0]}}
  belt: {{belt: [motor, fan], radii: [{0}, {1}]}}
forces:
  engine: {{torque: 6, on: motor}}
  load:   {{torque: "-6*{1}/{0}", on: fan}}
  pull:   {{force: [400, 0], at: fan.com}}
{2}
initial: {{M: {{speed: 30}}}}
simulate: {{duration: 1, step: 1 ms}}
)yaml",
                     r1, r2, more);
}

// T₁ − T₂ = M/r, and both together hold the slide: (T₁ + T₂) cos δ = 400 N, sin δ = (r₁ − r₂)/0.5 m.
TEST(Belt, TensionsOfAnOpenAndACrossedBeltAreThoseOfTheBalance) {
  for (const double r2 : {0.06, 0.1, -0.1})
    for (const char* coordinates : kCoordinates) {
      SCOPED_TRACE(fmt::format("{} {}", r2, coordinates));
      Moved run(read(drive(0.06, r2)), coordinates);
      run.to(0.3);
      EXPECT_NEAR(run.body(0).angular_velocity.z(), 30, 1e-7);
      EXPECT_NEAR(run.body(1).angular_velocity.z(), 30 * 0.06 / r2, 1e-7);
      const double sine = (0.06 - r2) / 0.5, sum = 400 / std::sqrt(1 - sine * sine), difference = 6 / 0.06;
      // The first span leaves the motor at its lower side, running counterclockwise: it pushes belt to the
      // fan and is slack; the second pulls the fan.
      const double slack = (sum - difference) / 2, tight = (sum + difference) / 2;
      EXPECT_NEAR(run.effort("belt_1"), slack, 1e-6);
      EXPECT_NEAR(run.effort("belt_2"), tight, 1e-6);
      // On the motor: along each span, and so on its bearing.
      const double angle = std::asin(sine), cosine = std::cos(angle);
      const Vec3 first = slack * Vec3(cosine, sine, 0), second = tight * Vec3(cosine, -sine, 0);
      expect_force(run["belt_1"], first, 1e-6);
      EXPECT_LT(run["belt_1"].torque.norm(), 1e-9);
      EXPECT_LT(run["belt_2"].torque.norm(), 1e-9);
      expect_force(run["M"], -first - second, 1e-6);
    }
}

// With fixed centres the sum of all spans is a length that does not change: one equation says nothing new,
// and one tension is open. The difference of the tensions is not.
TEST(Belt, BetweenFixedCentresTensionsDifferByTheTorque) {
  const Mechanism m = read(R"yaml(
plane: xy
bodies:
  a: {mass: 1, inertia: 0.01}
  b: {mass: 2, inertia: 0.02, at: [0.5, 0]}
joints:
  A: {revolute: [a, ground], at: [0, 0]}
  B: {revolute: [b, ground], at: [0.5, 0]}
  belt: {belt: [a, b], radii: [0.05, 0.1]}
forces: {engine: {torque: 6, on: a}}
simulate: {duration: 1, step: 1 ms}
)yaml");
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(m, coordinates);
    run.to(0.2);
    const double J = 0.01 + 0.02 / 4, speed = 6 / J * 0.2;
    EXPECT_NEAR(run.body(0).angular_velocity.z(), speed, 1e-6);
    EXPECT_NEAR(run.body(1).angular_velocity.z(), speed / 2, 1e-6);
    EXPECT_NEAR(run.effort("belt_2") - run.effort("belt_1"), 6 * (1 - 0.01 / J) / 0.05, 1e-6);
  }
}

// L of every span, and the arcs in between.
double belt_length(const std::vector<Vec3>& centres, const std::vector<double>& radii) {
  const std::size_t n = centres.size();
  std::vector<double> direction;
  double length = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3 d = centres[(k + 1) % n] - centres[k];
    const double rho = radii[k] - radii[(k + 1) % n];
    length += std::sqrt(d.squaredNorm() - rho * rho);
    direction.push_back(std::atan2(d.y(), d.x()) + std::asin(rho / d.norm()));
  }
  for (std::size_t k = 0; k < n; ++k) {
    double arc = std::copysign(1.0, radii[k]) * (direction[k] - direction[(k + n - 1) % n]);
    arc -= 2 * kPi * std::floor(arc / (2 * kPi));
    length += std::abs(radii[k]) * arc;
  }
  return length;
}

const char* kTensioner = R"yaml(
plane: xy
gravity: [0, -9.81]
bodies:
  motor: {mass: 2, inertia: 2e-3}
  fan:   {mass: 3, inertia: 2e-2, at: [0.4, 0.1]}
  idler: {mass: 0.5, inertia: 2e-4, at: [0.2, 0.11]}
  arm:   {mass: 0.3, inertia: 1e-3, at: [0.2, 0.2], com: [0, -0.05]}
  mount: {mass: 1, inertia: 1e-3}
joints:
  M: {revolute: [motor, mount], at: [0, 0]}
  G: {prismatic: [mount, ground], axis: [1, 0]}
  F: {revolute: [fan, ground], at: [0.4, 0.1]}
  A: {revolute: [arm, ground], at: [0.3, 0.25]}
  I: {revolute: [idler, arm], at: idler.com}
  belt: {belt: [motor, fan, idler], radii: [0.05, 0.1, -0.03]}
drivers: {shake: {joint: G, equals: "5e-3*sin(20*t)"}}
forces:
  spring: {joint-spring: A, stiffness: 60, preload: -25, damping: 0.5}
  engine: {torque: "4*sin(15*t)", on: motor}
  load:   {joint-spring: F, damping: 0.05}
simulate: {duration: 1, step: 1 ms}
)yaml";

TEST(Belt, OverAMovingTensionerItsLengthStays) {
  const std::vector<double> radii{0.05, 0.1, -0.03};
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(read(kTensioner), coordinates);
    const auto length = [&] {
      return belt_length({run.body(0).position, run.body(1).position, run.body(2).position}, radii);
    };
    const double before = length(), energy = run.simulation().energy().balance();
    const Vec3 start = run.body(2).position;
    double way = 0;
    for (int k = 1; k <= 10; ++k) {
      run.to(0.05 * k);
      EXPECT_NEAR(length(), before, 1e-10);
      way = std::max(way, (run.body(2).position - start).norm());
    }
    EXPECT_GT(way, 1e-3);  // the idler moves
    EXPECT_NEAR(run.simulation().energy().balance(), energy, 1e-6);
    const double T3 = run.effort("belt_3");
    EXPECT_GT(std::min({run.effort("belt_1"), run.effort("belt_2"), T3}), 0);
    const system::Wrench on_idler = run["belt_3"];  // the span that leaves it
    EXPECT_NEAR(on_idler.force.norm(), std::abs(T3), 1e-9 * std::abs(T3));
    EXPECT_LT(on_idler.torque.norm(), 1e-9);
  }
}

std::string elastic(const std::string& torque, const std::string& more) {
  return fmt::format(R"yaml(
plane: xy
bodies:
  a: {{mass: 1, inertia: 0.01}}
  b: {{mass: 2, inertia: 0.02, at: [0.5, 0]}}
joints:
  A: {{revolute: [a, ground], at: [0, 0]}}
  B: {{revolute: [b, ground], at: [0.5, 0]}}
forces:
  belt: {{belt: [a, b], radii: [0.1, 0.1], {1}}}
  engine: {{torque: "{0}", on: a}}
  load: {{torque: "-({0})", on: b}}
simulate: {{duration: 1, step: 1 ms}}
)yaml",
                     torque, more);
}

// At rest both spans share the torque: T = T₀ ± M/(2 r), by the stretch M/(2 r)·L/k.
TEST(ElasticBelt, TensionsAreThoseOfTheBalance) {
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(read(elastic("20", "stiffness: 2e5, damping: 2000, pretension: 300")), coordinates);
    run.to(1);
    EXPECT_NEAR(run.effort("belt_1"), 200, 1e-6);
    EXPECT_NEAR(run.effort("belt_2"), 400, 1e-6);
    EXPECT_NEAR(run.body(0).angle - run.body(1).angle, 100 * 0.5 / 2e5 / 0.1, 1e-9);
    expect_force(run["A"], Vec3(-600, 0, 0), 1e-6);
  }
}

// Two spans of stiffness k/L turn the pulleys against each other: ω² = 2 r² (k/L)(1/J₁ + 1/J₂).
TEST(ElasticBelt, SwingsAtTheFrequencyOfItsStiffness) {
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(read(elastic("0", "stiffness: 1e4, pretension: 300") + "initial: {A: {speed: 1}}\n"),
              coordinates);
    const double w = std::sqrt(2 * 0.01 * 2e4 * (100 + 50));
    run.to(1.7 / w);
    // the centre of inertia goes on at a third of the speed
    EXPECT_NEAR(run.body(0).angle - run.body(1).angle, std::sin(1.7) / w, 1e-9);
    EXPECT_NEAR(run.effort("belt_2"), 300 + 2e4 * 0.1 * std::sin(1.7) / w, 1e-4);
  }
}

// A torque of 100 N.m takes 500 N from one span and gives it to the other: more than the pretension. The
// slack span does nothing, and the other alone carries 1000 N.
TEST(ElasticBelt, ASlackSpanDoesNotPush) {
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(read(elastic("100", "stiffness: 2e5, damping: 2000, pretension: 300")), coordinates);
    run.to(1);
    EXPECT_EQ(run.effort("belt_1"), 0);
    EXPECT_NEAR(run.effort("belt_2"), 1000, 1e-5);
    expect_force(run["A"], Vec3(-1000, 0, 0), 1e-5);
  }
}

// In space, about another axis, it is the same drive.
TEST(Belt, InSpaceItIsTheSame) {
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(read(R"yaml(
bodies:
  motor: {mass: 1, inertia: [0.01, 0.01, 0.01]}
  fan:   {mass: 2, inertia: [0.02, 0.02, 0.02], at: [0, 0.5, 0]}
  slide: {mass: 1, inertia: [0.01, 0.01, 0.01], at: [0, 0.5, 0]}
joints:
  M: {revolute: [motor, ground], at: [0, 0, 0], axis: [1, 0, 0]}
  F: {revolute: [fan, slide], at: [0, 0.5, 0], axis: [1, 0, 0]}
  S: {prismatic: [slide, ground], axis: [0, 1, 0]}
  belt: {belt: [motor, fan], radii: [0.06, -0.1], axis: [1, 0, 0]}
forces:
  engine: {torque: [6, 0, 0], on: motor}
  load:   {torque: [10, 0, 0], on: fan}
  pull:   {force: [0, 400, 0], at: fan.com}
initial: {M: {speed: 30}}
simulate: {duration: 1, step: 1 ms}
)yaml"),
              coordinates);
    run.to(0.3);
    EXPECT_NEAR(run.body(1).angular_velocity.x(), -18, 1e-7);
    const double sine = 0.16 / 0.5, sum = 400 / std::sqrt(1 - sine * sine);
    EXPECT_NEAR(run.effort("belt_1"), (sum - 100) / 2, 1e-6);
    EXPECT_NEAR(run.effort("belt_2"), (sum + 100) / 2, 1e-6);
    EXPECT_LT(run["belt_1"].torque.norm(), 1e-9);
  }
}

TEST(Belt, TensionsAreNamesInExpressions) {
  const std::string text = drive(0.06, 0.1) + "outputs: {columns: {both: belt_1.tension + belt_2.tension}}\n";
  const Mechanism m = read(text);
  EXPECT_EQ(m.joints.size(), 5U);
  const Mechanism e = read(elastic("belt_2.tension*0.01 + belt_1.stretch + belt_1.rate", "stiffness: 1e4"));
  EXPECT_EQ(e.forces.size(), 4U);
}

TEST(Belt, IsWrittenAsItIsRead) {
  const Mechanism m = read(kTensioner);
  const ModelInput again = read_model_text(write_model(m), "written.yaml");
  for (const InputError& error : again.errors) ADD_FAILURE() << to_string(error);
  ASSERT_EQ(again.mechanism.joints.size(), m.joints.size());
  for (const char* name : {"belt_1", "belt_2", "belt_3"}) {
    EXPECT_EQ(again.mechanism.joint(name)->pulleys, m.joint(name)->pulleys);
    EXPECT_LT((again.mechanism.joint(name)->markers[1].frame.at - m.joint(name)->markers[1].frame.at).norm(),
              1e-15);
  }
  const Mechanism e = read(elastic("1", "stiffness: 1e4, damping: 3, pretension: 5"));
  const ModelInput twice = read_model_text(write_model(e), "written.yaml");
  for (const InputError& error : twice.errors) ADD_FAILURE() << to_string(error);
  ASSERT_EQ(twice.mechanism.forces.size(), e.forces.size());
  EXPECT_EQ(std::get<ElasticBelt>(twice.mechanism.forces[1].law).law,
            std::get<ElasticBelt>(e.forces[1].law).law);
}

TEST(Belt, SaysWhatIsWrong) {
  const auto with = [](const std::string& section, const std::string& belt) {
    const std::string entry = "{b: {belt: " + belt + "}}\n";
    return complaint(
        "plane: xy\nbodies: {a: {mass: 1, inertia: 1}, b1: {mass: 1, inertia: 1, at: [3, 0]}, "
        "c: {mass: 1, inertia: 1, at: [1, 2]}, p: {point: P, mass: 1}}\n"
        "points: {P: [1, 5]}\n"
        "joints:\n  A: {revolute: [a, ground], at: [0, 0]}\n  B: {revolute: [b1, ground], at: [3, 0]}\n"
        "  C: {revolute: [c, ground], at: [1, 2]}\n  D: {distance: [P, c.com]}\n" +
        (section == "joints" ? "  b: {belt: " + belt + "}\n" : "forces: " + entry) +
        "simulate: {duration: 1, step: 0.1}\n");
  };
  EXPECT_EQ(with("joints", "[a, b1, c], radii: [0.3, 0.4, 0.2]"), "");
  EXPECT_EQ(with("forces", "[a, b1, c], radii: [0.3, 0.4, 0.2], stiffness: 100 kN"), "");
  EXPECT_NE(with("joints", "[a], radii: [1]").find("expected two pulleys or more"), std::string::npos);
  EXPECT_NE(with("joints", "[a, a], radii: [1, 1]").find("runs from 'a' to itself"), std::string::npos);
  EXPECT_NE(with("joints", "[a, b1], radii: [1, 0]").find("has the radius 0 m"), std::string::npos);
  EXPECT_NE(with("joints", "[a, b1], radii: [1, 5]").find("no belt runs from 'a' to 'b1'"),
            std::string::npos);
  EXPECT_NE(with("joints", "[a, c, b1], radii: [0.3, 0.2, 0.4]").find("would go round more than once"),
            std::string::npos);
  EXPECT_NE(
      with("joints", "[a, ground], radii: [1, 1]").find("the centre of the pulley on ground is missing"),
      std::string::npos);
  EXPECT_NE(with("joints", "[a, p], radii: [0.1, 0.1]").find("has no axes of its own"), std::string::npos);
  EXPECT_NE(with("joints", "[a, b1], radii: [0.1, 0.1], centers: [[0, 0]]").find("expected 2 places"),
            std::string::npos);
  EXPECT_NE(with("joints", "[a, b1], radii: [0.1, 0.1], axis: [0, 1]").find("in the plane every pulley"),
            std::string::npos);
  EXPECT_NE(with("forces", "[a, b1], radii: [0.1, 0.1]").find("stiffness"), std::string::npos);
  EXPECT_NE(with("forces", "[a, b1], radii: [0.1, 0.1], stiffness: -3").find("the stiffness of 'b' is -3"),
            std::string::npos);
  EXPECT_NE(with("forces", "[a, b1], radii: [0.1, 0.1], tension: 3").find("has 2 spans"), std::string::npos);
}

}  // namespace
}  // namespace trammel::tests::belt_test
