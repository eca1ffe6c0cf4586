// Dry friction in proportion to the joint's own reaction: slopes and threads that lock by themselves,
// journals that run down, loads that friction makes itself, and frictions that jam.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "system/system.h"
#include "trammel/model.h"
#include "trammel/run.h"
#include "trammel/simulation.h"

namespace trammel::tests::load_friction_test {
namespace {

using std::numbers::pi;
constexpr double kGravity = 9.81;
constexpr const char* kCoordinates[] = {"natural", "reference", "relative"};

Mechanism read(const std::string& text) {
  ModelInput input = read_model_text("trammel: 1\n" + text, "friction.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

std::string complaint(const std::string& text) {
  const ModelInput input = read_model_text("trammel: 1\n" + text, "friction.yaml");
  return input.errors.empty() ? "" : to_string(input.errors.front());
}

Plan plan_of(const Mechanism& m, const std::string& coordinates, const std::string& formulation) {
  Plan plan = m.plan;
  plan.coordinates = coordinates;
  plan.formulation = formulation;
  plan.integrator = "dopri5";
  plan.tolerance = 1e-9;
  plan.project_positions = plan.project_velocities = true;
  return plan;
}

class Moved {
 public:
  Moved(const Mechanism& m, const std::string& coordinates,
        const std::string& formulation = "augmented-lagrangian")
      : simulation_(m, plan_of(m, coordinates, formulation)) {
    const Report report = simulation_.assemble().report;
    EXPECT_TRUE(report.accepted()) << report.message;
  }
  Report to(double t) { return simulation_.advance_to(t).report; }
  double reading(const std::string& object, const std::string& quantity) const {
    system::Terms terms = simulation_.system().make_terms();
    for (const system::Reading& r : simulation_.system().readings(simulation_.state(), terms))
      if (r.object == object && r.quantity == quantity) return r.value;
    ADD_FAILURE() << "there is no " << object << "." << quantity;
    return 0;
  }
  double effort(const std::string& name) const {
    system::Terms terms = simulation_.system().make_terms();
    for (const system::Reading& r : simulation_.system().efforts(solved(), terms))
      if (r.object == name) return r.value;
    ADD_FAILURE() << "there is no effort of " << name;
    return 0;
  }
  Vec3 force(const std::string& joint) const {
    system::Terms terms = simulation_.system().make_terms();
    for (const system::Wrench& w : simulation_.system().reactions(solved(), terms))
      if (w.joint == joint) return w.force;
    ADD_FAILURE() << "there is no reaction of " << joint;
    return Vec3::Zero();
  }

 private:
  State solved() const {
    Report report;
    State s = simulation_.with_reactions(report);
    EXPECT_TRUE(report.accepted()) << report.message;
    return s;
  }
  Simulation simulation_;
};

std::string slope(double beta, double mu, double speed) {
  return fmt::format(R"yaml(
plane: xy
gravity: [0, -9.81]
bodies: {{block: {{mass: 2, inertia: 0.1}}}}
joints: {{guide: {{prismatic: [block, ground], at: [0, 0], axis: [{}, {}]}}}}
forces: {{rub: {{dry-friction: guide, coefficient: {}}}}}
initial: {{guide: {{speed: {}}}}}
)yaml",
                     std::cos(beta), std::sin(beta), mu, speed);
}

// A thread of lead p at the mean radius r, unrolled, is a slope of tan β = p/2πr: its load rests on it for
// μ > tan β, and turns it for μ < tan β.
TEST(LoadFriction, LocksAScrewAboveTheTangentOfItsLeadAngle) {
  const double lead = 0.006, radius = 0.012, beta = std::atan(lead / (2 * pi * radius));
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved locked(read(slope(beta, 1.001 * std::tan(beta), 0)), coordinates);
    ASSERT_TRUE(locked.to(1).accepted());
    EXPECT_NEAR(locked.reading("guide", "displacement"), 0, 1e-12);
    // What holds it is the load's part along the slope, not the capacity.
    EXPECT_NEAR(locked.effort("rub"), 2 * kGravity * std::sin(beta), 1e-9);
    const double mu = 0.999 * std::tan(beta);
    Moved turning(read(slope(beta, mu, 0)), coordinates);
    ASSERT_TRUE(turning.to(1).accepted());
    EXPECT_NEAR(turning.reading("guide", "displacement"),
                -0.5 * kGravity * (std::sin(beta) - mu * std::cos(beta)), 1e-9);
  }
}

// Thrown up it stops at v/(g (sin β + μ cos β)), and slides back, or stays.
TEST(LoadFriction, ActsAgainstTheMotionBothWays) {
  const double beta = 0.3, v = 2;
  for (const double mu : {0.1, 0.5})
    for (const char* coordinates : kCoordinates) {
      SCOPED_TRACE(fmt::format("{} {}", mu, coordinates));
      Moved run(read(slope(beta, mu, v)), coordinates);
      const double up = kGravity * (std::sin(beta) + mu * std::cos(beta)), top = v / up;
      const double down = std::max(0.0, kGravity * (std::sin(beta) - mu * std::cos(beta))), t = 1;
      ASSERT_TRUE(run.to(t).accepted());
      EXPECT_NEAR(run.reading("guide", "displacement"), 0.5 * v * top - 0.5 * down * (t - top) * (t - top),
                  1e-8);
    }
}

// A wheel that a journal of radius r carries runs down by μ r m g/I.
TEST(LoadFriction, OfAJournalGrowsWithItsRadius) {
  const Mechanism m = read(R"yaml(
gravity: [0, 0, -9.81]
bodies: {wheel: {mass: 4, inertia: [0.02, 0.01, 0.01]}}
joints: {axle: {revolute: [wheel, ground], at: [0, 0, 0], axis: [1, 0, 0]}}
forces: {rub: {dry-friction: axle, coefficient: 0.15, static-coefficient: 0.2, radius: 10 mm}}
initial: {axle: {speed: 5}}
)yaml");
  const double slowing = 0.15 * 0.01 * 4 * kGravity / 0.02, stop = 5 / slowing;
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(m, coordinates);
    ASSERT_TRUE(run.to(0.5 * stop).accepted());
    EXPECT_NEAR(run.reading("axle", "rate"), 2.5, 1e-8);
    EXPECT_NEAR(run.effort("rub"), -0.15 * 0.01 * 4 * kGravity, 1e-9);
    ASSERT_TRUE(run.to(stop + 1).accepted());
    EXPECT_NEAR(run.reading("axle", "angle"), 2.5 * stop, 1e-8);
    EXPECT_NEAR(run.reading("axle", "rate"), 0, 1e-12);
  }
}

// A pendulum's bearing feels the swing, and the friction changes the swing: in every row both belong
// together. Several formulations give one motion.
TEST(LoadFriction, BelongsToTheReactionThatItMakes) {
  const Mechanism m = read(R"yaml(
plane: xy
gravity: [0, -9.81]
bodies:
  upper: {mass: 1, inertia: 0.05, com: [0.4, 0], at: [0, 0]}
  lower: {mass: 2, inertia: 0.03, com: [0.3, 0], at: [0.8, 0], angle: 20 deg}
joints:
  A: {revolute: [upper, ground], at: [0, 0]}
  B: {revolute: [lower, upper], at: [0.8, 0]}
forces:
  a: {dry-friction: A, coefficient: 0.3, radius: 0.1}
  b: {dry-friction: B, coefficient: 0.2, radius: 0.2}
)yaml");
  std::vector<double> angles;
  for (const char* coordinates : kCoordinates)
    for (const char* formulation : {"augmented-lagrangian", "lagrange"}) {
      SCOPED_TRACE(fmt::format("{} {}", coordinates, formulation));
      Moved run(m, coordinates, formulation);
      ASSERT_TRUE(run.to(0.3).accepted());
      EXPECT_NEAR(std::abs(run.effort("a")), 0.3 * 0.1 * run.force("A").norm(), 1e-8);
      EXPECT_NEAR(std::abs(run.effort("b")), 0.2 * 0.2 * run.force("B").norm(), 1e-8);
      EXPECT_LT(run.effort("a") * run.reading("A", "rate"), 0);
      angles.push_back(run.reading("B", "angle"));
    }
  for (const double angle : angles) EXPECT_NEAR(angle, angles.front(), 1e-7);
}

// A strut presses slider a on its guide the harder, the more friction holds a back against the heavy b:
// ∂N/∂f = tan θ m_b/(m_a + m_b). It jams where μ times that is one or more.
std::string strut(double mu) {
  return fmt::format(R"yaml(
plane: xy
bodies:
  a: {{mass: 0.5, inertia: 0.1, at: [0.3, 0]}}
  b: {{mass: 9.5, inertia: 0.1, at: [0, 1]}}
joints:
  low:  {{prismatic: [a, ground], at: [0.3, 0], axis: [1, 0]}}
  high: {{prismatic: [b, ground], at: [0, 1], axis: [1, 0]}}
  bar:  {{distance: [a.com, b.com]}}
forces:
  push: {{joint: high, force: 20}}
  rub:  {{dry-friction: low, coefficient: {}}}
initial: {{low: {{speed: 1}}}}
)yaml",
                     mu);
}

