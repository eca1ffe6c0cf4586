// URDF: frames and inertias by closed forms, links that become one, mimic joints, loops, and every message.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/import/import_testing.h"
#include "trammel/run.h"

namespace trammel::model::urdf_test {
namespace {

constexpr double kPi = std::numbers::pi;

std::string robot(const std::string& inside) { return "<robot name=\"r\">\n" + inside + "</robot>\n"; }
std::string link(const std::string& name, const std::string& inertia = "ixx=\"1\" iyy=\"1\" izz=\"1\"") {
  return "<link name=\"" + name + "\"><inertial><mass value=\"1\"/><inertia " + inertia +
         "/></inertial></link>\n";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& inside = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/>" + inside + "</joint>\n";
}

// A compound pendulum about y, with damping: I q̈ = −m g l sin(q) − d q̇, I = I_yy + m l². Its inertia is given
// in axes that rpy turns by a right angle about x, so that I_yy is the file's izz.
const std::string kPendulum = robot(
    "<link name=\"base\"/>\n"
    "<link name=\"arm\"><inertial><origin xyz=\"0 0 -0.4\" rpy=\"1.5707963267948966 0 0\"/><mass "
    "value=\"2\"/>\n"
    "<inertia ixx=\"0.03\" iyy=\"0.02\" izz=\"0.04\"/></inertial></link>\n" +
    joint("hinge", "continuous", "base", "arm",
          "<origin xyz=\"1 2 3\" rpy=\"0 0 0.7\"/><axis xyz=\"0 2 0\"/><dynamics damping=\"0.3\"/>"));

TEST(Urdf, PendulumByItsClosedForm) {
  const Mechanism m = imported_model("p.urdf", kPendulum);
  const double q = 0.6, v = -1.2, inertia = 0.04 + 2 * 0.16;
  const auto found = accelerations(m, {{"hinge.angle", q}, {"hinge.angle.rate", v}});
  const double expected = (-2 * 9.81 * 0.4 * std::sin(q) - 0.3 * v) / inertia;
  EXPECT_NEAR(found.at("hinge.angle"), expected, 1e-12 * std::abs(expected));
}

TEST(Urdf, LinksOnFixedJointsAreOneBody) {
  const Mechanism m = imported_model(
      "f.urdf",
      robot("<link name=\"world\"/>" + link("a") + link("b", "ixx=\"1\" iyy=\"2\" izz=\"2\"") +
            "<link name=\"tool\"/>" + joint("j", "revolute", "world", "a", "<axis xyz=\"0 0 1\"/>") +
            joint("f", "fixed", "a", "b", "<origin xyz=\"2 0 0\" rpy=\"0 0 1.5707963267948966\"/>") +
            joint("g", "fixed", "b", "tool", "<origin xyz=\"1 0 0\"/>")));
  ASSERT_EQ(m.bodies.size(), 1U);
  const Body& a = m.bodies[0];
  EXPECT_DOUBLE_EQ(a.mass, 2);
  EXPECT_NEAR((a.com - Vec3(1, 0, 0)).norm(), 0, 1e-15);
  // b is turned by a right angle about z: its x inertia is about y; both are 1 m from the common centre
  const Mat3 expected = Vec3(1 + 2, 1 + 1 + 2, 1 + 2 + 2).asDiagonal();
  EXPECT_NEAR((a.inertia - expected).norm(), 0, 1e-14);
  EXPECT_NEAR((a.points.at("tool") - Vec3(2, 1, 0)).norm(), 0, 1e-15);
}

TEST(Urdf, AMasslessLinkBetweenTwoJointsKeepsItsAxes) {
  // Two hinges on one point with a massless link between them, and the same with a link of 1e-12 kg.
  const auto gimbal = [](const std::string& ring) {
    return robot("<link name=\"world\"/>" + ring +
                 "<link name=\"arm\"><inertial><origin xyz=\"0.3 0.1 0\"/><mass value=\"2\"/><inertia "
                 "ixx=\"0.1\" iyy=\"0.12\" izz=\"0.05\"/></inertial></link>" +
                 joint("a", "continuous", "world", "ring", "<axis xyz=\"0 0 1\"/>") +
                 joint("b", "continuous", "ring", "arm", "<axis xyz=\"0 1 0\"/>"));
  };
  const std::map<std::string, double> state{
      {"a.angle", 0.3}, {"b.angle", 0.7}, {"a.angle.rate", 1.5}, {"b.angle.rate", -0.4}};
  const auto massless = accelerations(imported_model("m.urdf", gimbal("<link name=\"ring\"/>")), state);
  const auto light = accelerations(
      imported_model("l.urdf", gimbal("<link name=\"ring\"><inertial><mass value=\"1e-12\"/><inertia "
                                      "ixx=\"1e-13\" iyy=\"1e-13\" izz=\"1e-13\"/></inertial></link>")),
      state);
  for (const auto& [name, value] : massless) EXPECT_NEAR(value, light.at(name), 1e-9 * std::abs(value));
}

TEST(Urdf, MasslessLeavesArePoints) {
  const Imported found = imported(
      "l.urdf", robot("<link name=\"world\"/>" + link("a") + "<link name=\"wheel\"/>" +
                      joint("j", "continuous", "world", "a") + joint("spin", "continuous", "a", "wheel")));
  const Mechanism m = read_imported(found).value();
  EXPECT_EQ(m.bodies.size(), 1U);
  EXPECT_EQ(m.joints.size(), 1U);
  EXPECT_EQ(m.bodies[0].points.count("wheel"), 1U);
  EXPECT_EQ(entry_of(found, "robot[r]/joint[spin]").outcome, Treatment::ignored);
}

TEST(Urdf, MimicJoints) {
  const Imported found = imported(
      "m.urdf",
      robot(
          "<link name=\"world\"/>" + link("a") + link("b") + link("c") +
          joint("ja", "revolute", "world", "a", "<axis xyz=\"0 0 1\"/><limit lower=\"0.2\" upper=\"2\"/>") +
          joint("jb", "revolute", "world", "b",
                "<axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\"/><mimic joint=\"ja\" multiplier=\"-2\" "
                "offset=\"0.5\"/>") +
          joint("jc", "prismatic", "world", "c",
                "<axis xyz=\"1 0 0\"/><mimic joint=\"ja\" multiplier=\"0.1\"/>")));
  const Mechanism m = read_imported(found).value();
  // jb in [−1, 1] is ja in [−0.25, 0.75]; ja starts at the nearest to zero
  ASSERT_EQ(m.stops.size(), 1U);
  EXPECT_DOUBLE_EQ(*m.stops[0].lower, 0.2);
  EXPECT_DOUBLE_EQ(*m.stops[0].upper, 0.75);
  EXPECT_DOUBLE_EQ(m.joint("ja")->offset, 0.2);
  EXPECT_DOUBLE_EQ(m.joint("jb")->offset, 0.1);
  EXPECT_DOUBLE_EQ(m.joint("jc")->offset, 0.02);
  EXPECT_EQ(m.joint("jb_mimic")->kind, Joint::Kind::gear);
  EXPECT_DOUBLE_EQ(m.joint("jb_mimic")->value, 2);
  EXPECT_EQ(m.joint("jc_mimic")->kind, Joint::Kind::rack);
  EXPECT_DOUBLE_EQ(m.joint("jc_mimic")->value, 0.1);
}

// A four-bar linkage as a tree: crank and coupler from one pivot, rocker from the other, and the side file.
const std::string kFourBar =
    robot("<link name=\"world\"/>\n" + link("crank") + link("coupler") + link("rocker") +
          "<link name=\"end\"/>\n<link name=\"tip\"/>\n" +
          joint("j1", "continuous", "world", "crank", "<axis xyz=\"0 0 1\"/>") +
          joint("j2", "continuous", "crank", "coupler", "<origin xyz=\"0 1 0\"/><axis xyz=\"0 0 1\"/>") +
          joint("j3", "continuous", "world", "rocker", "<origin xyz=\"2 0 0\"/><axis xyz=\"0 0 1\"/>") +
          joint("e", "fixed", "coupler", "end", "<origin xyz=\"2.01 0 0\"/>") +
          joint("t", "fixed", "rocker", "tip", "<origin xyz=\"0 1 0\"/>"));

TEST(Urdf, LoopsOfTheSideFile) {
  const ImportFiles files;
  const std::string path = files.write("bar.urdf", kFourBar);
  files.write("bar.yaml", "closed_loop: [[end, tip]]\ntype: ['3d']\nname_mot: [j1]\n");
  const Imported found = import_model(path);
  const Mechanism m = read_imported(found).value();
  EXPECT_EQ(m.joint("end_tip")->kind, Joint::Kind::spherical);
  Simulation simulation(m, m.plan);
  const AssemblyReport assembly = simulation.assemble();
  ASSERT_TRUE(assembly.report.accepted());
  // the loop is open by 10 mm at the start
  EXPECT_GT(found.closing_move, 1e-3);
  EXPECT_LT(found.closing_move, 11e-3);
  EXPECT_LT(assembly.largest_move, 1e-10);
  EXPECT_EQ(entry_of(found, "name_mot").outcome, Treatment::ignored);
  // a file of loops that is asked for must be there
  ImportOptions options;
  options.loops = "/nowhere/loops.yaml";
  EXPECT_EQ(import_model(path, options).errors.at(0).message, "cannot read the file of loops");
}

TEST(Urdf, AWeldOfFramesThatStandApartIsClosed) {
  const ImportFiles files;
  const std::string path = files.write(
      "w.urdf",
      robot("<link name=\"world\"/>" + link("a") + link("b") + joint("fa", "floating", "world", "a") +
            joint("fb", "floating", "world", "b", "<origin xyz=\"1 0 0.01\" rpy=\"0.02 0 0.03\"/>") +
            "<link name=\"end\"/>" + joint("e", "fixed", "a", "end", "<origin xyz=\"1 0 0\"/>")));
  files.write("w.yaml", "closed_loop: [[end, b]]\ntype: ['6d']\n");
  const Mechanism m = read_imported(import_model(path)).value();
  Simulation simulation(m, m.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  EXPECT_NEAR((simulation.pose("a").axes - simulation.pose("b").axes).norm(), 0, 1e-10);
}

TEST(Urdf, TheLedgerHasEveryElementAndAttribute) {
  const Imported found = imported("p.urdf", kPendulum);
  // elements: robot, 2 links, inertial, origin, mass, inertia, joint, parent, child, origin, axis, dynamics
  // attributes: 1 + 2 + 2 + 1 + 3 + 2 + 1 + 1 + 2 + 1 + 1
  EXPECT_EQ(found.ledger.size(), 13U + 17U);
  for (const LedgerEntry& entry : found.ledger) {
    EXPECT_EQ(entry.outcome, Treatment::used) << entry.element;
    EXPECT_GT(entry.line, 0) << entry.element;
  }
}

TEST(Urdf, WhatIsIgnoredIsToldAndRefusedWhenStrict) {
  const std::string text =
      robot("<link name=\"world\"/>\n" + link("a") +
            joint("j", "revolute", "world", "a", "<limit effort=\"3\" lower=\"1\" upper=\"1\"/>") +
            "<transmission name=\"t\"><type>x</type></transmission>\n<magic field=\"1\"/>\n");
  const Imported found = imported("s.urdf", text);
  EXPECT_TRUE(found.errors.empty());
  EXPECT_EQ(entry_of(found, "robot[r]/transmission[t]/type").outcome, Treatment::ignored);
  EXPECT_EQ(entry_of(found, "robot[r]/magic@field").outcome, Treatment::ignored);
  EXPECT_EQ(entry_of(found, "robot[r]/joint[j]/limit@effort").reason,
            "limits of a drive: the joint itself has none");
  ASSERT_EQ(found.notes.size(), 3U);
  EXPECT_NE(found.notes[2].find("s.urdf:6: robot[r]/magic is ignored: Trammel does not know"),
            std::string::npos)
      << found.notes[2];
  ImportOptions strict;
  strict.strict = true;
  EXPECT_EQ(imported("s.urdf", text, strict).errors.size(), 3U);
}

TEST(Urdf, NamesThatAModelCannotHave) {
  const Imported found =
      imported("n.urdf", robot("<link name=\"world\"/>" + link("left arm") + link("sin") + link("1st") +
                               joint("left arm", "continuous", "world", "left arm") +
                               joint("sin", "continuous", "world", "sin") +
                               joint("1/2", "continuous", "world", "1st")));
  const Mechanism m = read_imported(found).value();
  EXPECT_NE(m.body("left_arm"), nullptr);
  EXPECT_NE(m.body("sin_body"), nullptr);
  EXPECT_NE(m.body("n1st"), nullptr);
  EXPECT_NE(m.joint("left_arm_joint"), nullptr);
  EXPECT_EQ(entry_of(found, "robot[r]/link[left arm]").reason,
            "body 'left_arm', for 'left arm' is no name of a model or taken");
}

TEST(Urdf, TheBaseIsFixedOrFree) {
  const std::string text = robot(link("pelvis") + link("leg") + joint("hip", "continuous", "pelvis", "leg"));
  EXPECT_EQ(imported_model("b.urdf", text).bodies.size(), 1U);
  ImportOptions free;
  free.base = Base::free;
  EXPECT_EQ(imported_model("b.urdf", text, free).bodies.size(), 2U);
  EXPECT_EQ(imported_model("b.urdf", robot(link("drone"))).bodies.size(), 1U);
}

TEST(Urdf, InertiasThatNoBodyHas) {
  const auto with = [](const std::string& inertia) {
    return robot("<link name=\"world\"/>\n" + link("a", inertia) + joint("j", "continuous", "world", "a"));
  };
  for (const auto& [inertia, message] :
       {std::pair("ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"2\"",
                  "the inertia of 'a' is not positive definite: its principal moments are -1, 1, 3 kg.m²"),
        std::pair(
            "ixx=\"1\" iyy=\"1\" izz=\"3\"",
            "no body has the inertia of 'a': of its principal moments 1, 1, 3 kg.m² the two smaller must "
            "add up to the largest or more"),
        std::pair("ixx=\"0\" iyy=\"0\" izz=\"0\"",
                  "the inertia of 'a' is not positive definite: its principal moments are 0, 0, 0 kg.m²")}) {
    const Imported found = imported("i.urdf", with(inertia));
    ASSERT_EQ(found.errors.size(), 1U);
    EXPECT_EQ(found.errors[0].message, message);
    EXPECT_EQ(found.errors[0].line, 3);
    ImportOptions accept;
    accept.accept_inertia = true;
    EXPECT_TRUE(read_imported(imported("i.urdf", with(inertia), accept)).errors.empty());
  }
}

TEST(Urdf, EveryMessage) {
  const std::string world = "<link name=\"world\"/>\n", a = link("a");
  struct Case {
    std::string text, error;
  };
  for (const Case& c : std::vector<Case>{
           {"<robot name=\"r\"><link></robot>", "1: this is not well-formed XML: mismatched element"},
           {"<!DOCTYPE r [<!ENTITY a \"&b;&b;\">]>\n<robot><link name=\"&a;\"></robot>",
            "2: this is not well-formed XML"},
           {"<cow/>", "1: a file that begins with <cow> is of no kind that Trammel reads"},
           {robot(""), "1: the robot has no link"},
           {robot("<link/>"), "2: a link has no name"},
           {robot(world + world), "3: a link 'world' is already in line 2"},
           {robot(world + "<joint type=\"fixed\"/>"), "3: a joint has no name"},
           {robot(world + "<joint name=\"j\"/>"), "3: a joint has no type"},
           {robot(world + a + joint("j", "rubber", "world", "a")),
            "4: joint 'j' has the unknown type 'rubber'"},
           {robot(world + a + joint("j", "fixed", "world", "b")), "4: joint 'j': there is no link 'b'"},
           {robot(world + a + joint("j", "fixed", "b", "a")), "4: joint 'j': there is no link 'b'"},
           {robot(world + a + "<joint name=\"j\" type=\"fixed\"><child link=\"a\"/></joint>"),
            "4: joint 'j' has no parent link"},
           {robot(world + a + joint("j", "fixed", "world", "a") + joint("k", "fixed", "world", "a")),
            "5: link 'a' is already the child of joint 'j', line 4"},
           {robot(a + link("b") + joint("j", "fixed", "b", "a") + joint("k", "fixed", "a", "b")),
            "1: every link is the child of a joint: the links form a circle"},
           {robot(world + a + link("b") + joint("j", "fixed", "b", "a") + joint("k", "fixed", "a", "b")),
            "3: link 'a' is in a circle of joints"},
           {robot(world + a), "3: link 'a' is a second root beside 'world'"},
           {robot(world + a + joint("j", "revolute", "world", "a", "<axis xyz=\"0 0 0\"/>")),
            "4: axis: xyz is zero"},
           {robot(world + a + joint("j", "revolute", "world", "a", "<axis xyz=\"0 1\"/>")),
            "4: axis: xyz=\"0 1\" is not 3 numbers"},
           {robot(world + a + joint("j", "revolute", "world", "a", "<origin xyz=\"0 1 1e999\"/>")),
            "4: origin: xyz=\"0 1 1e999\" is not 3 numbers"},
           {robot(world + a + joint("j", "revolute", "world", "a", "<origin xyz=\"0 1 nan\"/>")),
            "4: origin: xyz=\"0 1 nan\" is not 3 numbers"},
           {robot(world + a + joint("j", "revolute", "world", "a", "<mimic joint=\"k\"/>")),
            "4: joint 'j' mimics 'k', which is no joint"},
           {robot(world + a + joint("j", "revolute", "world", "a", "<mimic/>")),
            "4: joint 'j' mimics no joint"},
           {robot(world + a + joint("j", "revolute", "world", "a", "<mimic joint=\"j\"/>")),
            "4: joint 'j' mimics itself, over others"},
           {robot(world + a + joint("j", "revolute", "world", "a", "<dynamics damping=\"-1\"/>")),
            "4: joint 'j': damping -1 and friction 0 must not be negative"},
           {robot("<link name=\"l\"><inertial/></link>"), "2: link 'l' has an inertial without a mass"},
           {robot(world + "<link name=\"l\"><inertial><mass value=\"-1\"/></inertial></link>" +
                  joint("j", "continuous", "world", "l")),
            "3: the mass of 'l' is -1 kg"},
           {robot(world +
                  "<link name=\"l\"><inertial><mass value=\"0\"/><inertia ixx=\"1\" iyy=\"1\" "
                  "izz=\"1\"/></inertial></link>" +
                  joint("j", "continuous", "world", "l")),
            "3: 'l' has an inertia but no mass"},
           {robot("<xacro:include filename=\"x\"/>"), "2: <xacro:include> is a macro of xacro, not URDF"},
       }) {
    const Imported found = imported("e.urdf", c.text);
    ASSERT_FALSE(found.errors.empty()) << c.error;
    EXPECT_EQ(error_texts(found.errors).substr(0, c.error.size()), c.error);
    EXPECT_TRUE(found.model.empty());
  }
  for (const auto& [side, error] :
       {std::pair("closed_loop: 3", "1: closed_loop is not a list of pairs"),
        std::pair("closed_loop: [[a]]", "1: an entry of closed_loop is not two names"),
        std::pair("closed_loop: [[a, b]]", "1: closed_loop: there is no joint or link 'b'"),
        std::pair("closed_loop: [[a, world]]\ntype: [4d]", "2: type '4d' is no type of a loop"),
        std::pair("closed_loop: [[a, world]]\ntype: []", "2: type has 0 entries for 1 pairs"),
        std::pair("closed_loop: []\njoint_name: [a]", "2: joint_name and joint_type are not lists"),
        std::pair("closed_loop: [", "1: ")}) {
    const ImportFiles files;
    const std::string path = files.write("e.urdf", robot(world + a + joint("j", "continuous", "world", "a")));
    files.write("e.yaml", side);
    EXPECT_EQ(error_texts(import_model(path).errors).substr(0, std::string(error).size()), error);
  }
}

TEST(Urdf, ErrorsOfTheModelNameTheLineOfTheFile) {
  // A setting that the model cannot have, and a mass that no setting gives: told by file and line.
  const ImportFiles files;
  const std::string path = files.write("p.urdf", kPendulum);
  const ModelInput input = read_model(path, {"bodies.arm.mass=-1"});
  ASSERT_EQ(input.errors.size(), 1U);
  EXPECT_EQ(input.errors[0].file, "--set bodies.arm.mass=-1");
  EXPECT_TRUE(read_model(path).errors.empty());
  EXPECT_EQ(import_model("/nowhere.urdf").errors.at(0).message, "there is no such file");
  EXPECT_EQ(import_model(files.write("m.yaml", "trammel: 1")).errors.at(0).message, "this is no XML file");
}

// UJOINT_ZY: z turns first and is fixed to the parent, then y of the child.
TEST(Urdf, UniversalJointsOfASideFile) {
  const ImportFiles files;
  files.write("u.yaml", "closed_loop: []\njoint_name: [j]\njoint_type: [UJOINT_ZY]\n");
  const std::string path = files.write(
      "u.urdf",
      "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" "
      "iyy=\"1\" izz=\"1\"/></inertial></link><joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child "
      "link=\"b\"/><origin rpy=\"0 0 1.5707963267948966\"/></joint></robot>\n");
  const ModelInput input = read_imported(import_model(path));
  ASSERT_TRUE(input.errors.empty()) << error_texts(input.errors);
  const Joint* joint = input.mechanism.joint("j");
  ASSERT_EQ(joint->kind, Joint::Kind::universal);
  // the child's axis is its own y, the parent's z
  EXPECT_NEAR(std::abs(joint->markers[0].frame.axes.col(2).y()), 1, 1e-12);
  EXPECT_NEAR(std::abs(joint->markers[1].frame.axes.col(2).z()), 1, 1e-12);
}

}  // namespace
}  // namespace trammel::model::urdf_test
