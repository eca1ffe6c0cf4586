// Joints and subsystems that come and go while a mechanism runs, against separate runs patched together.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "simulation/modes.h"
#include "simulation/modular/modular.h"
#include "simulation/resolve.h"
#include "system/system.h"
#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/modular_editor.h"
#include "trammel/simulation.h"

namespace trammel::tests::modular_edit_test {
namespace {

Mechanism pendulum() {
  ModelInput input = read_model(std::string(kSourceDir) + "/models/joli-double-pendulum.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

Plan modular(const Mechanism& mechanism, double h) {
  Plan plan = mechanism.plan;
  plan.formulation = "modular";
  plan.step = h;
  return plan;
}

void advance(Simulation& simulation, double h, double by) {
  for (long n = std::lround(by / h); n > 0; --n) {
    const StepResult step = simulation.step(h);
    ASSERT_TRUE(step.report.accepted()) << simulation.state().t << ": " << step.report.message;
  }
}

std::vector<Pose> poses(const Simulation& simulation) {
  return simulation.system().poses(simulation.state());
}

double difference(const std::vector<Pose>& a, const std::vector<Pose>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    largest = std::max({largest, (a[k].position - b[k].position).norm(), (a[k].axes - b[k].axes).norm()});
  return largest;
}

// The mechanism with its bodies where and as fast as they are.
Mechanism placed(Mechanism mechanism, const std::vector<Pose>& at) {
  for (std::size_t b = 0; b < at.size(); ++b) {
    Body& body = mechanism.bodies[b];
    body.placement = {at[b].position - at[b].axes * body.com, at[b].axes};
    body.angle = std::atan2(at[b].axes(1, 0), at[b].axes(0, 0));
    body.velocity = at[b].velocity;
    body.angular_velocity = at[b].angular_velocity;
    body.free = true;
  }
  mechanism.points.clear();  // they tell where things were at the start
  return mechanism;
}

// A chain hung from ground: with its angular velocities alone no pin is at odds with another.
Mechanism hung(const Mechanism& mechanism, const std::vector<Pose>& at) {
  Mechanism out = placed(mechanism, at);
  for (Body& body : out.bodies) body.velocity.reset();
  return out;
}

// The default formulation over a time, from these poses on.
std::vector<Pose> default_run(const Mechanism& mechanism, double h, double by) {
  Plan plan = mechanism.plan;
  plan.step = h;
  Simulation simulation(mechanism, plan);
  const AssemblyReport assembly = simulation.assemble();
  EXPECT_TRUE(assembly.report.accepted()) << assembly.report.message;
  advance(simulation, h, by);
  return poses(simulation);
}

double cross(const Vec3& a, const Vec3& b) { return a.x() * b.y() - a.y() * b.x(); }
Vec3 turned(double w, const Vec3& r) { return {-w * r.y(), w * r.x(), 0}; }

// By hand: link 1 turns about O, link 2 is free, both meet at P without rebound. The impulse on link 2.
Vec3 closing_impulse(const Mechanism& m, std::vector<Pose>& at, const Vec3& P) {
  const Body &one = m.bodies[0], &two = m.bodies[1];
  const double I_O = one.inertia(2, 2) + one.mass * at[0].position.squaredNorm();
  const Vec3 r1 = P, r2 = P - at[1].position;
  const Vec3 rate =
      at[1].velocity + turned(at[1].angular_velocity.z(), r2) - turned(at[0].angular_velocity.z(), r1);
  const auto across = [](const Vec3& r) { return Eigen::Vector2d(-r.y(), r.x()); };
  const Eigen::Matrix2d K = Eigen::Matrix2d::Identity() / two.mass +
                            across(r2) * across(r2).transpose() / two.inertia(2, 2) +
                            across(r1) * across(r1).transpose() / I_O;
  const Eigen::Vector2d p = -K.inverse() * rate.head<2>();
  const Vec3 impulse(p.x(), p.y(), 0);
  at[1].velocity += impulse / two.mass;
  at[1].angular_velocity.z() += cross(r2, impulse) / two.inertia(2, 2);
  at[0].angular_velocity.z() -= cross(r1, impulse) / I_O;
  at[0].velocity = turned(at[0].angular_velocity.z(), at[0].position);
  return impulse;
}

double kinetic(const Mechanism& m, const std::vector<Pose>& at) {
  double sum = 0;
  for (std::size_t b = 0; b < at.size(); ++b)
    sum += 0.5 * (m.bodies[b].mass * at[b].velocity.squaredNorm() +
                  m.bodies[b].inertia(2, 2) * at[b].angular_velocity.squaredNorm());
  return sum;
}

// The joint between the links is deleted at 1 s and put back, where they are then, at 2 s.
TEST(ModularEdit, DeletedAndPutBackAsTwoRunsPatchedTogether) {
  const Mechanism whole = pendulum();
  const double h = 5e-4;
  Simulation simulation(whole, modular(whole, h));
  ASSERT_TRUE(simulation.assemble().report.accepted());
  advance(simulation, h, 1);

  // First patch: the default formulation, whole, then cut.
  const std::vector<Pose> at_one = default_run(whole, h, 1);
  EXPECT_LT(difference(poses(simulation), at_one), 1e-4);
  const Joint joint = *whole.joint("A");
  const Edit cut = ModularEditor(simulation).remove_joint("A");
  ASSERT_TRUE(cut.report.accepted()) << cut.report.message;
  EXPECT_NEAR(cut.energy_loss(), 0, 1e-12);  // a cut changes no velocity
  EXPECT_TRUE(cut.impulses.empty());
  advance(simulation, h, 1);
  Mechanism apart = placed(whole, at_one);
  std::erase_if(apart.joints, [](const Joint& j) { return j.name == "A"; });
  std::vector<Pose> at_two = default_run(apart, h, 1);
  EXPECT_LT(difference(poses(simulation), at_two), 3e-4);

  // Second patch: closed by hand.
  const Edit misfit = ModularEditor(simulation).add_joint(joint);
  EXPECT_EQ(misfit.report.outcome, Outcome::refused);
  EXPECT_NE(misfit.report.message.find("'A' does not fit the bodies as they stand"), std::string::npos);
  const Joint now = ModularEditor(simulation).here(joint);
  const std::vector<Pose> before = poses(simulation);
  std::vector<Pose> by_hand = before;
  const Vec3 P = before[0].axes * Vec3(1, 0, 0);
  const Vec3 impulse = closing_impulse(whole, by_hand, P);
  const Edit closed = ModularEditor(simulation).add_joint(now);
  ASSERT_TRUE(closed.report.accepted()) << closed.report.message;
  // what a step leaves of the pin at O, whose velocity the impulse corrects too
  EXPECT_NEAR(closed.energy_loss(), kinetic(whole, before) - kinetic(whole, by_hand), 1e-3);
  EXPECT_GT(closed.energy_loss(), 0);
  ASSERT_EQ(closed.impulses.back().joint, "A");
  const bool on_two = now.markers[0].body == "link2";
  EXPECT_LT((closed.impulses.back().force - (on_two ? 1 : -1) * impulse).norm(), 1e-3 * impulse.norm());

  advance(simulation, h, 1);
  closing_impulse(whole, at_two, at_two[0].axes * Vec3(1, 0, 0));
  Mechanism again = placed(whole, at_two);
  for (Joint& j : again.joints)
    if (j.name == "A") j = now;
  // both as the default formulation left them at 2 s
  const Vec3 end = at_two[0].axes * Vec3(1, 0, 0);
  for (Joint& j : again.joints)
    for (Marker& marker : j.markers)
      if (j.name == "A" && marker.body == "link2") {
        const Frame& f = again.bodies[1].placement;
        marker.frame.at = f.axes.transpose() * (end - f.at);
      }
  const std::vector<Pose> at_three = default_run(again, h, 1);
  // the difference at 2 s, carried on by a motion that spreads it
  EXPECT_LT(difference(poses(simulation), at_three), 1e-3);
}

// Links and joints that stay keep their Systems and every bit of their states.
TEST(ModularEdit, NothingElseIsCompiledOrReset) {
  const Mechanism whole = pendulum();
  simulation::Running running(whole, modular(whole, 1e-3), simulation::resolve(modular(whole, 1e-3)),
                              nullptr);
  running.state = [&] {
    Simulation simulation(whole, modular(whole, 1e-3));
    EXPECT_TRUE(simulation.assemble().report.accepted());
    advance(simulation, 1e-3, 0.1);
    return simulation.state();
  }();
  const auto modules = [&] {
    std::vector<std::pair<const simulation::Module*, const system::System*>> all;
    for (const auto& module : static_cast<simulation::Modular&>(*running.mode->method).modules())
      all.emplace_back(module.get(), module->system().get());
    return all;
  };
  const auto before = modules();
  const State old = running.state;
  const std::vector<Pose> at = running.mode->system->poses(old);
  Mechanism cut = whole;
  std::erase_if(cut.joints, [](const Joint& j) { return j.name == "A"; });
  running.modes.follow(cut, {}, running.state);
  running.mode = &running.modes.at({}, {});
  EXPECT_EQ(modules(), before);
  // Without a joint at its end link2 is known by its centre of mass: the same motion in other coordinates.
  EXPECT_LT(difference(running.mode->system->poses(running.state), at), 1e-14);
  EXPECT_EQ(running.state.t, old.t);
  running.modes.follow(whole, {}, running.state);
  running.mode = &running.modes.at({}, {});
  EXPECT_EQ(modules(), before);
  EXPECT_EQ(running.state.q, old.q);
  const std::vector<Pose> back = running.mode->system->poses(running.state);
  for (std::size_t b = 0; b < at.size(); ++b) EXPECT_DOUBLE_EQ(back[b].angle, at[b].angle) << b;
}

// A link that comes at 0.2 s, hung to the end of the second, and goes at 0.6 s: while it is there the
// mechanism is the triple pendulum that a separate run starts with; afterwards the double one.
TEST(ModularEdit, SubsystemsComeAndGo) {
  const Mechanism whole = pendulum();
  const double h = 5e-4;
  Simulation simulation(whole, modular(whole, h));
  ASSERT_TRUE(simulation.assemble().report.accepted());
  advance(simulation, h, 0.2);

  // Hung at rest relative to the point that will hold it: nothing jumps.
  const std::vector<Pose> at = poses(simulation);
  const Vec3 tip = at[1].position + at[1].axes * Vec3(1.0 / 3, 0, 0);
  Body link;
  link.name = "link3";
  link.mass = 0.5;
  link.inertia(2, 2) = 0.04;
  link.placement.at = tip + Vec3(0, -0.5, 0);
  link.velocity = at[1].velocity + turned(at[1].angular_velocity.z(), tip - at[1].position);
  link.angular_velocity = Vec3::Zero();
  Subsystem third;
  third.name = "third";
  third.bodies = {"link3"};
  Joint pin;
  pin.name = "C";
  pin.kind = Joint::Kind::revolute;
  pin.markers = {{"link2", {Vec3(1, 0, 0), Mat3::Identity()}},
                 {"link3", {Vec3(0, 0.5, 0), Mat3::Identity()}}};
  const Edit came = ModularEditor(simulation).add_subsystem(third, {link}, {pin});
  ASSERT_TRUE(came.report.accepted()) << came.report.message;
  // but for what the step leaves of the pins' velocities
  EXPECT_NEAR(came.energy_loss(), 0, 1e-4);
  advance(simulation, h, 0.4);

  Mechanism three = hung(whole, at);
  three.bodies.push_back(link);
  three.bodies.back().velocity.reset();
  three.joints.push_back(pin);
  const std::vector<Pose> with_three = default_run(three, h, 0.4);
  EXPECT_LT(difference(poses(simulation), with_three), 1e-4);

  const Edit gone = ModularEditor(simulation).remove_subsystem("third");
  ASSERT_TRUE(gone.report.accepted()) << gone.report.message;
  ASSERT_EQ(poses(simulation).size(), 2u);
  advance(simulation, h, 0.4);
  const std::vector<Pose> two(with_three.begin(), with_three.begin() + 2);
  EXPECT_LT(difference(poses(simulation), default_run(hung(whole, two), h, 0.4)), 3e-4);
}

TEST(ModularEdit, WhatCannotBeSaysWhy) {
  const Mechanism whole = pendulum();
  const auto says = [](const Edit& edit, const std::string& words) {
    EXPECT_EQ(edit.report.outcome, Outcome::refused);
    EXPECT_NE(edit.report.message.find(words), std::string::npos) << edit.report.message;
  };
  Simulation other(whole, whole.plan);
  ASSERT_TRUE(other.assemble().report.accepted());
  says(ModularEditor(other).remove_joint("A"), "formulation modular only");

  Simulation simulation(whole, modular(whole, 1e-3));
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const State before = simulation.state();
  says(ModularEditor(simulation).remove_joint("Z"), "there is no joint 'Z'");
  says(ModularEditor(simulation).remove_subsystem("Z"), "there is no subsystem 'Z'");
  Joint gear;
  gear.name = "gear";
  gear.kind = Joint::Kind::gear;
  gear.of = {"O", "A"};
  says(ModularEditor(simulation).add_joint(gear), "only joints of bodies");
  Joint far = *whole.joint("A");
  far.name = "far";
  far.markers[1].frame.at += Vec3(0, 0.3, 0);
  says(ModularEditor(simulation).add_joint(far), "'far' does not fit");
  Joint twice = *whole.joint("A");
  says(ModularEditor(simulation).add_joint(twice), "A");
  EXPECT_EQ(simulation.state().q, before.q);
  for (std::size_t k = 0; k < before.memory.size(); ++k)
    EXPECT_EQ(simulation.state().memory[k].values, before.memory[k].values);
  advance(simulation, 1e-3, 0.01);

  Mechanism grouped = whole;
  grouped.subsystems.emplace_back();
  grouped.subsystems.back().name = "both";
  grouped.subsystems.back().bodies = {"link1", "link2"};
  Simulation group(grouped, modular(grouped, 1e-3));
  ASSERT_TRUE(group.assemble().report.accepted());
  says(ModularEditor(group).remove_joint("A"), "lies inside a subsystem");
}

}  // namespace
}  // namespace trammel::tests::modular_edit_test