// With f = μN, N = tan θ (m_a F + m_b f)/(m_a + m_b).
TEST(LoadFriction, AddsToItsOwnLoad) {
  const double mu = 0.2, tangent = 1 / 0.3, share = 9.5 / 10;
  const double N = tangent * 0.05 * 20 / (1 - mu * tangent * share);
  for (const char* coordinates : kCoordinates) {
    Moved run(read(strut(mu)), coordinates);
    ASSERT_TRUE(run.to(0.1).accepted()) << coordinates;
    EXPECT_NEAR(run.effort("rub"), -mu * N, 1e-8) << coordinates;
    EXPECT_NEAR(run.reading("low", "rate"), 1 + 0.1 * (20 - mu * N) / 10, 1e-9) << coordinates;
  }
}

TEST(LoadFriction, ThatJamsEndsTheRunWithItsName) {
  const Mechanism m = read(strut(0.4));
  Simulation simulation(m, plan_of(m, "natural", "augmented-lagrangian"));
  const AssemblyReport start = simulation.assemble();
  ASSERT_FALSE(start.report.accepted());
  const std::string said = explain(start, simulation);
  EXPECT_NE(said.find("friction 'rub' jams"), std::string::npos) << said;
}

TEST(LoadFriction, IsWrittenAndReadAgain) {
  const Mechanism m = read(slope(0.3, 0.2, 1));
  const ModelInput again = read_model_text(write_model(m), "again.yaml");
  ASSERT_TRUE(again.errors.empty()) << to_string(again.errors.front());
  EXPECT_EQ(std::get<DryFriction>(again.mechanism.forces[0].law).coefficient, 0.2);
  EXPECT_EQ(std::get<DryFriction>(again.mechanism.forces[0].law).static_coefficient, 0.2);
}

