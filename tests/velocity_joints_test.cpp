// Joints of velocities in natural coordinates against rigid-body kinematics: what each row measures, and the
// force that its multiplier stands for.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <map>
#include <numbers>
#include <random>

#include "model/models_testing.h"
#include "system/system.h"
#include "trammel/model.h"
#include "trammel/simulation.h"

namespace trammel::tests::velocity_joints_test {
namespace {

// Bodies that touch nothing, placed and moving at random: the rows must be right there too.
const char* kPlanar = R"yaml(
trammel: 1
plane: xy
points: {P: {at: [3, 4]}}
bodies:
  wheel: {mass: 1, inertia: 0.1, com: [0.1, 0.2], at: [0.3, 1.1], angle: 0.4, points: {hub: [-0.1, 0.3]}}
  table: {mass: 2, inertia: 0.7, at: [-0.5, 0.2], angle: -0.3}
  prey:  {point: P, mass: 1}
joints:
  ground_wheel: {rolling: wheel, radius: 0.3, center: wheel.hub, through: [0, 0], along: [1, 0.2]}
  table_wheel:  {rolling: wheel, radius: 0.4, on: table, through: [0, 0.3], normal: [0.2, 1]}
  skate:        {knife-edge: wheel, at: [0.7, 0.8], along: [1, 0.3]}
  table_skate:  {knife-edge: wheel, at: [0.7, 0.8], across: [0.1, 1], on: table}
  hunt:         {pursuit: [wheel.hub, P]}
)yaml";

const char* kSpatial = R"yaml(
trammel: 1
bodies:
  wheel: {mass: 1, inertia: [0.1, 0.15, 0.2], com: [0.1, 0.2, 0], at: [0.3, 0.1, 1.1], orientation: {euler-xyz: [0.3, 0.5, 0.2]},
          points: {hub: [-0.1, 0.3, 0.1]}, vectors: {axle: [0, 1, 0.2]}}
  table: {mass: 2, inertia: [0.5, 0.6, 0.7], at: [-0.5, 0.2, 0.1], orientation: {euler-xyz: [-0.1, 0.2, 0.7]}}
joints:
  ground_ball: {rolling: wheel, radius: 0.3, center: wheel.hub, through: [0, 0, 0.1], normal: [0.1, 0.2, 1]}
  table_ball:  {rolling: wheel, radius: 0.4, on: table, through: [0, 0.3, 0.2], normal: [0.2, 0, 1]}
  ground_disk: {rolling: wheel, radius: 0.3, axis: wheel.axle, through: [0, 0, 0], normal: [0, 0, 1]}
  table_disk:  {rolling: wheel, radius: 0.3, axis: wheel.axle, center: wheel.hub, on: table, through: [0, 0, 0.1], normal: [0, 0.1, 1]}
  skate:       {knife-edge: wheel, at: [0.7, 0.8, 0.9], along: [1, 0.3, 0.2]}
  table_skate: {knife-edge: wheel, at: [0.7, 0.8, 0.9], across: [0.1, 1, 0.1], on: table}
)yaml";

