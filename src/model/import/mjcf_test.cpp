// MJCF: frames, classes, joints and inertias by closed forms, loops, actuators, and every message.
// tests/robots compares whole files with MuJoCo.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/import/import_testing.h"
#include "trammel/run.h"

namespace trammel::model::mjcf_test {
namespace {

constexpr double kPi = std::numbers::pi;

std::string mjcf(const std::string& bodies, const std::string& rest = "") {
  return "<mujoco model=\"m\">\n" + rest + "<worldbody>\n" + bodies + "</worldbody>\n</mujoco>\n";
}
// A body of one kilogram and of unit moments of inertia.
const std::string kUnit = "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>";

// A compound pendulum about y with everything that acts on a coordinate. Degrees are the default, `ref` is
// the coordinate of the start, springref where the spring rests.
TEST(Mjcf, PendulumByItsClosedForm) {
  const Mechanism m = imported_model(
      "p.xml", mjcf("<body name=\"arm\" pos=\"1 2 3\" euler=\"0 0 40\">\n"
                    "<joint name=\"hinge\" axis=\"0 2 0\" ref=\"10\" springref=\"25\" stiffness=\"3\" "
                    "damping=\"0.3\"/>\n"
                    "<inertial pos=\"0 0 -0.4\" mass=\"2\" fullinertia=\"0.03 0.04 0.02 0 0 0\"/></body>\n"));
  // from where the arm hangs, which is where the coordinate is ref
  const double turned = 0.6, v = -1.2, inertia = 0.04 + 2 * 0.16, degree = kPi / 180;
  EXPECT_DOUBLE_EQ(m.joint("hinge")->offset, 10 * degree);
  const auto found = accelerations(m, {{"hinge.angle", turned + 10 * degree}, {"hinge.angle.rate", v}});
  const double expected =
      (-2 * 9.81 * 0.4 * std::sin(turned) - 3 * (turned + 10 * degree - 25 * degree) - 0.3 * v) / inertia;
  EXPECT_NEAR(found.at("hinge.angle"), expected, 1e-12 * std::abs(expected));
}

// Cart and pole as one body with two joints: the slide moves the hinge.
TEST(Mjcf, SeveralJointsInABodyActOneAfterTheOther) {
  const Mechanism m = imported_model(
      "c.xml", mjcf("<body name=\"pole\">\n<joint name=\"cart\" type=\"slide\" axis=\"1 0 0\"/>\n"
                    "<joint name=\"turn\" axis=\"0 1 0\"/>\n"
                    "<inertial pos=\"0 0 -0.5\" mass=\"2\" diaginertia=\"0.1 0.1 0.1\"/></body>\n"));
  const double q = 0.7, v = 1.5, l = 0.5, mass = 2, g = 9.81;
  const auto found =
      accelerations(m, {{"turn.angle", q}, {"turn.angle.rate", v}, {"cart.displacement.rate", 3}});
  // x_c = x − l sin q, z_c = −l cos q: m (ẍ − l cos q q̈ + l sin q v²) = 0 and Lagrange's equation of q
  Eigen::Matrix2d M;
  M << mass, -mass * l * std::cos(q), -mass * l * std::cos(q), 0.1 + mass * l * l;
  const Eigen::Vector2d a(found.at("cart.displacement"), found.at("turn.angle"));
  const Eigen::Vector2d force(-mass * l * std::sin(q) * v * v, -mass * g * l * std::sin(q));
  EXPECT_NEAR((M * a - force).norm(), 0, 1e-12);
}

TEST(Mjcf, DefaultClassesNestAndGiveWay) {
  const Mechanism m = imported_model(
      "d.xml", mjcf("<body name=\"a\"><joint name=\"ja\"/>" + kUnit + "</body>\n" +
                        "<body name=\"b\" childclass=\"soft\"><joint name=\"jb\"/>" + kUnit +
                        "<body name=\"c\"><joint name=\"jc\" class=\"hard\" damping=\"9\"/>" + kUnit +
                        "</body></body>\n",
                    "<compiler angle=\"radian\"/><default><joint damping=\"1\" axis=\"1 0 0\"/>\n"
                    "<default class=\"soft\"><joint stiffness=\"2\" axis=\"0 1 0\"/>\n"
                    "<default class=\"hard\"><joint stiffness=\"3\"/></default></default></default>\n"));
  const auto spring = [&](const std::string& name) {
    for (const Force& f : m.forces)
      if (const auto* s = std::get_if<JointSpring>(&f.law); s != nullptr && s->joint == name) return *s;
    return JointSpring{};
  };
  EXPECT_DOUBLE_EQ(spring("ja").damping, 1);
  EXPECT_DOUBLE_EQ(spring("ja").stiffness, 0);
  EXPECT_DOUBLE_EQ(spring("jb").damping, 1);
  EXPECT_DOUBLE_EQ(spring("jb").stiffness, 2);
  EXPECT_DOUBLE_EQ(spring("jc").damping, 9);
  EXPECT_DOUBLE_EQ(spring("jc").stiffness, 3);
  const auto axis = [&](const std::string& name) {
    return Vec3(m.joint(name)->markers[1].frame.axes.col(2));
  };
  EXPECT_NEAR((axis("ja") - Vec3::UnitX()).norm(), 0, 1e-15);
  EXPECT_NEAR((axis("jc") - Vec3::UnitY()).norm(), 0, 1e-15);
}

TEST(Mjcf, OrientationsAndFrames) {
  const double s = std::sqrt(0.5);
  const struct {
    const char* attributes;
    Mat3 expected;
  } cases[] = {
      {"quat=\"1 1 0 0\"", (Mat3() << 1, 0, 0, 0, 0, -1, 0, 1, 0).finished()},
      {"axisangle=\"0 0 2 90\"", (Mat3() << 0, -1, 0, 1, 0, 0, 0, 0, 1).finished()},
      {"xyaxes=\"0 2 0 1 1 0\"", (Mat3() << 0, 1, 0, 1, 0, 0, 0, 0, -1).finished()},
      {"zaxis=\"1 0 0\"", (Mat3() << 0, 0, 1, 0, 1, 0, -1, 0, 0).finished()},
      // moving axes: x, then the new z
      {"euler=\"90 0 45\"", (Mat3() << s, -s, 0, 0, 0, -1, s, s, 0).finished()},
  };
  for (const auto& c : cases) {
    const Mechanism m = imported_model("o.xml", mjcf("<body name=\"a\" " + std::string(c.attributes) +
                                                     "><freejoint/>" + kUnit + "</body>\n"));
    EXPECT_NEAR((m.bodies[0].placement.axes - c.expected).norm(), 0, 1e-15) << c.attributes;
  }
  // capitals: fixed axes
  const Mechanism fixed =
      imported_model("f.xml", mjcf("<body name=\"a\" euler=\"90 0 45\"><freejoint/>" + kUnit + "</body>\n",
                                   "<compiler eulerseq=\"XYZ\"/>\n"));
  EXPECT_NEAR((fixed.bodies[0].placement.axes - (Mat3() << s, 0, s, s, 0, -s, 0, 1, 0).finished()).norm(), 0,
              1e-15);
  // a frame moves what it holds; frames nest
  const Mechanism framed = imported_model(
      "g.xml",
      mjcf("<frame pos=\"1 0 0\" euler=\"0 0 90\"><frame pos=\"1 0 0\"><body name=\"a\" pos=\"0 0 2\">"
           "<joint pos=\"1 0 0\" name=\"j\"/>" +
           kUnit + "</body></frame></frame>\n"));
  EXPECT_NEAR((framed.bodies[0].placement.at - Vec3(1, 1, 2)).norm(), 0, 1e-15);
  EXPECT_NEAR((framed.joint("j")->markers[1].frame.at - Vec3(1, 2, 2)).norm(), 0, 1e-15);
}

TEST(Mjcf, IncludedFilesStandInTheirPlace) {
  const ImportFiles files;
  files.write("part.xml", "<mujocoinclude>\n<body name=\"a\">\n<joint name=\"j\" damping=\"x\"/>" + kUnit +
                              "</body>\n</mujocoinclude>\n");
  const std::string path = files.write("m.xml", mjcf("<include file=\"part.xml\"/>\n"));
  const Imported found = import_model(path);
  ASSERT_EQ(found.errors.size(), 1U);
  EXPECT_EQ(found.errors[0].line, 3);
  EXPECT_TRUE(found.errors[0].file.ends_with("part.xml"));
  files.write("part.xml", "<mujocoinclude>\n<body name=\"a\">\n<joint name=\"j\"/>" + kUnit +
                              "</body>\n</mujocoinclude>\n");
  EXPECT_EQ(read_model(path).mechanism.bodies.size(), 1U);
  EXPECT_EQ(
      error_texts(import_model(files.write("n.xml", mjcf("<include file=\"none.xml\"/>\n"))).errors),
      "3: 'none.xml' cannot be included: there is no such file; check the name; it is looked for beside the "
      "main file\n");
  EXPECT_EQ(error_texts(import_model(files.write("n.xml", mjcf("<include file=\"n.xml\"/>\n"))).errors)
                .substr(0, 33),
            "3: 'n.xml' is included twice; inc");
}

TEST(Mjcf, InertiaOfGeoms) {
  // A solid cylinder of 2 kg and a point-like ball, 1 m apart along x.
  const Mechanism m = imported_model(
      "g.xml", mjcf("<body name=\"a\"><freejoint/>\n"
                    "<geom type=\"cylinder\" size=\"0.3 0.5\" mass=\"2\"/>\n"
                    "<geom type=\"sphere\" size=\"0.1\" density=\"500\" pos=\"1 0 0\"/></body>\n"));
  const double ball = 500 * 4.0 / 3 * kPi * 1e-3, mass = 2 + ball, c = ball / mass;
  EXPECT_NEAR(m.bodies[0].mass, mass, 1e-15 * mass);
  EXPECT_NEAR((m.bodies[0].com - Vec3(c, 0, 0)).norm(), 0, 1e-15);
  const double own = 2.0 / 5 * ball * 0.01, apart = 2 * c * c + ball * (1 - c) * (1 - c);
  const double across = 2 * (3 * 0.09 + 1) / 12, along = 2 * 0.09 / 2;
  const Mat3 expected = Vec3(across + own, across + own + apart, along + own + apart).asDiagonal();
  EXPECT_NEAR((m.bodies[0].inertia - expected).norm(), 0, 1e-14);
}

// A block of 2 × 1 × 1 m that is open at one side: exact counts what the triangles enclose, legacy all of it
// as positive, which for a convex body is the same.
const std::string kBlock =
    "<asset><mesh name=\"block\" scale=\"2 1 1\" MODE vertex=\"0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 "
    "1\" "
    "face=\"0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7\"/></asset>\n";

TEST(Mjcf, InertiaOfMeshes) {
  for (const char* mode : {"", "inertia=\"exact\"", "inertia=\"shell\""}) {
    std::string asset = kBlock;
    asset.replace(asset.find("MODE"), 4, mode);
    const Mechanism m = imported_model(
        "b.xml",
        mjcf("<body name=\"a\"><freejoint/><geom type=\"mesh\" mesh=\"block\" density=\"3\"/></body>\n",
             asset));
    const bool shell = std::string(mode).find("shell") != std::string::npos;
    const double mass = shell ? 3 * 10.0 : 3 * 2.0;
    EXPECT_NEAR(m.bodies[0].mass, mass, 1e-13) << mode;
    EXPECT_NEAR((m.bodies[0].com - Vec3(1, 0.5, 0.5)).norm(), 0, 1e-14) << mode;
    // of a box a third of the squared half sides; of its surface, faces across an axis count whole
    const auto second = [&](double half, double share) { return half * half * (share + (1 - share) / 3); };
    const double x = shell ? second(1, 0.2) : 1.0 / 3, y = shell ? second(0.5, 0.4) : 0.25 / 3;
    EXPECT_NEAR(m.bodies[0].inertia(0, 0), mass * 2 * y, 1e-13) << mode;
    EXPECT_NEAR(m.bodies[0].inertia(1, 1), mass * (x + y), 1e-13) << mode;
  }
}

TEST(Mjcf, CompilerBoundsAndScalesMasses) {
  const Mechanism m = imported_model(
      "c.xml",
      mjcf("<body name=\"a\"><freejoint/><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 2 "
           "1e-9\"/></body>\n"
           "<body name=\"b\"><freejoint/><inertial pos=\"0 0 0\" mass=\"1e-3\" diaginertia=\"3 1 "
           "1\"/></body>\n",
           "<compiler boundmass=\"0.5\" boundinertia=\"1\" settotalmass=\"3\" balanceinertia=\"true\"/>\n"));
  EXPECT_DOUBLE_EQ(m.bodies[0].mass, 2);
  EXPECT_DOUBLE_EQ(m.bodies[1].mass, 1);
  EXPECT_NEAR((m.bodies[0].inertia - Mat3(Vec3(2, 4, 2).asDiagonal())).norm(), 0, 1e-14);
  // 3 > 1 + 1: all three are their mean
  EXPECT_NEAR((m.bodies[1].inertia - 2 * 5.0 / 3 * Mat3::Identity()).norm(), 0, 1e-14);
}

// A parallelogram in the plane of x and z, closed by a point.
const std::string kBars =
    "<body name=\"crank\"><joint name=\"j1\" axis=\"0 1 0\"/>" + kUnit +
    "<body name=\"coupler\" pos=\"0 0 1\"><joint name=\"j2\" axis=\"0 1 0\"/>" + kUnit +
    "<site name=\"end\" pos=\"2 0 0\"/></body></body>\n<body name=\"rocker\" pos=\"2 0 0\">"
    "<joint name=\"j3\" axis=\"0 1 0\"/>" +
    kUnit + "<site name=\"tip\" pos=\"0 0 1\"/></body>\n";

TEST(Mjcf, ConnectAndWeldCloseLoops) {
  for (const char* closing : {"<connect body1=\"coupler\" body2=\"rocker\" anchor=\"2 0 0\"/>",
                              "<connect site1=\"end\" site2=\"tip\"/>"}) {
    const Mechanism m =
        imported_model("l.xml", mjcf(kBars, "<equality>" + std::string(closing) + "</equality>\n"));
    const auto found = accelerations(m, {});
    EXPECT_EQ(found.size(), 1U) << closing;
  }
  // welded where relpose says: the rocker and the coupler make one body, and the rest is held
  const Imported welded = imported(
      "w.xml",
      mjcf(kBars,
           "<equality><weld body1=\"coupler\" body2=\"rocker\" relpose=\"2 0 -1 1 0 0 0\"/></equality>\n"));
  const Mechanism m = read_imported(welded).value();
  EXPECT_EQ(m.joints.back().kind, Joint::Kind::fixed);
  const Imported inactive = imported(
      "i.xml", mjcf(kBars,
                    "<default><equality active=\"false\"/></default><equality><connect site1=\"end\" "
                    "site2=\"tip\"/></equality>\n"));
  EXPECT_EQ(read_imported(inactive).value().joints.size(), 3U);
  EXPECT_EQ(entry_of(inactive, "mujoco/equality/connect").outcome, Treatment::ignored);
}

// The coupler of joints j1 and j2 in a mechanism of two arms on ground.
Mechanism coupled(const std::string& equality, const std::string& tendons = "") {
  return imported_model(
      "q.xml", mjcf("<body name=\"a\"><joint name=\"j1\" ref=\"0.2\"/>" + kUnit +
                        "</body><body name=\"b\">"
                        "<joint name=\"j2\" ref=\"0.5\" armature=\"3\"/>" +
                        kUnit + "</body>\n",
                    "<compiler angle=\"radian\"/>" + tendons + "<equality>" + equality + "</equality>\n"));
}

TEST(Mjcf, JointsAndTendonsAreCoupled) {
  // q1 − 0.2 = 0.1 + 2 x + 3 x², x = q2 − 0.5: assembly moves the start onto it
  const Mechanism m = coupled("<joint joint1=\"j1\" joint2=\"j2\" polycoef=\"0.1 2 3\"/>");
  Simulation simulation(m, m.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const double q1 = simulation.coordinate("j1"), x = simulation.coordinate("j2") - 0.5;
  EXPECT_NEAR(q1, 0.2 + 0.1 + 2 * x + 3 * x * x, 1e-12);
  EXPECT_NE(q1, 0.2);
  const Mechanism line = coupled("<joint joint1=\"j1\" joint2=\"j2\" polycoef=\"0 2\"/>");
  EXPECT_EQ(line.joints.back().kind, Joint::Kind::gear);
  EXPECT_DOUBLE_EQ(line.joint("j2")->armature, 3);
  // alone: held at its reference and a0
  const Mechanism held = coupled("<joint joint1=\"j1\" polycoef=\"0.1 2\"/>");
  Simulation alone(held, held.plan);
  ASSERT_TRUE(alone.assemble().report.accepted());
  EXPECT_NEAR(alone.coordinate("j1"), 0.3, 1e-12);
  // 2 q1 + q2 keeps its start value and a0
  const Mechanism sum =
      coupled("<tendon tendon1=\"t\" polycoef=\"0.1\"/>",
              "<tendon><fixed name=\"t\" stiffness=\"7\"><joint joint=\"j1\" coef=\"2\"/><joint "
              "joint=\"j2\" coef=\"1\"/></fixed></tendon>");
  Simulation tied(sum, sum.plan);
  ASSERT_TRUE(tied.assemble().report.accepted());
  EXPECT_NEAR(2 * tied.coordinate("j1") + tied.coordinate("j2"), 2 * 0.2 + 0.5 + 0.1, 1e-12);
  ASSERT_EQ(sum.forces.size(), 1U);
  const auto& tendon = std::get<Tendon>(sum.forces[0].law);
  EXPECT_DOUBLE_EQ(tendon.stiffness, 7);
  EXPECT_DOUBLE_EQ(tendon.free, 0.9);
}

TEST(Mjcf, LimitsFollowAutolimits) {
  const std::string body = "<body name=\"a\"><joint name=\"j\" range=\"-30 60\"/>" + kUnit + "</body>\n";
  const Mechanism m = imported_model("l.xml", mjcf(body));
  ASSERT_EQ(m.stops.size(), 1U);
  EXPECT_DOUBLE_EQ(*m.stops[0].lower, -kPi / 6);
  EXPECT_DOUBLE_EQ(*m.stops[0].upper, kPi / 3);
  EXPECT_EQ(
      error_texts(imported("l.xml", mjcf(body, "<compiler autolimits=\"false\"/>\n")).errors).substr(0, 44),
      "4: joint[j] has a range but not limited; add");
}

TEST(Mjcf, ActuatorsAreInputs) {
  // Each on a joint of its own, at 0.3 rad and 2 rad/s, with u = 4 but for ranges.
  const struct {
    const char* element;
    double torque;
  } cases[] = {
      {"<motor joint=\"j\" gear=\"5\"/>", 5 * 4},
      {"<motor joint=\"j\" ctrlrange=\"-1 3\"/>", 3},
      {"<position joint=\"j\" kp=\"10\" kv=\"0.5\" gear=\"2\"/>", 2 * (10 * (4 - 0.6) - 0.5 * 4)},
      {"<velocity joint=\"j\" kv=\"3\"/>", 3 * (4 - 2)},
      {"<damper joint=\"j\" kv=\"3\" ctrlrange=\"0 9\"/>", -3 * 2 * 4},
      {"<general joint=\"j\" gainprm=\"2\" biastype=\"affine\" biasprm=\"1 2 3\"/>",
       2 * 4 + 1 + 2 * 0.3 + 3 * 2},
      {"<general joint=\"j\" gaintype=\"affine\" gainprm=\"1 2 3\" forcerange=\"-9 9\"/>", 9},
      {"<motor tendon=\"t\" gear=\"2\"/>", 3 * 2 * 4},
      {"<motor class=\"strong\" joint=\"j\"/>", 7 * 4},
  };
  for (const auto& c : cases) {
    const Mechanism m = imported_model(
        "a.xml", mjcf("<body name=\"a\"><joint name=\"j\"/>" + kUnit + "</body>\n",
                      "<default><default class=\"strong\"><general gear=\"7\"/></default></default>\n"
                      "<tendon><fixed name=\"t\"><joint joint=\"j\" coef=\"3\"/></fixed></tendon>\n"
                      "<actuator>" +
                          std::string(c.element) + "</actuator>\n"));
    ASSERT_EQ(m.inputs.size(), 1U) << c.element;
    Mechanism driven = m;
    driven.inputs[0].value = 4;
    const auto found = accelerations(driven, {{"j.angle", 0.3}, {"j.angle.rate", 2}});
    EXPECT_NEAR(found.at("j.angle"), c.torque, 1e-12) << c.element;
  }
}

TEST(Mjcf, FiltersAreStates) {
  const Mechanism m = imported_model(
      "f.xml",
      mjcf("<body name=\"a\"><joint name=\"j\"/>" + kUnit + "</body>\n",
           "<actuator><general name=\"u\" joint=\"j\" dyntype=\"filter\" dynprm=\"0.2\" gainprm=\"3\" "
           "ctrlrange=\"0 1\"/></actuator>\n"));
  ASSERT_EQ(m.states.size(), 1U);
  EXPECT_EQ(m.states[0].derivative, "(clamp(u, 0, 1) - u_filtered)/0.2");
}

TEST(Mjcf, GravityCompensationAndForcesAtSites) {
  // Three quarters of the weight is carried; a thrust of 2 u along the site's x axis, which points along y.
  const Mechanism m =
      imported_model("g.xml", mjcf("<body name=\"a\" gravcomp=\"0.75\"><freejoint/>" + kUnit +
                                       "<site name=\"s\" euler=\"0 0 90\"/></body>\n",
                                   "<actuator><motor site=\"s\" gear=\"2 0 0 0 0 3\"/></actuator>\n"));
  Mechanism driven = m;
  driven.inputs[0].value = 5;
  Plan plan = driven.plan;
  plan.coordinates = "relative";
  Simulation simulation(driven, plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  Report report;
  const State s = simulation.with_reactions(report);
  EXPECT_NEAR(s.a[1], 10, 1e-12);
  EXPECT_NEAR(s.a[2], -9.81 / 4, 1e-12);
  EXPECT_NEAR(s.a[5], 15, 1e-12);
}

TEST(Mjcf, SpatialTendonsBetweenTwoSitesAreSprings) {
  const Mechanism m = imported_model(
      "t.xml",
      mjcf("<site name=\"s\" pos=\"0 0 3\"/><body name=\"a\"><joint name=\"j\" type=\"slide\"/>" + kUnit +
               "<site name=\"e\"/></body>\n",
           "<option gravity=\"0 0 0\"/><tendon><spatial stiffness=\"7\" springlength=\"1\"><site site=\"s\"/>"
           "<site site=\"e\"/></spatial></tendon>\n"));
  EXPECT_NEAR(accelerations(m, {}).at("j.displacement"), 7 * 2, 1e-12);
}

TEST(Mjcf, ReplicateMakesCopies) {
  const Mechanism m = imported_model(
      "r.xml",
      mjcf(
          "<replicate count=\"3\" euler=\"0 0 90\" offset=\"1 0 0\" sep=\"-\"><body name=\"a\" pos=\"2 0 0\">"
          "<freejoint/>" +
          kUnit + "</body></replicate>\n"));
  ASSERT_EQ(m.bodies.size(), 3U);
  EXPECT_EQ(m.bodies[2].name, "a_2");
  // each copy's frame is moved by the offset in the axes of the last one
  EXPECT_NEAR((m.bodies[1].placement.at - Vec3(1, 2, 0)).norm(), 0, 1e-15);
  EXPECT_NEAR((m.bodies[2].placement.at - Vec3(-1, 1, 0)).norm(), 0, 1e-15);
}

// Elements and attributes of a text, by counting "<" and "=\"".
std::size_t parts_of(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i)
    count += static_cast<std::size_t>((text[i] == '<' && text[i + 1] != '/') || text.substr(i, 2) == "=\"");
  return count;
}

TEST(Mjcf, TheLedgerHasEveryElementAndAttribute) {
  const std::string text =
      mjcf("<light pos=\"0 0 1\"/><geom type=\"plane\" size=\"1 1 1\"/>" + kBars,
           "<compiler angle=\"radian\" meshdir=\"x\"/><option timestep=\"0.1\" density=\"1.2\"><flag "
           "contact=\"disable\"/>"
           "</option><visual><map znear=\"1\"/></visual><default><geom contype=\"1\"/><motor "
           "gear=\"2\"/></default>"
           "<sensor><jointpos joint=\"j1\"/></sensor><actuator><muscle joint=\"j1\"/></actuator>"
           "<keyframe><key qpos=\"0 0 0\"/></keyframe><novelty size=\"1\"/>\n");
  const Imported found = imported("l.xml", text);
  EXPECT_TRUE(found.errors.empty()) << error_texts(found.errors);
  EXPECT_EQ(found.ledger.size(), parts_of(text));
  for (const LedgerEntry& entry : found.ledger) {
    EXPECT_GT(entry.line, 0);
    EXPECT_FALSE(entry.outcome == Treatment::ignored && entry.reason.empty()) << entry.element;
  }
  // what matters is told: the fluid, the muscle, and what nobody knows
  EXPECT_EQ(found.notes.size(), 3U);
  EXPECT_TRUE(entry_of(found, "mujoco/option@density").matters);
  EXPECT_TRUE(entry_of(found, "mujoco/actuator/muscle").matters);
  EXPECT_TRUE(entry_of(found, "mujoco/novelty").matters);
  ImportOptions strict;
  strict.strict = true;
  EXPECT_EQ(imported("l.xml", text, strict).errors.size(), 3U);
}

TEST(Mjcf, EveryMessage) {
  const std::string joint = "<body name=\"a\"><joint name=\"j\"/>" + kUnit + "</body>\n";
  const struct {
    std::string text, error;
  } cases[] = {
      {mjcf(""), "1: the file has no body; add one to <worldbody>"},
      {mjcf("<joint/>"), "3: the world has a joint; put it into a body"},
      {mjcf(joint + joint), "4: there is already a body 'a'; give it another name"},
      {mjcf("<body name=\"a\"><joint name=\"j\"/><joint name=\"j\"/>" + kUnit + "</body>"),
       "3: there is already a joint 'j'; give it another name"},
      {mjcf("<body name=\"a\"><joint axis=\"0 0 0\"/>" + kUnit + "</body>"),
       "3: joint: its axis is zero; give a direction"},
      {mjcf("<body name=\"a\"><joint type=\"screw\"/>" + kUnit + "</body>"),
       "3: joint: type=\"screw\" is not known; use one of hinge, slide, ball, free"},
      {mjcf("<body name=\"a\"><joint range=\"2 1\"/>" + kUnit + "</body>"),
       "3: joint: range 2 1 has no inside; give the lower limit first"},
      {mjcf("<body name=\"a\"><joint damping=\"-1\"/>" + kUnit + "</body>"),
       "3: joint: damping is negative; give zero or more"},
      {mjcf("<body name=\"a\"><joint class=\"c\"/>" + kUnit + "</body>"),
       "3: joint: there is no default class 'c'; name a class of <default>"},
      {mjcf("<body name=\"a\" childclass=\"c\"><joint/>" + kUnit + "</body>"),
       "3: body[a]: there is no default class 'c'; name a class of <default>"},
      {mjcf("<body name=\"a\"><joint/><inertial pos=\"0 0 0\"/></body>"),
       "3: <inertial> has no mass; add mass=\"…\""},
      {mjcf("<body name=\"a\"><joint/><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 3\"/></body>"),
       "3: no body has the inertia of 'a': of its principal moments 1, 1, 3 kg.m² the two smaller must add "
       "up to the "
       "largest or more; correct it, or let `trammel import --accept-inertia` replace it by the nearest that "
       "a body "
       "has"},
      {mjcf("<body name=\"a\" zaxis=\"0 0 0\"><freejoint/>" + kUnit + "</body>"),
       "3: body[a]: zaxis has no direction; give directions that are not zero"},
      {mjcf("<body name=\"a\"><freejoint/><joint/>" + kUnit + "</body>"),
       "3: a body with a free joint has other joints; remove them"},
      {mjcf("<body name=\"a\"><joint/>" + kUnit + "<body name=\"b\"><freejoint/>" + kUnit + "</body></body>"),
       "3: a free joint is not in a body of the world; move the body there"},
      {mjcf("<body name=\"a\"><joint/><freejoint/>" + kUnit + "</body>"),
       "3: a free joint is not the only joint of its body; remove the others"},
      {mjcf("<body name=\"a\"><joint/><geom type=\"box\" size=\"1 1\"/></body>"),
       "3: geom: a box has 3 positive sizes; give all of them in size=\"…\""},
      {mjcf("<body name=\"a\"><joint/><geom type=\"capsule\" size=\"1\" fromto=\"0 0 0 0 0 0\"/></body>"),
       "3: geom: fromto has no length; give two places"},
      {mjcf("<body name=\"a\"><joint/><geom type=\"mesh\" mesh=\"m\"/></body>"),
       "3: geom: there is no mesh 'm'; name a mesh of <asset>"},
      {mjcf("<body name=\"a\"><joint/><geom type=\"mesh\" mesh=\"m\"/></body>",
            "<asset><mesh name=\"m\" file=\"none.stl\"/></asset>"),
       "3: geom: its mass needs mesh 'm': none.stl: there is no such file; give the path of an STL, OBJ or "
       "DAE "
       "file, "
       "or give "
       "the body an <inertial>"},
      {mjcf("<body name=\"a\"><joint/><geom type=\"mesh\" mesh=\"m\"/></body>",
            "<asset><mesh name=\"m\" file=\"m.stl\" inertia=\"convex\"/></asset>"),
       "2: mesh 'm': the inertia of its convex hull is not known; use inertia=\"exact\", or give the body an "
       "<inertial>"},
      {mjcf("<body name=\"a\"><joint/><geom size=\"1\" mass=\"-1\"/></body>"),
       "3: geom: its mass is -1 kg; give zero or more"},
      {mjcf("<composite type=\"cable\"/>" + joint),
       "3: <composite> makes flexible bodies, which Trammel does not have; remove it, or write its bodies "
       "out"},
      {mjcf("<attach model=\"x\" prefix=\"p\"/>" + joint),
       "3: <attach> puts another model here; save the whole as one file by MuJoCo first"},
      {mjcf("<replicate count=\"0\"/>" + joint),
       "3: <replicate> makes 0 copies; give a count from 1 to 10000"},
      {mjcf(joint, "<compiler coordinate=\"global\"/>"),
       "2: coordinate=\"global\" is no longer part of MJCF; save the file again by MuJoCo 2.3.3 or older, "
       "which makes "
       "all frames local"},
      {mjcf(joint, "<compiler eulerseq=\"xyw\"/>"),
       "2: eulerseq=\"xyw\" is no sequence of three axes; use three of x, y, z, X, Y, Z"},
      {mjcf(joint, "<default><default/></default>"),
       "2: a default class inside another has no name; add class=\"…\""},
      {mjcf(joint, "<equality><connect body1=\"b\" anchor=\"0 0 0\"/></equality>"),
       "2: connect: there is no body 'b'; name a body of this file"},
      {mjcf(joint, "<equality><connect site1=\"b\" site2=\"c\"/></equality>"),
       "2: connect: there is no site 'b'; name a site of this file"},
      {mjcf(joint, "<equality><connect body1=\"a\"/></equality>"),
       "2: connect has no anchor; add anchor=\"…\""},
      {mjcf(joint, "<equality><joint joint1=\"k\"/></equality>"),
       "2: joint: there is no hinge or slide 'k'; name a joint of this file"},
      {mjcf(joint, "<equality><tendon tendon1=\"k\"/></equality>"),
       "2: tendon: there is no tendon 'k'; name a tendon of this file"},
      {mjcf(joint, "<tendon><fixed><joint joint=\"k\" coef=\"1\"/></fixed></tendon>"),
       "2: tendon: there is no hinge or slide 'k'; name a joint of this file"},
      {mjcf(joint, "<tendon><spatial><site site=\"k\"/></spatial></tendon>"),
       "2: tendon: there is no site 'k'; name a site of this file"},
      {mjcf(joint, "<tendon><fixed name=\"t\"/><fixed name=\"t\"/></tendon>"),
       "2: there is already a tendon 't'; give it another name"},
      {mjcf(joint, "<actuator><motor tendon=\"t\"/></actuator>"),
       "2: motor: there is no tendon 't'; name one of this file"},
      {mjcf("<site name=\"s\"/><site name=\"s\"/>" + joint),
       "3: there is already a site 's'; give it another name"},
      {mjcf("<include/>" + joint), "3: <include> names no file; add file=\"…\""},
  };
  for (const auto& c : cases) {
    const std::string found = error_texts(imported("e.xml", c.text).errors);
    EXPECT_EQ(found.substr(0, found.find('\n')), c.error) << c.text;
  }
}

}  // namespace
}  // namespace trammel::model::mjcf_test
