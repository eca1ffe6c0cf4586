// A point on a curve: beads on wires against the equation of one coordinate along the same spline, a cam
// against its closed form, momentum of a cam that floats, the same in every kind of coordinates; and what is
// said where a curve is wrong or ends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "mechanism/spline_curve.h"
#include "mechanism/validate.h"
#include "model/writer/model_writer.h"
#include "results/scene/scene.h"
#include "system/system.h"
#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/simulation.h"

namespace trammel::tests::point_on_curve_test {
namespace {

constexpr const char* kCoordinates[] = {"natural", "reference", "relative"};

Mechanism read(const std::string& text) {
  ModelInput input = read_model_text("trammel: 1\n" + text, "curve.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

// What the reader says of a model that is wrong.
std::string complaint(const std::string& text) {
  const ModelInput input = read_model_text("trammel: 1\n" + text, "curve.yaml");
  return input.errors.empty() ? "" : to_string(input.errors.front());
}

Plan accurate(const Mechanism& m, const std::string& coordinates) {
  Plan plan = m.plan;
  plan.coordinates = coordinates;
  plan.formulation = "lagrange";
  plan.integrator = "dopri5";
  plan.tolerance = 1e-11;
  plan.project_positions = plan.project_velocities = true;
  return plan;
}

void run_to(Simulation& simulation, double t) {
  while (simulation.state().t < t - 1e-12) {
    const StepResult result = simulation.step(std::min(0.01, t - simulation.state().t));
    ASSERT_TRUE(result.report.accepted()) << result.report.message;
  }
}

// One coordinate along a wire of a bead that only gravity moves: |c'|² s̈ + c'·c'' ṡ² = g·c', by RK4 with
// steps of 10 µs, whose error is far below what is compared.
struct Wire {
  const mechanism::SplineCurve& curve;
  Vec3 g;
  double s, speed = 0;
  Vec3 acceleration(double at, double rate) const {
    const mechanism::VectorSpline::Jet c = curve.at(at);
    return {rate, (g.dot(c.d) - c.d.dot(c.dd) * rate * rate) / c.d.squaredNorm(), 0};
  }
  void run(double t) {
    const auto n = static_cast<int>(std::lround(t / 1e-5));
    const double h = t / n;
    for (int k = 0; k < n; ++k) {
      const Vec3 a = acceleration(s, speed);
      const Vec3 b = acceleration(s + h / 2 * a.x(), speed + h / 2 * a.y());
      const Vec3 c = acceleration(s + h / 2 * b.x(), speed + h / 2 * b.y());
      const Vec3 d = acceleration(s + h * c.x(), speed + h * c.y());
      s += h / 6 * (a.x() + 2 * b.x() + 2 * c.x() + d.x());
      speed += h / 6 * (a.y() + 2 * b.y() + 2 * c.y() + d.y());
    }
  }
};

void expect_as_along_the_wire(const Mechanism& m, double t) {
  const mechanism::SplineCurve curve(m.joints[0].curve.through, m.joints[0].curve.closed);
  Wire exact{curve, m.gravity, curve.nearest(m.bodies[0].placement.at)};
  exact.run(t);
  const mechanism::VectorSpline::Jet c = curve.at(exact.s);
  const Vec3 rate = exact.acceleration(exact.s, exact.speed);
  // F = m (r̈ − g)
  const Vec3 force = m.bodies[0].mass * (c.d * rate.y() + c.dd * exact.speed * exact.speed - m.gravity);
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Simulation simulation(m, accurate(m, coordinates));
    ASSERT_TRUE(simulation.assemble().report.accepted());
    const double energy = simulation.energy().balance();
    run_to(simulation, t);
    const Pose bead = simulation.system().poses(simulation.state())[0];
    // 1e-7: what a tolerance of 1e-11 per step leaves, where steps meet jumps of c'''.
    EXPECT_LT((bead.position - c.f).norm(), 1e-7);
    EXPECT_LT((bead.velocity - c.d * exact.speed).norm(), 1e-6);
    EXPECT_NEAR(simulation.energy().balance(), energy, 1e-7);
    Report report;
    const State s = simulation.with_reactions(report);
    system::Terms terms = simulation.system().make_terms();
    const system::Wrench wrench = simulation.system().reactions(s, terms).at(0);
    EXPECT_EQ(wrench.joint, "wire");
    EXPECT_LT((wrench.force - force).norm(), 1e-4 * force.norm());
  }
}

TEST(PointOnCurve, ABeadSwingsOnAWireInThePlane) {
  expect_as_along_the_wire(read(R"yaml(
plane: xy
gravity: [0, -9.81]
points: {P: [-0.9, 0.81]}
bodies: {bead: {point: P, mass: 2}}
joints:
  wire: {point-on-curve: P, through: [[-1.5, 2.25], [-1, 1], [-0.5, 0.25], [0, 0], [0.5, 0.25], [1, 1], [1.5, 2.25]]}
simulate: {duration: 2, step: 0.01}
)yaml"),
                           2);
}

TEST(PointOnCurve, ABeadRunsAroundARollerCoasterInSpace) {
  expect_as_along_the_wire(read(R"yaml(
gravity: [0, 0, -9.81]
points: {P: [1, 0, 0.5]}
bodies: {bead: {point: P, mass: 0.5}}
joints:
  wire:
    point-on-curve: P
    closed: true
    through: [[1, 0, 0.5], [0.8, 0.9, 0.2], [0, 1.2, -0.4], [-0.9, 0.8, 0], [-1.1, 0, 0.4], [-0.7, -0.9, -0.1], [0, -1, -0.5], [0.8, -0.7, 0.1]]
simulate: {duration: 2, step: 0.01}
)yaml"),
                           2);
}

// A barrel cam: the groove of a drum moves a pin up and down. The pin may slide along the radius in its
// follower, so that the drum's bearing feels the thrust and the groove need not lie on a cylinder exactly.
TEST(PointOnCurve, AGrooveOfADrumMovesAFollowerAlongItsAxis) {
  constexpr int kPoints = 48;
  constexpr double kRadius = 0.05, kLift = 0.02, kSpeed = 10, kMass = 0.51, kDrum = 2, kGravity = 9.81;
  std::string through;
  for (int k = 0; k < kPoints; ++k) {
    const double angle = 2 * std::numbers::pi * k / kPoints;
    through += fmt::format("[{:.15g}, {:.15g}, {:.15g}], ", kRadius * std::cos(angle),
                           kRadius * std::sin(angle), kLift * std::sin(angle));
  }
  const Mechanism m = read(fmt::format(R"yaml(
gravity: [0, 0, -9.81]
points: {{P: [0.05, 0, 0]}}
bodies:
  drum:     {{mass: 2, inertia: [0.01, 0.01, 0.02]}}
  follower: {{mass: 0.5, inertia: [0.01, 0.01, 0.01], at: [0.05, 0, 0]}}
  pin:      {{point: P, mass: 0.01}}
joints:
  shaft:  {{revolute: [drum, ground], at: [0, 0, 0], axis: [0, 0, 1]}}
  guide:  {{prismatic: [follower, ground], at: [0.05, 0, 0], axis: [0, 0, 1]}}
  tongue: {{point-on-line: P, of: follower, through: [0, 0, 0], along: [1, 0, 0]}}
  groove: {{point-on-curve: P, of: drum, closed: true, through: [{}]}}
drivers: {{motor: {{joint: shaft, equals: 10*t}}}}
simulate: {{duration: 1}}
)yaml",
                                       through));
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Simulation simulation(m, accurate(m, coordinates));
    ASSERT_TRUE(simulation.assemble().report.accepted());
    run_to(simulation, 0.1);
    const double phase = kSpeed * 0.1, z = -kLift * std::sin(phase),
                 speed = -kLift * kSpeed * std::cos(phase),
                 push = kMass * (kGravity + kLift * kSpeed * kSpeed * std::sin(phase));
    // The spline through 48 points of a sine: 2e-8 m, and 5e-4 of its curvature.
    EXPECT_NEAR(simulation.system().poses(simulation.state())[1].position.z(), z, 2e-8);
    Report report;
    const State s = simulation.with_reactions(report);
    system::Terms terms = simulation.system().make_terms();
    for (const system::Wrench& wrench : simulation.system().reactions(s, terms))
      if (wrench.joint == "shaft") {
        EXPECT_NEAR(wrench.force.z(), push + kDrum * kGravity, 2e-3);
      }
    EXPECT_NEAR(simulation.system().efforts(s, terms).at(0).value, push * speed / kSpeed, 1e-4);
  }
}

// Nothing acts from outside: momentum and angular momentum stay as they are, with curve and rider both
// moving.
TEST(PointOnCurve, ACurveThatFloatsFeelsWhatItsRiderFeels) {
  const Mechanism m = read(R"yaml(
plane: xy
bodies:
  cam:   {mass: 3, inertia: 0.5, com: [0.1, 0.05], at: [0.2, 0.1], angle: 0.4, free: true}
  rider: {mass: 1, inertia: 0.1, at: [0.7, 0.9], points: {tip: [0.2, -0.1]}}
joints:
  rides:
    point-on-curve: rider.tip
    of: cam
    closed: true
    through: [[1, 0], [0.7, 0.8], [0, 0.9], [-0.8, 0.6], [-1, 0], [-0.6, -0.7], [0, -0.8], [0.7, -0.6]]
initial:
  cam: {velocity: [0.3, -0.1], angular-velocity: 2}
  rider: {velocity: [-0.5, 0.4]}
simulate: {duration: 2, step: 0.01}
)yaml");
  std::vector<Pose> last;
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Simulation simulation(m, accurate(m, coordinates));
    ASSERT_TRUE(simulation.assemble().report.accepted());
    const auto momenta = [&] {
      Vec3 sum = Vec3::Zero();
      const std::vector<Pose> poses = simulation.system().poses(simulation.state());
      for (std::size_t b = 0; b < 2; ++b) {
        const Vec3 p = m.bodies[b].mass * poses[b].velocity;
        sum +=
            Vec3(p.x(), p.y(),
                 poses[b].position.cross(p).z() + m.bodies[b].inertia(2, 2) * poses[b].angular_velocity.z());
      }
      return sum;
    };
    const Vec3 start = momenta();
    const double energy = simulation.energy().kinetic;
    run_to(simulation, 2);
    EXPECT_LT((momenta() - start).norm(), 1e-8);
    EXPECT_NEAR(simulation.energy().kinetic, energy, 1e-8);
    const std::vector<Pose> poses = simulation.system().poses(simulation.state());
    for (std::size_t b = 0; b < last.size(); ++b)
      EXPECT_LT((poses[b].position - last[b].position).norm(), 1e-6);
    last = poses;
  }
}