Mechanism read(const char* text) {
  ModelInput input = read_model_text(text, "velocity_joints.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

class VelocityJoints : public testing::TestWithParam<bool> {
 protected:
  VelocityJoints() : mechanism_(read(GetParam() ? kPlanar : kSpatial)) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> part(-1, 1);
    const auto vector = [&] { return Vec3(part(random), part(random), part(random)); };
    for (Body& body : mechanism_.bodies) {
      body.velocity = GetParam() ? Vec3(part(random), part(random), 0) : vector();
      body.angular_velocity = GetParam() ? Vec3(0, 0, part(random)) : vector();
    }
    system_ = system::compile(mechanism_);
    state_ = system_->initial_state();
    // The bodies' velocities are all that is known: they determine v.
    const auto known = system_->known_velocities(state_);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(known.size()), system_->sizes().v);
    Eigen::VectorXd value(A.rows());
    for (std::size_t k = 0; k < known.size(); ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      value[row] = known[k].value;
      for (std::size_t i = 0; i < known[k].column.size(); ++i)
        A(row, known[k].column[i]) += known[k].coefficient[i];
    }
    Eigen::VectorXd::Map(state_.v.data(), A.cols()) = A.completeOrthogonalDecomposition().solve(value);
    for (double& lambda : state_.lambda) lambda = part(random);
    terms_ = system_->make_terms();
    system_->evaluate(state_, system::kAskAll, terms_);
    poses_ = system_->poses(state_);
  }

  std::size_t index(const std::string& body) const {
    for (std::size_t b = 0; b < mechanism_.bodies.size(); ++b)
      if (mechanism_.bodies[b].name == body) return b;
    return mechanism_.bodies.size();
  }
  Vec3 place(const Marker& m) const {
    if (m.body == kGround) return m.frame.at;
    const Pose& pose = poses_[index(m.body)];
    return pose.position + pose.axes * (m.frame.at - mechanism_.bodies[index(m.body)].com);
  }
  Vec3 axis(const Marker& m, int k) const {
    return m.body == kGround ? Vec3(m.frame.axes.col(k))
                             : Vec3(poses_[index(m.body)].axes * m.frame.axes.col(k));
  }
  // Velocity of the material point of a body that is at a place.
  Vec3 velocity(const std::string& body, const Vec3& at) const {
    if (body == kGround) return Vec3::Zero();
    const Pose& pose = poses_[index(body)];
    return pose.velocity + pose.angular_velocity.cross(at - pose.position);
  }
  // Where the first body touches the second.
  Vec3 contact(const Joint& joint) const {
    const Vec3 c = place(joint.markers[0]);
    if (joint.kind != Joint::Kind::rolling && joint.kind != Joint::Kind::rolling_disk) return c;
    const Vec3 n = axis(joint.markers[1], GetParam() ? 1 : 2);
    if (joint.kind == Joint::Kind::rolling) return c - joint.value * n;
    // the lowest point of a circle: the direction in its plane that goes down most
    const Vec3 u = axis(joint.markers[0], 2);
    return c - joint.value * u.cross(n.cross(u)).normalized();
  }
  Vec3 slip(const Joint& joint) const {
    const Vec3 at = contact(joint);
    return velocity(joint.markers[0].body, at) - velocity(joint.markers[1].body, at);
  }
  std::vector<Vec3> directions(const Joint& joint) const {
    const Marker &a = joint.markers[0], &b = joint.markers[1];
    switch (joint.kind) {
      case Joint::Kind::rolling:
      case Joint::Kind::rolling_disk:
        if (GetParam()) return {axis(b, 0)};
        return {axis(b, 0), axis(b, 1)};
      case Joint::Kind::velocity_along:
        return {axis(a, 1), axis(a, 2)};
      default:
        return {axis(a, 1)};
    }
  }
  // A v + b of a row, or Φ̇.
  double row_rate(std::size_t row) const {
    double sum = terms_.Phi_t[row];
    for (int k = system_->jacobian().start[row]; k < system_->jacobian().start[row + 1]; ++k)
      sum += terms_.Phi_v[static_cast<std::size_t>(k)] *
             state_.v[static_cast<std::size_t>(system_->jacobian().column[static_cast<std::size_t>(k)])];
    return sum;
  }
  std::vector<std::size_t> rows_of(const std::string& joint, bool holonomic) const {
    std::vector<std::size_t> rows;
    const auto split = static_cast<std::size_t>(system_->sizes().holonomic);
    for (std::size_t i = holonomic ? 0 : split; i < (holonomic ? split : system_->rows().size()); ++i)
      if (system_->rows()[i].name == joint) rows.push_back(i);
    return rows;
  }

  Mechanism mechanism_;
  std::shared_ptr<const system::System> system_;
  State state_;
  system::Terms terms_;
  std::vector<Pose> poses_;
};

