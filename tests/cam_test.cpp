// Cams: lift, contact force and the speed of lift-off against closed forms, of eccentrics and of a harmonic
// cam, with a point, a roller and a flat face, in the plane and in space; the flight after lift-off; and what
// is said of cams that cannot be.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "machine_testing.h"
#include "model/writer/model_writer.h"

namespace trammel::tests::cam_test {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kR = 0.05, ke = 0.015;           // m, of an eccentric: radius, eccentricity
constexpr double km = 0.4, kg = 9.81, kk = 1000;  // follower: kg, m/s², N/m

// Points of an outline, one for each of n angles.
template <class Radius>
std::string outline(int n, const Radius& place) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    const Eigen::Vector2d p = place(2 * kPi * i / n);
    text += fmt::format("{}[{:.17g}, {:.17g}]", i == 0 ? "" : ", ", p.x(), p.y());
  }
  return "[" + text + "]";
}

// A circle through n points as a spline: its places err by (2π/n)⁴/384 of the radius, its curvature by
// (2π/n)²/12.
constexpr int kPoints = 120;
std::string eccentric() {
  return outline(kPoints, [](double a) { return Eigen::Vector2d(ke + kR * std::cos(a), kR * std::sin(a)); });
}

// A cam that turns at a given speed lifts a follower, which a spring presses down with `preload` at height
// y₀.
std::string valve(const std::string& through, const std::string& follower, double speed, double y0,
                  double preload, double phase = 0) {
  return fmt::format(R"yaml(
plane: xy
gravity: [0, -{5}]
bodies:
  cam:   {{mass: 2, inertia: 0.01, angle: {8:.17g}}}
  valve: {{mass: {6}, inertia: 1e-3, at: [0, {3:.17g}]}}
joints:
  O: {{revolute: [cam, ground], at: [0, 0]}}
  guide: {{prismatic: [valve, ground], axis: [0, 1]}}
  contact: {{cam: cam, follower: valve.com, through: {0}{1}}}
drivers: {{motor: {{joint: O, equals: "{2:.17g}*t + ({8:.17g})"}}}}
forces: {{spring: {{joint-spring: guide, stiffness: {7}, preload: {4:.17g}}}}}
simulate: {{duration: 1, step: 1 ms}}
)yaml",
                     through, follower, speed, y0, preload, kg, km, kk, phase);
}

// Lift and acceleration as functions of the cam's angle θ = ω t, whose second derivative by t is ω² y''.
struct Lift {
  double y, second;  // m, m/rad²
};
// Of the height Y at θ = 0 the spring has its preload.
double contact_force(const Lift& lift, double at_start, double w, double preload) {
  return km * (kg + w * w * lift.second) + preload + kk * (lift.y - at_start);
}

// What the curvature of the spline makes of it, N; twice, as it adds to the angle of the force.
constexpr double kBend = 2 * (2 * kPi / kPoints) * (2 * kPi / kPoints) / 12;
double force_error(double w) { return km * w * w * (kR + ke) * kBend; }
// And of the time at which it is zero on an eccentric under a flat face: over its rate there.
double time_error(double w, double angle) {
  return force_error(w) / ((km * w * w - kk) * ke * w * std::cos(angle));
}

// y = e sin θ + R exactly.
Lift flat_lift(double a) { return {kR + ke * std::sin(a), -ke * std::sin(a)}; }

TEST(Cam, AFlatFaceOnAnEccentricRisesByTheSine) {
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    const double w = 30;
    Moved run(read(valve(eccentric(), ", face: [0, -1]", w, kR, 20)), coordinates);
    for (const double t : {0.03, 0.07, 0.11, 0.16}) {
      run.to(t);
      const Lift lift = flat_lift(w * t);
      EXPECT_NEAR(run.body(1).position.y(), lift.y, 1e-9);
      const double N = contact_force(lift, kR, w, 20);
      EXPECT_NEAR(run.effort("contact"), N, force_error(w));
      // It pushes straight up, at the place of the outline that is highest.
      expect_force(run["contact"], Vec3(0, N, 0), force_error(w));
      EXPECT_LT(run["contact"].torque.norm(), 1e-9);
      EXPECT_NEAR(run["O"].force.y(), N + 2 * kg, force_error(w));
      EXPECT_NEAR(run["guide"].torque.z(), -N * ke * std::cos(w * t), force_error(w) * ke + 1e-6);
    }
    EXPECT_TRUE(run.events.empty());
  }
}