TEST(PointOnCurve, ACamLiftsItsFollowerAsACircleWould) {
  ModelInput input = read_model(std::string(kSourceDir) + "/models/cam-follower.yaml");
  ASSERT_TRUE(input.errors.empty());
  Simulation simulation(input.mechanism, input.mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const double e = 0.015, R = 0.05;
  double least = INFINITY, turns = 0;
  for (int k = 0; k < 1000; ++k) {
    ASSERT_TRUE(simulation.step(1e-3).report.accepted());
    const std::vector<Pose> poses = simulation.system().poses(simulation.state());
    const Vec3 C = poses[0].position;  // the cam's centre of mass is that of the circle
    const double angle = std::atan2(C.y(), C.x());
    const double lift = e * std::sin(angle) + std::sqrt(R * R - std::pow(e * std::cos(angle), 2));
    // A spline through sixteen points of a circle stays within R (2π/16)⁴/384 = 3.1 µm of it.
    EXPECT_NEAR(poses[1].position.y() - 0.06, lift, 5e-6);
    Report report;
    const State s = simulation.with_reactions(report);
    system::Terms terms = simulation.system().make_terms();
    for (const system::Wrench& w : simulation.system().reactions(s, terms))
      if (w.joint == "contact") least = std::min(least, w.force.y());
    turns = poses[0].angle / (2 * std::numbers::pi);
  }
  EXPECT_GT(least, 0);  // pushes
  EXPECT_GT(turns, 3);
}

TEST(PointOnCurve, AllFormulationsGoTheSameWay) {
  const Mechanism m = read(R"yaml(
plane: xy
gravity: [0, -9.81]
points: {P: [-0.9, 0.81]}
bodies: {bead: {point: P, mass: 2}}
joints:
  wire: {point-on-curve: P, through: [[-1.5, 2.25], [-1, 1], [-0.5, 0.25], [0, 0], [0.5, 0.25], [1, 1], [1.5, 2.25]]}
simulate: {duration: 1, step: 0.0005}
)yaml");
  Vec3 first = Vec3::Zero();
  for (const char* formulation : {"augmented-lagrangian-index3", "null-space", "augmented-lagrangian",
                                  "independent", "canonical-lagrange"}) {
    SCOPED_TRACE(formulation);
    Plan plan = m.plan;
    plan.formulation = formulation;
    plan.integrator = plan.formulation == "augmented-lagrangian-index3" ? "trapezoidal" : "rk4";
    Simulation simulation(m, plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    for (int k = 0; k < 2000; ++k) ASSERT_TRUE(simulation.step(5e-4).report.accepted());
    const Vec3 at = simulation.system().poses(simulation.state())[0].position;
    if (first.isZero()) first = at;
    // The trapezoidal rule's error of order h².
    EXPECT_LT((at - first).norm(), 2e-5);
  }
}

std::string on_wire(const std::string& start, const std::string& curve) {
  return "plane: xy\ngravity: [0, -9.81]\npoints: {P: " + start +
         "}\nbodies: {bead: {point: P, mass: 1}}\njoints: {wire: {point-on-curve: P, " + curve +
         "}}\nsimulate: {duration: 2, step: 0.01}\n";
}

// The table ends at x = 1: the bead must not go on, in any coordinates, whatever the method.
TEST(PointOnCurve, LeavingTheEndOfACurveEndsTheRun) {
  const Mechanism m = read(on_wire("[0, 0]", "through: [[-1, 0.5], [0, 0], [1, -0.5]]"));
  for (const char* coordinates : kCoordinates)
    for (const char* formulation : {"augmented-lagrangian-index3", "lagrange"})
      for (const double tolerance : {0.0, 1e-6}) {
        SCOPED_TRACE(std::string(coordinates) + " " + formulation + (tolerance > 0 ? " by tolerance" : ""));
        Plan plan = m.plan;
        plan.coordinates = coordinates;
        plan.formulation = formulation;
        plan.tolerance = tolerance;
        if (plan.formulation == "lagrange") plan.integrator = tolerance > 0 ? "dopri5" : "rk4";
        Simulation simulation(m, plan);
        ASSERT_TRUE(simulation.assemble().report.accepted());
        StepResult result;
        while (result.report.accepted() && simulation.state().t < 2) result = simulation.step(0.01);
        EXPECT_EQ(result.report.outcome, Outcome::out_of_range);
        EXPECT_NE(result.report.message.find("the point of 'wire' has left the end of its curve"),
                  std::string::npos)
            << result.report.message;
        EXPECT_LE(simulation.system().poses(simulation.state())[0].position.x(), 1 + 1e-8);
        // Down a slope of 1/2, s = g sinα t²/2 with 1.118 m to go.
        EXPECT_NEAR(simulation.state().t, std::sqrt(2 * std::sqrt(1.25) / (9.81 / std::sqrt(5.0))), 0.011);
      }
}

TEST(PointOnCurve, BadCurvesAreRefusedWithAReason) {
  EXPECT_EQ(complaint(on_wire("[0, 0]", "through: [[-1, 0], [1, 0]]")),
            "curve.yaml:6:45: the curve of 'wire' has 2 points; give three points or more; a line "
            "through two is "
            "point-on-line");
  EXPECT_NE(complaint(on_wire("[0, 0]", "through: [[-1, 0], [0, 0], [0, 0], [1, 1]]"))
                .find("points 2 and 3 of the curve of 'wire' are in one place, [0, 0]"),
            std::string::npos);
  EXPECT_NE(complaint(on_wire("[1, 0]", "closed: true, through: [[1, 0], [0, 1], [-1, 0], [1, 0]]"))
                .find("points 4 and 1 of the curve of 'wire' are in one place"),
            std::string::npos);
  EXPECT_NE(complaint(on_wire("[0, 3]", "through: [[-1, 0], [0, 0], [1, 1]]"))
                .find("the point of 'wire' starts 2.24 m off its curve"),
            std::string::npos)
      << complaint(on_wire("[0, 3]", "through: [[-1, 0], [0, 0], [1, 1]]"));
  EXPECT_NE(complaint(on_wire("[1.1, 0]", "through: [[-1, 0], [0, 0], [1, 0]]"))
                .find("the point of 'wire' starts beyond the end of its curve"),
            std::string::npos);
  EXPECT_NE(complaint(on_wire("[1, 1]", "closed: true, through: [[1, 1], [-1, -1], [-1, 1], [1, -1]]"))
                .find("the curve of 'wire' meets itself, or nearly, at ["),
            std::string::npos);
  EXPECT_NE(complaint(on_wire("[0, 0]", "through: circle"))
                .find("through: expected a list of points, found 'circle'"),
            std::string::npos);
  EXPECT_NE(complaint("plane: xy\npoints: {P: [0, 0], Q: [3, 0]}\nbodies: {bead: {point: P, mass: 1}, b: "
                      "{point: Q, mass: 1}}\n"
                      "joints: {wire: {point-on-curve: P, of: b, through: [[-4, 0], [-3, 0], [-2, 0.1]]}}\n")
                .find("the curve of 'wire' turns with 'b', which has no axes of its own"),
            std::string::npos);
}

// A model file written from the mechanism has the same curve, moved with its marker; a page is told its path.
TEST(PointOnCurve, IsWrittenAndDrawn) {
  Mechanism m = read(R"yaml(
bodies:
  cam: {mass: 1, inertia: [1, 1, 1], at: [0.3, 0.1, 0], orientation: {axis: [0, 1, 0], angle: 0.4}}
  bob: {mass: 1, inertia: [1, 1, 1], at: [1, 0.4, -0.3]}
joints:
  contact: {point-on-curve: bob.com, of: cam, closed: true, through: [[1, 0, 0], [0, 1, 0.2], [-1, 0, 0], [0, -1, -0.3]]}
simulate: {duration: 1, step: 0.01}
)yaml");
  m.joints[0].markers[1].frame.at = {0, 0.01, 0};
  const ModelInput again = read_model_text(write_model(m), "written.yaml");
  ASSERT_TRUE(again.errors.empty()) << to_string(again.errors.front());
  const Joint& joint = again.mechanism.joints.at(0);
  EXPECT_EQ(joint.kind, Joint::Kind::point_on_curve);
  EXPECT_TRUE(joint.curve.closed);
  EXPECT_EQ(joint.markers[1].body, "cam");
  ASSERT_EQ(joint.curve.through.size(), 4);
  EXPECT_LT((joint.curve.through[1] - Vec3(0, 1.01, 0.2)).norm(), 1e-15);

  const nlohmann::ordered_json drawn = results::scene_json(m)["joints"][0];
  EXPECT_EQ(drawn["drawn"], "curve");
  EXPECT_GT(drawn["path"].size(), 16);
  EXPECT_EQ(drawn["path"].front(), drawn["path"].back());
  EXPECT_EQ(drawn["path"].front(), (std::vector<double>{1, 0, 0}));
}

TEST(SplineCurve, IsSmoothAndFindsTheNearestPoint) {
  const mechanism::SplineCurve ring({{1, 0, 0}, {0, 1, 0.2}, {-1, 0, 0}, {0, -1, -0.3}, {0.7, -0.7, 0}},
                                    true);
  const double h = 1e-6;
  for (double s = -1; s < 2 * ring.length(); s += 0.1003) {
    const mechanism::VectorSpline::Jet at = ring.at(s), ahead = ring.at(s + h), behind = ring.at(s - h);
    EXPECT_LT(((ahead.f - behind.f) / (2 * h) - at.d).norm(), 1e-8);
    EXPECT_LT(((ahead.d - behind.d) / (2 * h) - at.dd).norm(), 1e-8);
    EXPECT_LT((ring.at(s + ring.length()).f - at.f).norm(), 1e-14);
    for (const mechanism::VectorSpline::Jet& u : ring.across(s)) {
      // Across, and the two of them apart: between the points they lean a little.
      EXPECT_LT(std::abs(u.f.dot(at.d)), 0.5 * u.f.norm() * at.d.norm());
    }
    const double side = ring.across(s)[0].f.cross(ring.across(s)[1].f).dot(at.d);
    EXPECT_GT(side, 0.3);
    const Vec3 beside = at.f + 0.05 * at.d.unitOrthogonal();
    EXPECT_LT((ring.at(ring.nearest(beside)).f - at.f).norm(), 1e-13);
  }
}

// Points of the unit circle, a few of them close together.
std::vector<Vec3> uneven_circle() {
  std::vector<Vec3> points;
  for (const double angle : {0.0, 0.02, 0.05, 0.8, 1.6, 1.63, 2.4, 3.2, 4.0, 4.01, 4.9, 5.6})
    points.emplace_back(std::cos(angle), std::sin(angle), 0);
  return points;
}

TEST(PointOnCurve, UnevenPointsAreAsGood) {
  Mechanism m = read(on_wire("[1, 0]", "closed: true, through: [[1, 0], [0, 1], [-1, 0], [0, -1]]"));
  m.joints[0].curve.through = uneven_circle();
  EXPECT_TRUE(validate(m).empty()) << validate(m).front().message;
  expect_as_along_the_wire(m, 1.2);
}

// The radius is that of the circle, c' and c'' have no jump at the points, and the nearest point is found.
TEST(SplineCurve, UnevenPointsGiveTheCircleThroughThem) {
  const std::vector<Vec3> points = uneven_circle();
  for (const bool closed : {true, false}) {
    SCOPED_TRACE(closed ? "closed" : "open");
    const mechanism::SplineCurve curve(points, closed);
    EXPECT_FALSE(curve.self_contact());
    double knot = 0;
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
      knot += (points[i] - points[i - 1]).norm();
      const double h = 1e-9;
      const mechanism::VectorSpline::Jet behind = curve.at(knot - h), ahead = curve.at(knot + h);
      EXPECT_LT((curve.at(knot).f - points[i]).norm(), 1e-14);
      // The third derivative, some tens here, times 2h
      EXPECT_LT((ahead.d - behind.d).norm(), 1e-7);
      EXPECT_LT((ahead.dd - behind.dd).norm(), 1e-7);
    }
    for (double s = 0; s < curve.length(); s += 0.0503) {
      const mechanism::VectorSpline::Jet c = curve.at(s);
      // A cubic over 0.9 rad misses the circle by about 0.9⁴/384; next to ends without curvature by more.
      EXPECT_NEAR(c.f.norm(), 1, closed ? 5e-3 : 3e-2);
      EXPECT_NEAR(c.d.norm(), 1, 0.15);
      EXPECT_NEAR(curve.nearest(c.f), s, 1e-12);
    }
  }
}

// Parts that are close together are told apart where the points are dense; a crossing is refused as before.
TEST(SplineCurve, MeetingItselfIsToldFromDensePoints) {
  const std::vector<Vec3> hairpin{{0, 0, 0},       {1, 0, 0},       {1.8, 0, 0},     {1.9, 0.005, 0},
                                  {1.94, 0.02, 0}, {1.96, 0.05, 0}, {1.94, 0.08, 0}, {1.9, 0.095, 0},
                                  {1.8, 0.1, 0},   {1.4, 0.25, 0},  {1, 0.5, 0},     {0, 1, 0}};
  EXPECT_FALSE(mechanism::SplineCurve(hairpin, false).self_contact());
  std::vector<Vec3> loop = hairpin;
  loop.back() = {0.9, -0.3, 0};  // back across the first straight part
  loop.insert(loop.end() - 1, {0.92, 0.3, 0});
  const auto at = mechanism::SplineCurve(loop, false).self_contact();
  ASSERT_TRUE(at);
  EXPECT_LT((*at - Vec3(0.9, 0, 0)).norm(), 0.1);
}

}  // namespace
}  // namespace trammel::tests::point_on_curve_test