// Sums of products of numbers of order one: a few units of round-off.
constexpr double kRound = 1e-13;

TEST_P(VelocityJoints, RowsAreTheSlipOfTheMaterialPointsInContact) {
  for (const Joint& joint : mechanism_.joints) {
    if (joint.kind == Joint::Kind::pursuit) continue;
    const std::vector<Vec3> t = directions(joint);
    const std::vector<std::size_t> rows = rows_of(joint.name, false);
    ASSERT_EQ(rows.size(), t.size()) << joint.name;
    for (std::size_t k = 0; k < t.size(); ++k)
      EXPECT_NEAR(row_rate(rows[k]), t[k].dot(slip(joint)), kRound) << joint.name;
  }
}

TEST_P(VelocityJoints, ContactRowsAreTheHeightOfTheLowestPoint) {
  for (const Joint& joint : mechanism_.joints) {
    if (joint.kind != Joint::Kind::rolling && joint.kind != Joint::Kind::rolling_disk) continue;
    const Vec3 n = axis(joint.markers[1], GetParam() ? 1 : 2);
    const std::vector<std::size_t> rows = rows_of(joint.name, true);
    ASSERT_EQ(rows.size(), 1U) << joint.name;
    EXPECT_NEAR(terms_.Phi[rows[0]], n.dot(contact(joint) - place(joint.markers[1])), kRound) << joint.name;
  }
}

TEST_P(VelocityJoints, APursuersRowIsItsVelocityAcrossTheWay) {
  if (!GetParam()) GTEST_SKIP() << "a pursuit is planar";
  const Vec3 from = place(mechanism_.joint("hunt")->markers[0]);
  const Vec3 to = place(mechanism_.joint("hunt")->markers[1]);
  EXPECT_NEAR(row_rate(rows_of("hunt", false).at(0)), (to - from).cross(velocity("wheel", from)).z(), kRound);
}

// Each of these joints does to its bodies what one force at the contact point does, and that force has the
// power −λᵀ(Φ_v v) of all the joint's rows, normal and tangential.
TEST_P(VelocityJoints, TheReactionIsAForceAtTheContactPoint) {
  for (const system::Wrench& w : system_->reactions(state_, terms_)) {
    const Joint& joint = *mechanism_.joint(w.joint);
    double power = 0;
    for (const bool holonomic : {true, false})
      for (std::size_t row : rows_of(w.joint, holonomic)) power -= state_.lambda[row] * row_rate(row);
    if (joint.kind == Joint::Kind::pursuit) {
      EXPECT_NEAR(w.force.dot(velocity(w.body, contact(joint))), power, kRound);
      continue;
    }
    EXPECT_EQ(w.body, "wheel");
    EXPECT_LT(w.torque.norm(), kRound) << w.joint;
    EXPECT_NEAR(w.force.dot(slip(joint)), power, kRound) << w.joint;
  }
}

INSTANTIATE_TEST_SUITE_P(All, VelocityJoints, testing::Bool(),
                         [](const auto& which) { return which.param ? "Plane" : "Space"; });