// y = e sin θ + √((R + r)² − e² cos² θ)
Lift roller_lift(double a, double radius) {
  const double s = kR + radius, c = ke * std::cos(a), root = std::sqrt(s * s - c * c);
  const double first = ke * ke * std::sin(a) * std::cos(a);  // of the root: first/root
  const double second = ke * ke * std::cos(2 * a) / root - first * first / (root * root * root);
  return {ke * std::sin(a) + root, -ke * std::sin(a) + second};
}

TEST(Cam, APointAndARollerOnAnEccentricFollowTheClosedForm) {
  for (const double radius : {0.0, 0.01})
    for (const char* coordinates : kCoordinates) {
      SCOPED_TRACE(fmt::format("{} {}", radius, coordinates));
      const double w = 30, start = roller_lift(0, radius).y;
      Moved run(read(valve(eccentric(), fmt::format(", radius: {}", radius), w, start, 20)), coordinates);
      for (const double t : {0.03, 0.07, 0.11, 0.16}) {
        run.to(t);
        const Lift lift = roller_lift(w * t, radius);
        EXPECT_NEAR(run.body(1).position.y(), lift.y, 1e-9);
        const double along = contact_force(lift, start, w, 20);
        EXPECT_NEAR(run["contact"].force.y(), along, force_error(w));
        // The force points from the centre of the eccentric to that of the roller.
        const Vec3 from(ke * std::cos(w * t), ke * std::sin(w * t), 0), to(0, lift.y, 0);
        EXPECT_LT(run["contact"].force.cross(to - from).norm(), 1e-5);
        EXPECT_NEAR(run.effort("contact"), run["contact"].force.norm(), 1e-9);
        EXPECT_LT(run["contact"].torque.norm(), 1e-9);
      }
    }
}

// r = r₀ + h (1 − cos θ)/2: a point on a line through the axis rises so. N = 0 is first reached at the top.
Lift harmonic_lift(double a) { return {0.04 + 0.01 * (1 - std::cos(a)), 0.01 * std::cos(a)}; }
// Upright where it turns backwards by θ: the place of the outline at the angle 90 deg − θ.
std::string harmonic() {
  return outline(360, [](double a) {
    return Eigen::Vector2d(harmonic_lift(a).y * std::sin(a), harmonic_lift(a).y * std::cos(a));
  });
}

TEST(Cam, APointOnAHarmonicCamRisesByTheCosine) {
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    const double w = 40;
    Moved run(read(valve(harmonic(), "", w, 0.04, 30)), coordinates);
    for (const double t : {0.02, 0.05, 0.09, 0.13}) {
      run.to(t);
      const Lift lift = harmonic_lift(w * t);
      EXPECT_NEAR(run.body(1).position.y(), lift.y, 2e-9);
      EXPECT_NEAR(run["contact"].force.y(), contact_force(lift, 0.04, w, 30), 2e-3);
    }
  }
}

// N is least where sin θ = 1, and zero there at ω² = k/m + (m g + p)/(m e).
double speed_of_lift_off(double preload) { return std::sqrt(kk / km + (km * kg + preload) / (km * ke)); }

