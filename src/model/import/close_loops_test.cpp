// Loops that a file leaves open: closed by turning the joints, within their limits, with frames that are not
// mistaken for their opposite.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "analysis/mobility.h"
#include "model/import/import_testing.h"
#include "trammel/run.h"

namespace trammel::model::close_loops_test {
namespace {

constexpr double kRounding = 1e-10;

std::string link(const std::string& name) {
  return "<link name=\"" + name +
         "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>\n";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& inside) {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/>" + inside + "</joint>\n";
}

// Three links of 1 m in a line along x, hinged about z. The last one's tip has its x axis backwards.
std::string arm(const std::string& elbow = "", const std::string& target = "0.5 0.5 0",
                const std::string& more = "") {
  const std::string z = "<axis xyz=\"0 0 1\"/>", next = "<origin xyz=\"1 0 0\"/>";
  return "<robot name=\"arm\">\n<link name=\"world\"/>\n" + link("a") + link("b") + link("c") +
         "<link name=\"tip\"/><link name=\"target\"/>\n" + joint("ja", "continuous", "world", "a", z) +
         joint("jb", elbow.empty() ? "continuous" : "revolute", "a", "b", z + next + elbow) +
         joint("jc", "continuous", "b", "c", z + next) +
         joint("t", "fixed", "c", "tip", "<origin xyz=\"1 0 0\" rpy=\"0 0 3.141592653589793\"/>") +
         joint("w", "fixed", "world", "target", "<origin xyz=\"" + target + "\"/>") + more + "</robot>\n";
}

Imported closed(const std::string& urdf, const std::string& type = "6d") {
  const ImportFiles files;
  files.write("arm.yaml", "closed_loop: [[tip, target]]\ntype: ['" + type + "']\n");
  return import_model(files.write("arm.urdf", urdf));
}

// The tip stands at (0.5, 0.5) with the target's axes: the wrist is 1 m beside it on the side of +x, and
// cos(jb) = (1.5² + 0.5² − 2)/2.
void expect_closed(const Imported& found, double elbow) {
  ASSERT_TRUE(found.errors.empty()) << error_texts(found.errors);
  const Mechanism m = read_imported(found).value();
  Simulation simulation(m, m.plan);
  const AssemblyReport assembly = simulation.assemble();
  ASSERT_TRUE(assembly.report.accepted());
  EXPECT_LT(assembly.largest_move, kRounding);
  const Pose c = simulation.pose("c");
  EXPECT_NEAR((c.axes.col(0) - Vec3(-1, 0, 0)).norm(), 0, kRounding);
  EXPECT_NEAR((c.position - Vec3(1.5, 0.5, 0)).norm(), 0, kRounding);
  EXPECT_NEAR(m.joint("jb")->offset, elbow, kRounding);
  EXPECT_EQ(m.joint("tip_target")->kind, Joint::Kind::fixed);
}

TEST(CloseLoops, AFrameThatStandsHalfATurnAwayIsTurnedBack) {
  const Imported found = closed(arm());
  expect_closed(found, read_imported(found).value().joint("jb")->offset);
  EXPECT_NEAR(std::abs(read_imported(found).value().joint("jb")->offset), std::acos(0.25), kRounding);
  EXPECT_GT(found.closing_move, 1);
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_NE(found.notes[0].find("leaves loops open; the joints were turned until they close"),
            std::string::npos);
}

TEST(CloseLoops, LimitsOfJointsAreKept) {
  expect_closed(closed(arm("<limit lower=\"0\" upper=\"3\"/>")), std::acos(0.25));
  expect_closed(closed(arm("<limit lower=\"-3\" upper=\"0\"/>")), -std::acos(0.25));
}

TEST(CloseLoops, WhereLimitsAllowNoneThereIsNoStop) {
  const Imported found = closed(arm("<limit lower=\"-0.1\" upper=\"0.1\"/>"));
  const double elbow = read_imported(found).value().joint("jb")->offset;
  EXPECT_NEAR(std::abs(elbow), std::acos(0.25), kRounding);
  expect_closed(found, elbow);
  EXPECT_TRUE(read_imported(found).value().stops.empty());
  const LedgerEntry limit = entry_of(found, "robot[arm]/joint[jb]/limit");
  EXPECT_EQ(limit.outcome, Treatment::ignored);
  EXPECT_EQ(
      limit.reason,
      "no position was found that closes the loops within these limits and the others: no stop is made");
  EXPECT_TRUE(limit.matters);
}

TEST(CloseLoops, OneStopIsLeftOutWhereThatIsEnough) {
  // both limits of the elbow and of the wrist exclude what closes the loop; without the elbow's the wrist is
  // free
  const std::string narrow = "<limit lower=\"-0.1\" upper=\"0.1\"/>",
                    wide = "<limit lower=\"-3.2\" upper=\"3.2\"/>";
  std::string urdf = arm(narrow);
  const std::string wrist = "<joint name=\"jc\" type=\"continuous\">";
  urdf.replace(urdf.find(wrist), wrist.size(), "<joint name=\"jc\" type=\"revolute\">" + wide);
  const Mechanism m = read_imported(closed(urdf)).value();
  ASSERT_EQ(m.stops.size(), 1U);
  EXPECT_EQ(m.stops[0].joint, "jc");
}

// MuJoCo has limits in an attribute: a note tells of them.
TEST(CloseLoops, AStopThatMjcfLosesIsTold) {
  const std::string mass = "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>";
  const Imported found =
      imported("s.xml", "<mujoco><compiler angle=\"radian\"/><worldbody><body name=\"a\">" + mass +
                            "<joint name=\"x\" range=\"-0.1 0.1\"/></body></worldbody>\n"
                            "<equality><joint joint1=\"x\" polycoef=\"0.3 0 0 0 0\"/></equality></mujoco>\n");
  EXPECT_TRUE(read_imported(found).value().stops.empty());
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_NE(found.notes[0].find("joint 'x' gets no stop"), std::string::npos);
}

TEST(CloseLoops, TwoFramesOfOneBodyAreRefused) {
  std::string urdf = arm();
  const std::string fixed = "<parent link=\"world\"/><child link=\"target\"/>";
  urdf.replace(urdf.find(fixed), fixed.size(), "<parent link=\"c\"/><child link=\"target\"/>");
  const Imported found = closed(urdf);
  ASSERT_EQ(found.errors.size(), 1U);
  EXPECT_EQ(found.errors[0].message, "closed_loop: 'tip' and 'target' are on one rigid body");
  EXPECT_EQ(found.errors[0].line, 1);
}

TEST(CloseLoops, AMisspeltSideFileIsTold) {
  const ImportFiles files;
  files.write("arm.yaml", "closed_loops: [[tip, target]]\n");
  const std::string path = files.write("arm.urdf", arm());
  ASSERT_EQ(import_model(path).notes.size(), 1U);
  EXPECT_NE(import_model(path).notes[0].find("closed_loops is ignored"), std::string::npos);
  ImportOptions strict;
  strict.strict = true;
  EXPECT_EQ(import_model(path, strict).errors.size(), 1U);
  ImportOptions loops;
  loops.loops = path;
  const std::string mjcf = files.write("m.xml", "<mujoco><worldbody/></mujoco>");
  EXPECT_EQ(import_model(mjcf, loops).errors.at(0).message,
            "a side file of loops is for URDF, and this is MJCF");
}

TEST(CloseLoops, JointsThatFollowOthersGoOnFollowing) {
  const Imported found =
      closed(arm("", "0.5 0.5 0",
                 link("d") + joint("jd", "continuous", "world", "d",
                                   "<axis xyz=\"0 0 1\"/><mimic joint=\"ja\" multiplier=\"-2\"/>")));
  const Mechanism m = read_imported(found).value();
  EXPECT_GT(std::abs(m.joint("ja")->offset), 0.1);
  EXPECT_NEAR(m.joint("jd")->offset, -2 * m.joint("ja")->offset, kRounding);
  expect_closed(found, m.joint("jb")->offset);
}

// MuJoCo: y − y0 = a0 + a1 (x − x0) + …; the file's position has y = x = 0.
TEST(CloseLoops, EquationsOfJointsHoldAtTheStart) {
  const std::string body = "<inertial pos=\"0 0 -1\" mass=\"1\" diaginertia=\"1 1 1\"/><joint name=\"";
  const Mechanism m = imported_model(
      "e.xml",
      "<mujoco><worldbody><body name=\"a\">" + body + "x\"/></body><body name=\"b\">" + body +
          "y\"/></body></worldbody>\n<equality><joint joint1=\"y\" joint2=\"x\" polycoef=\"0.3 1 0.5 0 "
          "0\"/></equality></mujoco>\n");
  const double x = m.joint("x")->offset, y = m.joint("y")->offset;
  EXPECT_NEAR(y, 0.3 + x + 0.5 * x * x, kRounding);
}

TEST(CloseLoops, WhatCannotBeClosedIsRefusedWhereItCouldBeMistaken) {
  const Imported found = closed(arm("", "5 0 0"));
  ASSERT_EQ(found.errors.size(), 1U);
  EXPECT_EQ(
      found.errors[0].message,
      "the loops do not close: the frames of 'tip_target' are 3.14 rad apart, and no position was found in "
      "which all loops close");
  // without axes nothing can be mistaken: assembly says what stays open
  const Mechanism m = read_imported(closed(arm("", "5 0 0"), "3d")).value();
  Simulation simulation(m, m.plan);
  const AssemblyReport assembly = simulation.assemble();
  ASSERT_FALSE(assembly.report.accepted());
  EXPECT_NEAR(assembly.open.at(0).gap, 1, 0.9) << "5 m away, the arm is 3 m long";
}

// A ball joint as three hinges about axes that meet in a point, but for the rounding of its place: the bodies
// between them have no mass and no size.
TEST(CloseLoops, HingesThatMeetInAPointGiveTheFreedomsOfABall) {
  const std::string at = "<origin xyz=\"0.1 0.2 0.7\" rpy=\"0.3 0.2 0.1\"/>";
  const std::string urdf =
      "<robot name=\"ball\">\n<link name=\"world\"/>\n" + link("a") + link("b") +
      "<link name=\"i\"/><link name=\"k\"/><link name=\"tip\"/><link name=\"target\"/>\n" +
      joint("ja", "continuous", "world", "a", "<axis xyz=\"0 1 0\"/>" + at) +
      joint("r0", "continuous", "a", "i", "<axis xyz=\"1 0 0\"/>" + at) +
      joint("r1", "continuous", "i", "k", "<axis xyz=\"0 1 0\"/>") +
      joint("r2", "continuous", "k", "b", "<axis xyz=\"0 0 1\"/>") +
      joint("t", "fixed", "b", "tip", "<origin xyz=\"0.3 0.1 0.4\"/>") +
      joint("w", "fixed", "world", "target", "<origin xyz=\"0.4 0.5 1.6\"/>") + "</robot>\n";
  const Imported found = closed(urdf, "3d");
  Mechanism m = read_imported(found).value();
  for (const char* kind : {"natural", "reference", "relative"}) {
    m.plan.coordinates = kind;
    Simulation simulation(m, m.plan);
    const AssemblyReport assembly = simulation.assemble();
    ASSERT_TRUE(assembly.report.accepted()) << explain(assembly, simulation);
    EXPECT_LT(assembly.largest_move, kRounding);
    // a hinge and a ball, less the three equations of the loop
    EXPECT_EQ(analysis::mobility(simulation).degrees_of_freedom, 1) << kind;
    EXPECT_EQ(analysis::mobility(simulation).redundant_constraints, 0) << kind;
  }
}

}  // namespace
}  // namespace trammel::model::close_loops_test
