// What the dotted names of expressions mean.
#include "mechanism/signals.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trammel::mechanism::signals_test {
namespace {

// A crank on ground at O, a coupler at A and a point mass at its end B; a spring and a slide.
Mechanism planar_mechanism() {
  Mechanism m;
  m.is_planar = true;
  Body crank, coupler, mass;
  crank.name = "crank", crank.kind = Body::Kind::rod, crank.com = Vec3(0.5, 0, 0);
  coupler.name = "coupler", coupler.points["tip"] = Vec3(2, 0, 0);
  mass.name = "mass", mass.kind = Body::Kind::point_mass;
  m.bodies = {crank, coupler, mass};
  const auto pin = [&](const std::string& name, std::vector<Marker> on) {
    m.points.push_back({name, Vec3::Zero(), on, {}, {}});
    Joint joint;
    joint.name = name, joint.kind = Joint::Kind::pin, joint.markers = std::move(on);
    m.joints.push_back(joint);
  };
  pin("O", {{"crank", {}}, {kGround, {}}});
  pin("A", {{"crank", {}}, {"coupler", {}}});
  pin("B", {{"coupler", {}}, {"mass", {}}});
  Joint slide;
  slide.name = "slide", slide.kind = Joint::Kind::prismatic, slide.markers = {{"coupler", {}}, {kGround, {}}};
  m.joints.push_back(slide);
  Force spring;
  spring.name = "spring", spring.law = SpringDamper{};
  m.forces = {spring};
  m.states = {{"integral", "0", 0, {}}};
  m.inputs = {{"push", 0}};
  m.parameters = {{"L", 2.0}};
  m.functions = {{"ramp", TableFunction::Kind::table, {0, 1}, {0, 3}, {}}};
  return m;
}

TEST(Signals, NamesResolve) {
  const Mechanism m = planar_mechanism();
  using Kind = Signal::Kind;
  EXPECT_EQ(resolve_signal(m, "A.angle")->kind, Kind::joint_angle);
  EXPECT_TRUE(resolve_signal(m, "A.rate")->rate);
  EXPECT_EQ(resolve_signal(m, "slide.displacement")->kind, Kind::joint_displacement);
  EXPECT_EQ(resolve_signal(m, "slide.rate")->kind, Kind::joint_displacement);
  EXPECT_EQ(resolve_signal(m, "crank.angle")->kind, Kind::body_angle);
  EXPECT_EQ(resolve_signal(m, "spring.rate")->kind, Kind::spring_length);
  const auto height = resolve_signal(m, "coupler.tip.vy");
  EXPECT_EQ(height->point.body, "coupler");
  EXPECT_EQ(height->point.frame.at, Vec3(2, 0, 0));
  EXPECT_TRUE(height->rate);
  EXPECT_EQ(height->axis, 1);
  EXPECT_EQ(resolve_signal(m, "crank.x")->point.frame.at, Vec3(0.5, 0, 0));
  EXPECT_EQ(resolve_signal(m, "B.x")->point.body, "coupler");
}

TEST(Signals, WhatIsNotThereDoesNot) {
  const Mechanism m = planar_mechanism();
  // a point mass does not turn, a plane has no z, a slide no angle
  for (const char* name :
       {"B.angle", "mass.angle", "B.z", "slide.angle", "crank", "crank.q", "coupler.top.x", "t"}) {
    EXPECT_FALSE(resolve_signal(m, name)) << name;
  }
}

TEST(Signals, ColumnsAndExpressionsHaveTheSameNames) {
  const Mechanism m = planar_mechanism();
  using Kind = Signal::Kind;
  EXPECT_TRUE(resolve_signal(m, "B.v.x")->rate);
  EXPECT_TRUE(resolve_signal(m, "crank.a.y")->acceleration);
  EXPECT_TRUE(resolve_signal(m, "coupler.tip.ax")->follows_forces());
  EXPECT_TRUE(resolve_signal(m, "crank.alpha")->acceleration);
  EXPECT_EQ(resolve_signal(m, "crank.ey.x")->kind, Kind::body_axis);
  const auto force = resolve_signal(m, "A.joint_force.y");
  EXPECT_EQ(force->kind, Kind::reaction);
  EXPECT_EQ(force->axis, 1);
  EXPECT_TRUE(force->joint_axes);
  EXPECT_TRUE(resolve_signal(m, "slide.torque.z")->torque);
  EXPECT_EQ(resolve_signal(m, "slide.effort")->kind, Kind::effort);
  EXPECT_EQ(expand_signal(m, "crank.omega"), "crank.rate");
  EXPECT_EQ(expand_signal(m, "spring.force"), "0 + 0*(spring.length - 0) + 0*spring.rate");
  for (const char* name :
       {"A.force.z", "slide.torque.x", "crank.force.x", "mass.ex.x", "crank.ez.x", "A.push.x"})
    EXPECT_FALSE(resolve_signal(m, name)) << name;
  for (const char* name : {"spring.torque", "spring.force.x", "mass.omega", "crank.omega.z", "spring"})
    EXPECT_FALSE(expand_signal(m, name)) << name;
}

TEST(Signals, ACylindricalJointHasTwoCoordinates) {
  Mechanism m;
  Joint joint;
  joint.name = "c", joint.kind = Joint::Kind::cylindrical, joint.markers = {{"a", {}}, {kGround, {}}};
  m.joints = {joint};
  EXPECT_EQ(resolve_signal(m, "c.angle_rate")->kind, Signal::Kind::joint_angle);
  EXPECT_EQ(resolve_signal(m, "c.displacement_rate")->kind, Signal::Kind::joint_displacement);
  EXPECT_FALSE(resolve_signal(m, "c.rate"));
}

TEST(Signals, EveryNameOfferedResolves) {
  const Mechanism m = planar_mechanism();
  const auto names = signal_names(m);
  for (const std::string& name : names) EXPECT_TRUE(resolve_signal(m, name)) << name;
  for (const char* name :
       {"A.angle", "crank.rate", "coupler.tip.x", "spring.length", "slide.displacement", "O.vy"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
}

TEST(Signals, SymbolsStartWithTimeStatesInputs) {
  const Mechanism m = planar_mechanism();
  const auto symbols = make_symbols(m);
  EXPECT_EQ(symbols->name(0), "t");
  EXPECT_EQ(symbols->name(1), "integral");
  EXPECT_EQ(symbols->name(2), "push");
  EXPECT_EQ(symbols->size(), 3);
  const auto parsed = expressions::Expression::parse("L*ramp(2) + A.angle + push", *symbols);
  const auto& expression = std::get<expressions::Expression>(parsed);
  EXPECT_EQ(expression.slots(), (std::vector<int>{2, 3}));
  EXPECT_EQ(symbols->name(3), "A.angle");
  std::vector<double> x = {0, 0, 10, 100}, scratch(static_cast<std::size_t>(expression.scratch_size()));
  EXPECT_EQ(expression.value(x, scratch), 2 * 6 + 100 + 10);
}

}  // namespace
}  // namespace trammel::mechanism::signals_test