TEST(Cam, LiftsOffAboveTheSpeedOfTheClosedForm) {
  const double limit = speed_of_lift_off(20);
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved below(read(valve(eccentric(), ", face: [0, -1]", 0.9999 * limit, kR, 20)), coordinates);
    for (int k = 1; k <= 20; ++k) below.to(0.01 * k);
    EXPECT_TRUE(below.events.empty());
    const double w = 1.05 * limit;
    Moved above(read(valve(eccentric(), ", face: [0, -1]", w, kR, 20)), coordinates);
    for (int k = 1; k <= 6; ++k) above.to(0.01 * k);
    ASSERT_GE(above.events.size(), 2U);
    // sin θ = (m g + p)/((m ω² − k) e), and as far behind the top
    const double angle = std::asin((km * kg + 20) / ((km * w * w - kk) * ke));
    EXPECT_EQ(above.events[0].kind, Event::Kind::lift);
    EXPECT_EQ(above.events[0].name, "contact");
    EXPECT_NEAR(above.events[0].t, angle / w, time_error(w, angle));
    EXPECT_EQ(above.events[1].kind, Event::Kind::grip);
    EXPECT_NEAR(above.events[1].t, (kPi - angle) / w, time_error(w, angle));
  }
}

TEST(Cam, ARunMayEndWhereTheFollowerLiftsOff) {
  const double w = 1.05 * speed_of_lift_off(20);
  Moved run(read(valve(eccentric(), ", face: [0, -1], when-lost: stop", w, kR, 20)), "natural");
  const StepResult result = run.simulation().advance_to(0.1);
  EXPECT_TRUE(result.ended);
  const double angle = std::asin((km * kg + 20) / ((km * w * w - kk) * ke));
  EXPECT_NEAR(run.simulation().state().t, angle / w, time_error(w, angle));
}

// It starts at its lowest place, where it does not move. In flight the follower swings on its spring: y = y_r
// + (y₁ − y_r) cos ν τ + (v₁/ν) sin ν τ, ν² = k/m.
TEST(Cam, AFollowerThatLiftsOffFliesAndComesBack) {
  const double w = 1.3 * speed_of_lift_off(20);
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(
        read(valve(eccentric(), ", face: [0, -1], when-lost: free", w, kR - ke, 20 - kk * ke, -kPi / 2)),
        coordinates);
    const double angle = std::asin((km * kg + 20) / ((km * w * w - kk) * ke)), start = (angle + kPi / 2) / w;
    const auto lift_at = [&](double t) { return flat_lift(w * t - kPi / 2).y; };
    const double nu = std::sqrt(kk / km), rest = kR - (km * kg + 20) / kk;
    const double y1 = flat_lift(angle).y, v1 = w * ke * std::cos(angle);
    const auto flight = [&](double t) {
      return rest + (y1 - rest) * std::cos(nu * (t - start)) + v1 / nu * std::sin(nu * (t - start));
    };
    // where it meets the cam again
    double lands = start + 0.1 / w;
    while (flight(lands) > lift_at(lands)) lands += 1e-7;
    run.to(0.5 * (start + lands));
    // Both motions have the same acceleration where it lifts off: to first order the time does not matter.
    EXPECT_NEAR(run.body(1).position.y(), flight(0.5 * (start + lands)), 1e-7);
    EXPECT_EQ(run.effort("contact_stop"), 0);
    run.to(lands + 1e-4);
    ASSERT_GE(run.events.size(), 2U);
    EXPECT_EQ(run.events[0].kind, Event::Kind::release);
    EXPECT_NEAR(run.events[0].t, start, time_error(w, angle));
    EXPECT_EQ(run.events[1].name, "contact_stop");
    EXPECT_NEAR(run.events[1].t, lands, 1e-6);
    EXPECT_GT(run.effort("contact_stop"), 0);  // plastic: it stays
    EXPECT_NEAR(run.body(1).position.y(), lift_at(lands + 1e-4), 1e-8);
  }
}

// A place that is given with few digits, a nanometre within the cam, is one on it.
TEST(Cam, AFollowerThatStartsAHairWithinTheCamIsPlacedOnIt) {
  const auto start = [](double within) {
    return read(valve(eccentric(), ", face: [0, -1], when-lost: free", 10, kR - ke - within, 20, -kPi / 2));
  };
  Moved run(start(1e-9), "natural");
  EXPECT_NEAR(run.body(1).position.y(), kR - ke, 1e-13);
  EXPECT_GT(run.effort("contact_stop"), 0);
  const Mechanism far = start(1e-5);
  Simulation simulation(far, far.plan);
  EXPECT_NE(simulation.assemble().report.message.find("beyond the lower limit of its stop 'contact_stop'"),
            std::string::npos);
}