TEST(LoadFriction, MustMakeSense) {
  const auto says = [](const std::string& friction, const std::string& words) {
    const std::string said = complaint(R"yaml(
plane: xy
bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, at: [1, 0]}}
joints:
  hinge: {revolute: [a, ground], at: [0, 0]}
  guide: {prismatic: [b, ground], axis: [1, 0]}
forces: {rub: )yaml" + friction + "}\n");
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  says("{dry-friction: hinge, coefficient: 0.2}", "give the radius of the bearing");
  says("{dry-friction: hinge, coefficient: 0.2, radius: 0}", "the radius of the bearing of 'rub' is 0 m");
  says("{dry-friction: guide, coefficient: 0.2, radius: 0.1}", "joint 'guide' slides");
  says("{dry-friction: guide, coefficient: -0.2}", "coefficient");
  says("{dry-friction: guide, coefficient: 0.2, static-coefficient: 0.1}", "below its coefficient");
  says("{dry-friction: guide, coefficient: 0.2, capacity: 3}", "makes the capacity of the joint's reaction");
  says("{dry-friction: guide, capacity: 3, radius: 0.1}", "it belongs to `coefficient:`");
  says("{friction: guide, mu: 0.2}", "smooth friction does not depend on the joint's load");
}

}  // namespace
}  // namespace trammel::tests::load_friction_test