// ω of both wheels and the speed of a slide, tied by expressions: what the row measures is what the text
// says.
TEST(SumOfSpeeds, IsWhatTheTextSays) {
  const Mechanism mechanism = read(R"yaml(
trammel: 1
plane: xy
parameters: {R: 0.3}
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {crank: {rod: [O, A], mass: 1}}
joints:
  tie: {velocity: {crank.rate: R*t, A.vy: A.x}, equals: 2*t + crank.angle}
drivers: {motor: {speed: O, equals: 3 + t}}
)yaml");
  const auto system = system::compile(mechanism);
  EXPECT_TRUE(system->rheonomic());
  EXPECT_TRUE(system->has_work());
  State s = system->initial_state();
  s.t = 0.5;
  system::Terms terms = system->make_terms();
  system->evaluate(s, system::kAskAll, terms);
  const auto row = static_cast<std::size_t>(system->sizes().holonomic);
  ASSERT_EQ(system->sizes().rows - system->sizes().holonomic, 2);
  EXPECT_EQ(system->rows()[row].name, "tie");
  EXPECT_EQ(system->rows()[row + 1].name, "motor");
  EXPECT_DOUBLE_EQ(terms.Phi_t[row], -1);
  EXPECT_DOUBLE_EQ(terms.Phi_t[row + 1], -3.5);
  EXPECT_DOUBLE_EQ(terms.gamma[row], -2);  // at rest: −∂(2t + angle)/∂t
  EXPECT_DOUBLE_EQ(terms.gamma[row + 1], -1);
  // A on [1, 0]: crank.rate = A.vy
  double along_y = 0;
  for (int k = system->jacobian().start[row]; k < system->jacobian().start[row + 1]; ++k)
    if (system->jacobian().column[static_cast<std::size_t>(k)] == 1)
      along_y += terms.Phi_v[static_cast<std::size_t>(k)];
  EXPECT_DOUBLE_EQ(along_y, 0.3 * 0.5 + 1);
}

// Closed forms that the models quote, by the equations of motion with multipliers and Runge–Kutta of order
// four. Coin and ball spin at 10 to 25 rad/s, a hundredth of a radian in a step of 0.5 ms: errors of some
// 1e-10.
class Motion {
 public:
  explicit Motion(const std::string& model) : simulation_(tests::model(model), plan(model)) {
    EXPECT_TRUE(simulation_.assemble().report.accepted());
  }
  void run_to(double t) {
    const double h = 5e-4;
    const auto steps = std::lround((t - simulation_.state().t) / h);
    for (long i = 0; i < steps; ++i) ASSERT_TRUE(simulation_.step(h).report.accepted());
  }
  Pose pose(std::size_t body) const { return simulation_.system().poses(simulation_.state())[body]; }
  system::Wrench reaction(const std::string& joint) const {
    Report report;
    const State s = simulation_.with_reactions(report);
    system::Terms terms = simulation_.system().make_terms();
    for (const system::Wrench& w : simulation_.system().reactions(s, terms))
      if (w.joint == joint) return w;
    ADD_FAILURE() << "no reaction at " << joint;
    return {};
  }

 private:
  static Plan plan(const std::string& model) {
    Plan plan = tests::model(model).plan;
    plan.formulation = "lagrange";
    plan.integrator = "rk4";
    plan.step = 5e-4;
    return plan;
  }
  Simulation simulation_;
};
constexpr double kMotion = 1e-9;

TEST(VelocityModels, ASkaterDrawsACycloid) {
  Motion motion("skater");
  const double g = 9.81 * std::sin(std::numbers::pi / 9), w = 1.5, m = 60;
  for (const double t : {0.7, 2.0, 3.5}) {
    motion.run_to(t);
    const Pose p = motion.pose(0);
    EXPECT_NEAR(p.position.x(), g * std::pow(std::sin(w * t), 2) / (2 * w * w), kMotion);
    EXPECT_NEAR(p.position.y(), g * (w * t - std::sin(2 * w * t) / 2) / (2 * w * w), kMotion);
    EXPECT_NEAR(p.angle, w * t, kMotion);
    // Across the blade [−sin ωt, cos ωt].
    const Vec3 across(-std::sin(w * t), std::cos(w * t), 0);
    const system::Wrench ice = motion.reaction("ice");
    EXPECT_NEAR((ice.force - 2 * m * g * std::sin(w * t) * across).norm(), 0, m * g * kMotion);
    EXPECT_NEAR(ice.torque.norm(), 0, m * g * kMotion);
  }
}

