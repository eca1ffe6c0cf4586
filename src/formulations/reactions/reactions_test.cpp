// Reactions against Newton–Euler balances that are computed from the motion alone, and against closed forms.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "model/models_testing.h"
#include "system/system.h"
#include "trammel/model.h"
#include "trammel/simulation.h"

namespace trammel::tests::reactions_test {
namespace {

Mechanism parsed(ModelInput input) {
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}
Mechanism text_model(const std::string& text) { return parsed(read_model_text(text, "test.yaml")); }

std::vector<system::Wrench> reactions(const Simulation& simulation) {
  Report report;
  const State s = simulation.with_reactions(report);
  EXPECT_TRUE(report.accepted());
  system::Terms terms = simulation.system().make_terms();
  return simulation.system().reactions(s, terms);
}

system::Wrench reaction(const Simulation& simulation, const std::string& joint,
                        const std::string& body = "") {
  for (const system::Wrench& w : reactions(simulation))
    if (w.joint == joint && (body.empty() || w.body == body)) return w;
  ADD_FAILURE() << "no reaction at " << joint;
  return {};
}

// Linear momentum, and angular momentum about the centre of mass, of each body.
struct Momentum {
  Vec3 linear, angular;
};
std::vector<Momentum> momenta(const Simulation& simulation) {
  std::vector<Momentum> all;
  const std::vector<Pose> poses = simulation.system().poses(simulation.state());
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const Body& body = simulation.mechanism().bodies[b];
    const Mat3 inertia = poses[b].axes * body.inertia * poses[b].axes.transpose();
    all.push_back({body.mass * poses[b].velocity, inertia * poses[b].angular_velocity});
  }
  return all;
}

// What the joints give each body, about its centre of mass.
std::vector<Momentum> given(const Simulation& simulation) {
  const Mechanism& mechanism = simulation.mechanism();
  const std::vector<Pose> poses = simulation.system().poses(simulation.state());
  std::vector<Momentum> sum(poses.size(), {Vec3::Zero(), Vec3::Zero()});
  const auto give = [&](const std::string& name, const Vec3& at, const system::Wrench& w, double sign) {
    for (std::size_t b = 0; b < poses.size(); ++b) {
      if (mechanism.bodies[b].name != name) continue;
      const Vec3 arm = at - poses[b].position;
      sum[b].linear += sign * w.force;
      sum[b].angular += sign * (w.torque + arm.cross(w.force));
    }
  };
  const auto place = [&](const Marker& m) {
    for (std::size_t b = 0; b < poses.size(); ++b)
      if (mechanism.bodies[b].name == m.body)
        return Vec3(poses[b].position + poses[b].axes * (m.frame.at - mechanism.bodies[b].com));
    return Vec3(m.frame.at);
  };
  for (const system::Wrench& w : reactions(simulation)) {
    const Joint& joint = *mechanism.joint(w.joint);
    for (const Marker& m : joint.markers) {
      if (m.body == w.body) give(w.body, place(m), w, 1);
      if (!w.alone || m.body == w.body) continue;
      // The other body gets the opposite, at the place where the reported wrench stands.
      for (const Marker& first : joint.markers)
        if (first.body == w.body) give(m.body, place(first), w, -1);
    }
  }
  return sum;
}

class NewtonEuler : public testing::TestWithParam<const char*> {};

// Rates of momentum by central differences over two steps; the rule's own error and theirs are of order h².
TEST_P(NewtonEuler, BalancesEveryBody) {
  const Mechanism mechanism = model(GetParam());
  const double h = 2e-4;
  Plan plan = mechanism.plan;
  plan.step = h;
  Simulation simulation(mechanism, plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (int i = 0; i < 1500; ++i) ASSERT_TRUE(simulation.step(h).report.accepted());
  const std::vector<Momentum> before = momenta(simulation);
  ASSERT_TRUE(simulation.step(h).report.accepted());
  const std::vector<Momentum> joints = given(simulation);
  ASSERT_TRUE(simulation.step(h).report.accepted());
  const std::vector<Momentum> after = momenta(simulation);
  for (std::size_t b = 0; b < before.size(); ++b) {
    const Body& body = mechanism.bodies[b];
    const Vec3 force = (after[b].linear - before[b].linear) / (2 * h) - body.mass * mechanism.gravity;
    const Vec3 torque = (after[b].angular - before[b].angular) / (2 * h);
    EXPECT_LT((joints[b].linear - force).norm(), 2e-4 * (1 + force.norm())) << body.name;
    // A slender rod takes no torque about its own axis.
    EXPECT_LT((joints[b].angular - torque).norm(), 2e-4 * (1 + torque.norm() + force.norm())) << body.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, NewtonEuler,
                         testing::Values("double-pendulum", "four-bar", "slider-crank", "bricard",
                                         "three-link-pendulum", "five-link-chain", "spatial-slider-crank",
                                         "heavy-top"),
                         [](const auto& which) {
                           std::string name = which.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Reaction, OfAPendulumIsItsTension) {
  const Mechanism mechanism = text_model(R"yaml(
trammel: 1
name: pendulum
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, P: [1, 0]}
bodies: {bob: {point: P, mass: 2}}
joints: {string: {distance: [P, O], length: 1}}
simulate: {duration: 1, step: 1e-3}
)yaml");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (int i = 0; i < 600; ++i) ASSERT_TRUE(simulation.step(1e-3).report.accepted());
  const Pose p = simulation.system().poses(simulation.state())[0];
  // Tension m(v² − g·r)/L along −r, from position and speed: v² = −2 g y by energy.
  const double tension = 2 * (p.velocity.squaredNorm() - 9.81 * p.position.y());
  const system::Wrench w = reaction(simulation, "string");
  EXPECT_NEAR((w.force + tension * p.position).norm(), 0, 1e-9 * tension);
  EXPECT_EQ(w.body, "bob");
}

TEST(Reaction, OfACantileverIsItsWeightAndMoment) {
  const Mechanism mechanism = text_model(R"yaml(
trammel: 1
name: cantilever
gravity: [0, 0, -10]
bodies: {beam: {mass: 3, inertia: [0.01, 1, 1], at: [0, 0, 0], com: [2, 0, 0], points: {root: [0, 0, 0]}}}
joints: {wall: {fixed: [beam, ground], at: beam.root}}
simulate: {duration: 0.1, step: 0.01}
)yaml");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  ASSERT_TRUE(simulation.step(0.01).report.accepted());
  const system::Wrench w = reaction(simulation, "wall");
  EXPECT_NEAR((w.force - Vec3(0, 0, 30)).norm(), 0, 1e-9);
  // The wall turns the beam up: torque −60 about y.
  EXPECT_NEAR((w.torque - Vec3(0, -60, 0)).norm(), 0, 1e-9);
}

TEST(Reaction, WhereThreeBodiesShareAPin) {
  const Mechanism mechanism = text_model(R"yaml(
trammel: 1
name: three on a pin
plane: xy
gravity: [0, -10]
points: {O: {at: [0, 0], on: ground}, A: [0, -1], B: [0, -2], C: [0, -3]}
bodies:
  top:   {rod: [O, A], mass: 1}
  left:  {rod: [A, B], mass: 2}
  right: {rod: [A, C], mass: 3}
simulate: {duration: 0.1, step: 0.01}
)yaml");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  ASSERT_TRUE(simulation.step(0.01).report.accepted());
  // Hanging at rest: each rod's weight is carried at A, and the top rod carries both.
  EXPECT_NEAR((reaction(simulation, "A", "left").force - Vec3(0, 20, 0)).norm(), 0, 1e-9);
  EXPECT_NEAR((reaction(simulation, "A", "right").force - Vec3(0, 30, 0)).norm(), 0, 1e-9);
  EXPECT_NEAR((reaction(simulation, "A", "top").force - Vec3(0, -50, 0)).norm(), 0, 1e-9);
  EXPECT_NEAR((reaction(simulation, "O").force - Vec3(0, 60, 0)).norm(), 0, 1e-9);
}

TEST(Reaction, OfADriverIsTheMotorsTorque) {
  const Mechanism mechanism = text_model(R"yaml(
trammel: 1
name: motor
plane: xy
gravity: [0, -10]
points: {O: {at: [0, 0], on: ground}, A: [2, 0]}
bodies: {arm: {rod: [O, A], mass: 3}}
drivers: {motor: {angle: arm, equals: 0.5*t^2}}
simulate: {duration: 2, step: 0.01}
)yaml");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(simulation.step(0.01).report.accepted());
  // I θ̈ + m g (L/2) cos θ with I = m L²/3 = 4, θ = ½ at t = 1
  EXPECT_NEAR(reaction(simulation, "motor").torque.z(), 4 + 30 * std::cos(0.5), 1e-8);
}

double effort(const Simulation& simulation, const std::string& name) {
  Report report;
  const State s = simulation.with_reactions(report);
  system::Terms terms = simulation.system().make_terms();
  for (const system::Reading& r : simulation.system().efforts(s, terms))
    if (r.object == name) return r.value;
  ADD_FAILURE() << "no effort of " << name;
  return 0;
}

// What a joint leaves free it does not resist: in its own axes these components vanish.
class JointAxes : public testing::TestWithParam<const char*> {};
TEST_P(JointAxes, HaveNoReactionAlongAFreeCoordinate) {
  const Mechanism mechanism = model(GetParam());
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(simulation.step(1e-3).report.accepted());
  const Eigen::Index slide = mechanism.is_planar ? 0 : 2;
  for (const system::Wrench& w : reactions(simulation)) {
    const Joint* joint = mechanism.joint(w.joint);
    if (!joint) continue;
    EXPECT_NEAR((w.axes.transpose() * w.axes - Mat3::Identity()).norm(), 0, 1e-9) << w.joint;
    const Vec3 force = w.axes.transpose() * w.force, torque = w.axes.transpose() * w.torque;
    // A matrix of condition 1e6 and constraints that hold to 1e-11.
    const double zero = 1e-8 * (1 + w.force.norm() + w.torque.norm());
    using Kind = Joint::Kind;
    const Kind kind = joint->kind;
    const auto is_one_of = [&](std::initializer_list<Kind> kinds) {
      return std::ranges::count(kinds, kind) > 0;
    };
    const auto vanishes = [&](bool is_free, double component) {
      if (is_free) {
        EXPECT_NEAR(component, 0, zero) << w.joint;
      }
    };
    vanishes(is_one_of({Kind::revolute, Kind::pin, Kind::cylindrical, Kind::spherical}), torque.z());
    vanishes(is_one_of({Kind::prismatic, Kind::cylindrical, Kind::point_on_line}), force[slide]);
    vanishes(is_one_of({Kind::spherical, Kind::pin, Kind::distance, Kind::point_on_line}), torque.norm());
    vanishes(kind == Kind::distance, force.tail<2>().norm());
    vanishes(is_one_of({Kind::knife_edge, Kind::pursuit}), force.x());
  }
}
INSTANTIATE_TEST_SUITE_P(Models, JointAxes,
                         testing::Values("slider-crank", "spatial-slider-crank", "bricard", "heavy-top",
                                         "andrews", "flyball-governor", "skater", "pursuit", "gear-train",
                                         "door"),
                         [](const auto& which) {
                           std::string name = which.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(JointAxis, OfARollingContactIsTheNormalOfTheSurface) {
  const Mechanism mechanism = model("rolling-disk");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(simulation.step(1e-3).report.accepted());
  const system::Wrench w = reaction(simulation, "table");
  EXPECT_NEAR((w.axes.col(2) - Vec3::UnitZ()).norm(), 0, 1e-12);
}

// Energy: what a motor puts in is its effort times the speed of what it drives. Central differences over two
// steps of 0.1 ms: of order h².
TEST(Effort, OfAMotorIsThePowerItGives) {
  const Mechanism mechanism = model("driven-slider-crank");
  Plan plan = mechanism.plan;
  const double h = plan.step = 1e-4;
  Simulation simulation(mechanism, plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (const int steps : {3000, 4000}) {
    for (int i = 0; i < steps; ++i) ASSERT_TRUE(simulation.step(h).report.accepted());
    const Energy before = simulation.energy();
    ASSERT_TRUE(simulation.step(h).report.accepted());
    const double torque = effort(simulation, "motor");
    const double rate = simulation.system().poses(simulation.state())[0].angular_velocity.z();
    const Pose piston = simulation.system().poses(simulation.state())[2];
    const double load = -2e-3 * 2e5 * 0.5 * (1 + std::tanh(piston.velocity.x() / 0.05)) * piston.velocity.x();
    ASSERT_TRUE(simulation.step(h).report.accepted());
    const Energy after = simulation.energy();
    const double power =
        (after.kinetic + after.potential - before.kinetic - before.potential) / (2 * h) - load;
    EXPECT_NEAR(torque * rate, power, 1e-3 * (1 + std::abs(power)));
  }
}

// Two wheels: I₁α₁ = T + e, I₂α₂ = n e with α₁ + n α₂ = 0.
TEST(Effort, OfAGearIsTheTorqueOnItsFirstWheel) {
  const Mechanism mechanism = text_model(R"yaml(
trammel: 1
name: gears
plane: xy
gravity: [0, -10]
bodies: {a: {mass: 1, inertia: 2}, b: {mass: 1, inertia: 9, at: [1, 0]}}
joints:
  A: {revolute: [a, ground], at: [0, 0]}
  B: {revolute: [b, ground], at: [1, 0]}
  mesh: {gear: [A, B], ratio: 3}
forces: {motor: {torque: 6, on: a}}
simulate: {duration: 1, step: 1e-3}
)yaml");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(simulation.step(1e-3).report.accepted());
  const double alpha = 6 / (2 + 9.0 / 9);
  EXPECT_NEAR(effort(simulation, "mesh"), 2 * alpha - 6, 1e-8);
}

// Pinion and rack, s = r θ: (I + m r²) α = T, and the pinion gets −m r² α from the rack.
TEST(Effort, OfARackIsTheTorqueOnItsPinion) {
  const Mechanism mechanism = text_model(R"yaml(
trammel: 1
name: rack
plane: xy
gravity: [0, -10]
bodies: {pinion: {mass: 1, inertia: 2}, bar: {mass: 4, inertia: 1, at: [0, -0.5]}}
joints:
  P: {revolute: [pinion, ground], at: [0, 0]}
  slide: {prismatic: [bar, ground], axis: [1, 0]}
  mesh: {rack: [P, slide], radius: 0.5}
forces: {motor: {torque: 6, on: pinion}}
simulate: {duration: 1, step: 1e-3}
)yaml");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(simulation.step(1e-3).report.accepted());
  EXPECT_NEAR(effort(simulation, "mesh"), -4 * 0.25 * 6 / (2 + 4 * 0.25), 1e-8);
}

// A nut falls along its thread, s = k θ: (m + I/k²) s̈ = −m g, and the thread gives it m (s̈ + g).
TEST(Effort, OfAScrewIsTheForceAlongItsAxis) {
  const Mechanism mechanism = model("lead-screw");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(simulation.step(1e-3).report.accepted());
  const double k = 0.2 / (2 * M_PI), fall = -5 * 9.81 / (5 + 0.05 / (k * k));
  EXPECT_NEAR(effort(simulation, "thread"), 5 * (fall + 9.81), 1e-7);
}

// Speeds of two wheels tied as 2 ω₁ − ω₂ = 0: I₁α₁ = T + e, I₂α₂ = −e/2 with α₂ = 2 α₁.
TEST(Effort, OfAVelocityJointActsOnItsFirstSpeed) {
  const Mechanism mechanism = text_model(R"yaml(
trammel: 1
name: tied wheels
plane: xy
gravity: [0, -10]
bodies: {a: {mass: 1, inertia: 2}, b: {mass: 1, inertia: 1, at: [1, 0]}}
joints:
  A: {revolute: [a, ground], at: [0, 0]}
  B: {revolute: [b, ground], at: [1, 0]}
  tie: {velocity: {A.rate: 2, B.rate: -1}, equals: 0}
forces: {motor: {torque: 6, on: a}}
simulate: {duration: 1, step: 1e-3}
)yaml");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(simulation.step(1e-3).report.accepted());
  EXPECT_NEAR(effort(simulation, "tie"), 2 * 6.0 / (2 + 4) - 6, 1e-8);
}

}  // namespace
}  // namespace trammel::tests::reactions_test