// The same cam about another axis in space: the contact is across the plane of the outline.
TEST(Cam, InSpaceItIsTheSame) {
  const auto in_space = [](const std::string& follower, double speed, double y0) {
    std::string points;
    for (int i = 0; i < kPoints; ++i) {
      const double a = 2 * kPi * i / kPoints;
      points += fmt::format("{}[0.02, {:.17g}, {:.17g}]", i == 0 ? "" : ", ", ke + kR * std::cos(a),
                            kR * std::sin(a));
    }
    return fmt::format(R"yaml(
gravity: [0, 0, -{4}]
bodies:
  cam:   {{mass: 2, inertia: [0.01, 0.01, 0.01]}}
  valve: {{mass: {5}, inertia: [1e-3, 1e-3, 1e-3], at: [0.02, 0, {3:.17g}]}}
joints:
  O: {{revolute: [cam, ground], at: [0, 0, 0], axis: [1, 0, 0]}}
  guide: {{prismatic: [valve, ground], axis: [0, 0, 1]}}
  contact: {{cam: cam, follower: valve.com, through: [{0}]{1}}}
drivers: {{motor: {{joint: O, equals: "{2:.17g}*t"}}}}
forces: {{spring: {{joint-spring: guide, stiffness: {6}, preload: 20}}}}
simulate: {{duration: 1, step: 1 ms}}
)yaml",
                       points, follower, speed, y0, kg, km, kk);
  };
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    const double w = 30, start = roller_lift(0, 0.01).y;
    Moved roller(read(in_space(", radius: 10 mm", w, start)), coordinates);
    Moved flat(read(in_space(", face: [0, 0, -1]", w, kR)), coordinates);
    for (const double t : {0.03, 0.11}) {
      roller.to(t);
      flat.to(t);
      EXPECT_NEAR(roller.body(1).position.z(), roller_lift(w * t, 0.01).y, 1e-9);
      EXPECT_NEAR(roller["contact"].force.z(), contact_force(roller_lift(w * t, 0.01), start, w, 20),
                  force_error(w));
      EXPECT_LT(roller["contact"].torque.norm(), 1e-8);
      EXPECT_NEAR(flat.body(1).position.z(), flat_lift(w * t).y, 1e-9);
      expect_force(flat["contact"], Vec3(0, 0, contact_force(flat_lift(w * t), kR, w, 20)), force_error(w));
      EXPECT_LT(flat["contact"].torque.norm(), 1e-8);
    }
  }
}

// A roller within a ring that is a circle of radius R: its centre stays on a circle of radius R − r.
TEST(Cam, ARollerMayRunInside) {
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    const std::string ring =
        outline(120, [](double a) { return Eigen::Vector2d(0.2 * std::cos(a), 0.2 * std::sin(a)); });
    Moved run(read(fmt::format(R"yaml(
plane: xy
gravity: [0, -9.81]
points: {{P: [0.15, 0]}}
bodies: {{ball: {{point: P, mass: 1}}}}
joints: {{ring: {{cam: ground, follower: P, radius: 50 mm, side: inside, through: {}}}}}
simulate: {{duration: 1, step: 1 ms}}
)yaml",
                               ring)),
              coordinates);
    for (const double t : {0.1, 0.2, 0.3}) {
      run.to(t);
      const Vec3 p = run.body(0).position;
      EXPECT_NEAR(p.norm(), 0.15, 1e-8);
      // N = m (v²/l + g cos) = 3 m g cos of a pendulum that started level
      EXPECT_NEAR(run.effort("ring"), -3 * 9.81 * p.y() / 0.15, 3 * 9.81 * kBend);
    }
  }
}