TEST(VelocityModels, ACoinKeepsItsLeanAndItsWeight) {
  Motion motion("rolling-disk");
  const double lean = std::numbers::pi / 3, turn = 3, r = 0.1, w3 = -12.336235868334;
  for (const double t : {0.0, 0.5, 2.0}) {
    motion.run_to(t);
    const Pose p = motion.pose(0);
    EXPECT_NEAR(p.axes(2, 2), std::cos(lean), kMotion);
    EXPECT_NEAR(p.position.z(), r * std::sin(lean), kMotion);
    EXPECT_NEAR(p.angular_velocity.dot(p.axes.col(2)), w3, 1e2 * kMotion);
    // round a circle of radius |r w3/turn|: its speed, and the force towards the circle's centre
    const system::Wrench table = motion.reaction("table");
    EXPECT_NEAR(p.velocity.norm(), std::abs(r * w3), kMotion);
    EXPECT_NEAR(table.force.z(), 0.01 * 9.81, kMotion);
    EXPECT_NEAR(table.force.head<2>().norm(), 0.01 * std::abs(r * w3 * turn), kMotion);
    EXPECT_NEAR(table.torque.norm(), 0, kMotion);
  }
}

TEST(VelocityModels, ABallOnATurntableGoesRoundAtTwoSeventhsOfItsRate) {
  Motion motion("rolling-sphere-turntable");
  // v̇ = (2/7) Ω × v: with Ω = 3.5 rad/s the velocity turns at 1 rad/s.
  for (const double t : {1.0, 4.0}) {
    motion.run_to(t);
    const Pose p = motion.pose(1);
    EXPECT_NEAR((p.velocity - 0.2 * Vec3(-std::sin(t), std::cos(t), 0)).norm(), 0, kMotion);
    EXPECT_NEAR((p.position - Vec3(0.1 + 0.2 * std::cos(t), 0.2 * std::sin(t), 0.05)).norm(), 0, kMotion);
    EXPECT_NEAR(
        (motion.reaction("contact").force - 0.2 * Vec3(-0.2 * std::cos(t), -0.2 * std::sin(t), 9.81)).norm(),
        0, 1e1 * kMotion);
  }
}

TEST(VelocityModels, APredatorKeepsItsSpeed) {
  Motion motion("pursuit");
  // By a separate integration of the pursuit curve |v| = 1 alone, to 12 digits.
  const std::map<double, Vec3> exact = {{1, {-0.467068235650, 0.642712480837, 0}},
                                        {2, {-0.231535799027, 0.112739725232, 0}},
                                        {5, {-0.033388716678, 0.005796952512, 0}}};
  for (const auto& [t, force] : exact) {
    motion.run_to(t);
    EXPECT_NEAR(motion.pose(0).velocity.norm(), 1, kMotion);
    EXPECT_NEAR((motion.reaction("chase").force - force).norm(), 0, kMotion);
    EXPECT_NEAR(motion.pose(1).position.y(), t * t, kMotion);  // the prey feels nothing
  }
}

// A coin that leans and rolls nowhere falls; where it lies flat its equations mean nothing.
TEST(RollingDisk, FallsFlatAndTheRunSaysSo) {
  for (const char* coordinates : {"natural", "reference", "relative"}) {
    SCOPED_TRACE(coordinates);
    Mechanism coin = read(R"yaml(
trammel: 1
gravity: [0, 0, -9.81]
bodies:
  coin: {mass: 1, inertia: [0.5, 0.25, 0.25], at: [0, 0, 0.8], vectors: {axle: [0.8, 0, 0.6]}}
joints:
  touch: {rolling: coin, radius: 1, axis: coin.axle, through: [0, 0, 0], normal: [0, 0, 1]}
simulate: {duration: 2, step: 0.01}
)yaml");
    coin.plan.coordinates = coordinates;
    Simulation simulation(coin, coin.plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    Report report;
    while (report.accepted() && simulation.state().t < 2) report = simulation.step(0.01).report;
    EXPECT_EQ(report.outcome, Outcome::out_of_range);
    EXPECT_EQ(report.message, "the disk of 'touch' lies flat on its plane, where no single point touches");
    EXPECT_LT(simulation.state().t, 1.5);
  }
}

}  // namespace
}  // namespace trammel::tests::velocity_joints_test
