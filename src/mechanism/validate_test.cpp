// Mechanisms built in C++ are checked like those of a file. The words of most issues are tested with the
// reader.
#include "mechanism/validate.h"

#include <gtest/gtest.h>

namespace trammel::mechanism::validate_test {
namespace {

Body box(const std::string& name) {
  Body body;
  body.name = name;
  body.mass = 1;
  body.inertia = Mat3::Identity();
  return body;
}

Joint hinge(const std::string& name, const std::string& first, const std::string& second) {
  Joint joint;
  joint.name = name;
  joint.markers = {{first, {}}, {second, {}}};
  return joint;
}

Mechanism sound() {
  Mechanism m;
  m.bodies = {box("a"), box("b")};
  m.joints = {hinge("j", "a", kGround), hinge("k", "a", "b")};
  return m;
}

std::string first_issue(const Mechanism& m) {
  const auto issues = validate(m);
  return issues.empty() ? "" : issues.front().message;
}

TEST(Validate, ASoundMechanismHasNoIssues) { EXPECT_EQ(first_issue(sound()), ""); }

TEST(Validate, AllIssuesAtOnce) {
  Mechanism m = sound();
  m.bodies[0].mass = -1;
  m.bodies[1].inertia.diagonal() = Vec3(1, 1, 3);
  m.joints[1].markers[1].body = "c";
  m.gravity.x() = NAN;
  EXPECT_EQ(validate(m).size(), 5U);  // the fifth: b is now connected to nothing
}

// Limits that leave no room are not in the wrong order.
TEST(Validate, AStopNeedsRoom) {
  Mechanism m = sound();
  EndStop stop;
  stop.name = "s", stop.joint = "j", stop.lower = 0, stop.upper = 0;
  m.stops = {stop};
  ASSERT_EQ(validate(m).size(), 1U);
  EXPECT_EQ(validate(m).front().remedy,
            "to hold the coordinate there, replace the stop by a fixed joint or by a driver with equals:");
  m.stops[0].lower = 1;
  EXPECT_EQ(validate(m).front().remedy, "exchange them");
}

// The equations of a kind that does not exist in the plane would be wrong there.
TEST(Validate, KindsOfJointsExistInThePlaneOrNot) {
  Mechanism m = sound();
  m.is_planar = true;
  EXPECT_EQ(first_issue(m), "");
  m.joints[0].kind = Joint::Kind::planar;
  EXPECT_EQ(first_issue(m), "'j' is a planar joint, which does not exist in the plane");
  m.is_planar = false;
  EXPECT_EQ(first_issue(m), "");
}

TEST(Validate, AFlatPlateIsABody) {
  Mechanism m = sound();
  m.bodies[0].inertia.diagonal() = Vec3(1, 2, 3);
  EXPECT_EQ(first_issue(m), "");
}

TEST(Validate, RodsAndPointMassesMayBeMassless) {
  Mechanism m = sound();
  m.bodies[0].kind = Body::Kind::rod;
  m.bodies[0].length = 1;
  m.bodies[0].mass = 0;
  EXPECT_EQ(first_issue(m), "");
  m.bodies[0].kind = Body::Kind::rigid;
  EXPECT_EQ(first_issue(m), "the mass of 'a' is 0 kg");
}

TEST(Validate, AxesAreARotation) {
  Mechanism m = sound();
  m.bodies[0].placement.axes.col(2) *= -1;
  EXPECT_EQ(first_issue(m), "the axes of 'a' are not a rotation");
}

TEST(Validate, NamesAreUsedOnce) {
  Mechanism m = sound();
  m.joints[1].name = "a";
  EXPECT_EQ(first_issue(m), "'a' is already the name of a body");
  m = sound();
  m.bodies[0].name = kGround;
  EXPECT_EQ(first_issue(m), "'ground' cannot name a body");
}

TEST(Validate, JointsNameBodiesThatExist) {
  Mechanism m = sound();
  m.joints[0].markers[0].body = "c";
  EXPECT_EQ(first_issue(m), "joint 'j' names 'c', which is no body");
  m = sound();
  m.joints[0].markers.pop_back();
  EXPECT_EQ(first_issue(m), "joint 'j' does not connect two bodies");
}

TEST(Validate, CouplersAndDriversNameJointsThatFit) {
  Mechanism m = sound();
  Joint screw;
  screw.name = "s", screw.kind = Joint::Kind::screw, screw.of = {"j"}, screw.value = 1;
  m.joints.push_back(screw);
  EXPECT_EQ(first_issue(m), "joint 'j' has not the coordinate that 's' couples");
  m = sound();
  Driver driver;
  driver.name = "d", driver.of = "q", driver.equals = {"t"};
  m.drivers = {driver};
  EXPECT_EQ(first_issue(m), "driver 'd' needs a joint with one coordinate");
}

TEST(Validate, JointsOfVelocitiesAreChecked) {
  Mechanism m = sound();
  Joint joint = hinge("v", "a", kGround);
  joint.kind = Joint::Kind::rolling;
  m.joints.push_back(joint);
  EXPECT_EQ(first_issue(m), "the radius of 'v' is 0 m");
  m.joints.back().kind = Joint::Kind::pursuit;
  EXPECT_EQ(first_issue(m), "pursuit 'v' is in space");
  m.joints.back().kind = Joint::Kind::velocity;
  EXPECT_EQ(first_issue(m), "'v' ties no speeds");
  m.joints.back().of = {"j.rate"};
  m.joints.back().law = {"k.rate", "0"};
  EXPECT_EQ(first_issue(m), "joint 'v' depends on 'k.rate'");
  m.joints.back().law = {"k.angle", "0"};
  EXPECT_EQ(first_issue(m), "");
  m.drivers.resize(1);
  m.drivers[0].name = "d", m.drivers[0].kind = Driver::Kind::distance, m.drivers[0].of_speed = true;
  m.drivers[0].equals = {"t"}, m.drivers[0].markers = {{"a", {}}, {"b", {}}};
  EXPECT_EQ(first_issue(m), "driver 'd' cannot follow a speed");
}

TEST(Validate, ExpressionsParse) {
  Mechanism m = sound();
  Driver driver;
  driver.name = "d", driver.of = "j", driver.equals = {"2*k.angle"};
  m.drivers = {driver};
  EXPECT_EQ(first_issue(m), "driver 'd' depends on 'k.angle'");
  m.drivers[0].equals = {"sin(t"};
  EXPECT_EQ(first_issue(m).substr(0, 19), "'sin(t' of 'd': mis");
}

TEST(Validate, CoordinatesOfOnesOwn) {
  const auto model = [] {
    Mechanism m;
    m.generalized.emplace();
    m.generalized->coordinates = {{"x", 1, {}, {}}, {"y", 0, {}, {}}};
    m.generalized->mass = {{"x", "x", "1", {}}, {"y", "y", "1 + x^2", {}}};
    return m;
  };
  EXPECT_EQ(first_issue(model()), "");
  Mechanism m = model();
  m.bodies = {box("a")};
  EXPECT_EQ(first_issue(m), "a model with coordinates of its own has no bodies, joints or forces");
  m = model();
  m.generalized->mass[1].row = "z";
  EXPECT_EQ(first_issue(m), "the mass of 'z y': there is no coordinate 'z'");
  m = model();
  m.generalized->applied = {{"x", "1", {}}, {"x", "2", {}}};
  EXPECT_EQ(first_issue(m), "the force on 'x' is given twice");
  m.generalized->applied = {{"x", "1 +", {}}};
  EXPECT_EQ(first_issue(m).substr(0, 25), "the force on 'x', '1 +': ");
  m = model();
  m.generalized->coordinates[1].rate = NAN;
  EXPECT_EQ(first_issue(m), "the start of coordinate 'y' is not finite");
}

TEST(Validate, AUserForceMustBeThere) {
  Mechanism m = sound();
  m.forces = {{"f", UserForcePtr{}, {}}};
  EXPECT_EQ(first_issue(m), "force 'f' has no law");
}

TEST(Validate, AUserForceActsOnABody) {
  struct Pulls final : UserForce {
    explicit Pulls(std::vector<UserPoint> points) : at(std::move(points)) {}
    std::vector<UserPoint> points() const override { return at; }
    void force(double, Points, Points, Forces) const override {}
    std::vector<UserPoint> at;
  };
  const auto issue_of = [](std::vector<UserPoint> points) {
    Mechanism m = sound();
    m.forces = {{"f", std::make_shared<Pulls>(std::move(points)), {}}};
    return first_issue(m);
  };
  const std::string body = sound().bodies.front().name;
  EXPECT_EQ(issue_of({}), "'f' acts on 0 points");
  EXPECT_EQ(issue_of({kMaxUserPoints + 1, {body, {0, 0, 0}}}), "'f' acts on 17 points");
  EXPECT_EQ(issue_of({{"ground", {0, 0, 0}}}), "'f' acts on ground alone, which does not move");
  EXPECT_EQ(issue_of({{body, {0, NAN, 0}}}), "the place of 'f' on '" + body + "' is not finite");
  EXPECT_EQ(issue_of({{"ground", {0, 0, 0}}, {body, {0, 0, 0}}}), "");
  Mechanism planar = sound();
  planar.is_planar = true;
  planar.forces = {{"f", std::make_shared<Pulls>(std::vector<UserPoint>{{body, {0, 0, 1}}}), {}}};
  std::string all;
  for (const Issue& issue : validate(planar)) all += issue.message + "\n";
  EXPECT_NE(all.find("has z = 1 m, and the mechanism moves in the plane"), std::string::npos) << all;
}

TEST(Validate, FunctionsAreOrderedAndHaveTheirOwnNames) {
  Mechanism m = sound();
  m.functions = {{"f", TableFunction::Kind::natural, {0, 0}, {0, 1}, {}}};
  EXPECT_EQ(first_issue(m), "function 'f' needs two points or more, x increasing");
  m.functions = {{"sin", TableFunction::Kind::natural, {0, 1}, {0, 1}, {}}};
  EXPECT_EQ(first_issue(m), "'sin' is a built-in function");
}

TEST(Validate, ALooseBodyIsAnIssueUnlessItSaysSo) {
  Mechanism m = sound();
  m.joints.pop_back();
  EXPECT_EQ(first_issue(m), "body 'b' is connected to nothing");
  m.bodies[1].free = true;
  EXPECT_EQ(first_issue(m), "");
}

}  // namespace
}  // namespace trammel::mechanism::validate_test