TEST(Cam, IsWrittenAsItIsRead) {
  for (const std::string& follower :
       {std::string(", face: [0, -1]"), std::string(", radius: 5 mm, when-lost: free"),
        std::string(", radius: 5 mm, when-lost: stop")}) {
    const Mechanism m = read(valve(eccentric(), follower, 10, 0.05, 20));
    const ModelInput again = read_model_text(write_model(m), "written.yaml");
    for (const InputError& error : again.errors) ADD_FAILURE() << to_string(error);
    const Joint &joint = *m.joint("contact"), &other = *again.mechanism.joint("contact");
    EXPECT_EQ(other.cam, joint.cam);
    EXPECT_EQ(other.curve, joint.curve);
    EXPECT_EQ(other.value, joint.value);
    EXPECT_EQ(other.keeps_contact, joint.keeps_contact);
    EXPECT_EQ(other.ends_run, joint.ends_run);
    EXPECT_EQ(again.mechanism.stops.size(), m.stops.size());
  }
}

TEST(Cam, SaysWhatIsWrong) {
  const std::string round = "[[1, 0], [0, 1], [-1, 0], [0, -1]]";
  const auto with = [](const std::string& cam) {
    return complaint(
        "plane: xy\nbodies: {a: {mass: 1, inertia: 1}, f: {mass: 1, inertia: 1, at: [0, 1]}}\n"
        "joints:\n  A: {revolute: [a, ground], at: [0, 0]}\n  G: {prismatic: [f, ground], axis: [0, 1]}\n"
        "  m: {cam: a, " +
        cam + "}\nsimulate: {duration: 1, step: 0.1}\n");
  };
  EXPECT_EQ(with("follower: f.com, through: " + round), "");
  EXPECT_NE(with("through: " + round).find("give the point that touches the cam"), std::string::npos);
  EXPECT_NE(with("follower: f.com, through: [[1, 0], [0, 1]]").find("has 2 points"), std::string::npos);
  EXPECT_NE(
      with("follower: f.com, radius: -1, through: " + round).find("the radius of the roller of 'm' is -1 m"),
      std::string::npos);
  EXPECT_NE(with("follower: f.com, side: left, through: " + round).find("is closed"), std::string::npos);
  EXPECT_NE(with("follower: f.com, closed: false, through: " + round).find("is open"), std::string::npos);
  EXPECT_NE(
      with("follower: f.com, face: [0, -1], radius: 1, through: " + round).find("a flat face has no radius"),
      std::string::npos);
  EXPECT_NE(with("follower: f.com, face: [0, -1], through: [[1, 0], [0.2, 0.2], [0, 1], [-1, 0], [0, -1]]")
                .find("is not convex"),
            std::string::npos);
  EXPECT_NE(
      with("follower: f.com, side: inside, radius: 3, through: " + round).find("does not fit into its cam"),
      std::string::npos)
      << with("follower: f.com, side: inside, radius: 3, through: " + round);
  EXPECT_NE(with("follower: f.com, restitution: 0.5, through: " + round).find("say when-lost: free"),
            std::string::npos);
  EXPECT_NE(with("follower: f.com, contact: false, when-lost: stop, through: " + round)
                .find("nothing holds the follower of 'm'"),
            std::string::npos);
  EXPECT_NE(with("follower: f.com, through: [[0.1, 0], [0, 0.1], [-0.1, 0], [0, -0.1]]").find("off its cam"),
            std::string::npos);
  EXPECT_NE(complaint("bodies: {a: {mass: 1, inertia: [1, 1, 1]}, f: {mass: 1, inertia: [1, 1, 1]}}\n"
                      "joints: {m: {cam: a, follower: f.com, through: [[1, 0, 0], [0, 1, 0.3], [-1, 0, 0], "
                      "[0, -1, 0]]}}\n"
                      "simulate: {duration: 1, step: 0.1}\n")
                .find("does not lie in a plane"),
            std::string::npos);
}

}  // namespace
}  // namespace trammel::tests::cam_test
