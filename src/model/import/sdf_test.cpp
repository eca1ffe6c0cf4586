// SDF: frames by hand, joints by closed forms, loops as the file has them, and every message.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/import/import_testing.h"
#include "trammel/run.h"

namespace trammel::model::sdf_test {
namespace {

constexpr double kPi = std::numbers::pi;

std::string sdf(const std::string& inside, const std::string& version = "1.9") {
  return "<sdf version=\"" + version + "\">\n<model name=\"m\">\n" + inside + "</model>\n</sdf>\n";
}
// A link of one kilogram and of unit moments of inertia, which are SDF's defaults.
std::string link(const std::string& name, const std::string& inside = "") {
  return "<link name=\"" + name + "\">" + inside + "</link>\n";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& inside = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent>" + parent + "</parent><child>" + child +
         "</child>" + inside + "</joint>\n";
}
const std::string kAlongY = "<axis><xyz>0 1 0</xyz></axis>";

// A compound pendulum about y with spring and damper. Its inertia is given in axes that the pose of
// <inertial> turns by a right angle about x, so that I_yy is the file's izz.
TEST(Sdf, PendulumByItsClosedForm) {
  const Mechanism m = imported_model(
      "p.sdf",
      sdf("<link name=\"arm\"><pose>1 2 3 0 0 0.7</pose><inertial><pose>0 0 -0.4 1.5707963267948966 0 "
          "0</pose>\n"
          "<mass>2</mass><inertia><ixx>0.03</ixx><iyy>0.02</iyy><izz>0.04</izz></inertia></inertial></"
          "link>\n" +
          joint("hinge", "revolute", "world", "arm",
                "<axis><xyz>0 2 0</xyz><dynamics><damping>0.3</damping><spring_stiffness>3</spring_stiffness>"
                "<spring_reference>0.2</spring_reference></dynamics></axis>")));
  const double q = 0.6, v = -1.2, inertia = 0.04 + 2 * 0.16;
  const auto found = accelerations(m, {{"hinge.angle", q}, {"hinge.angle.rate", v}});
  const double expected = (-2 * 9.8 * 0.4 * std::sin(q) - 3 * (q - 0.2) - 0.3 * v) / inertia;
  EXPECT_NEAR(found.at("hinge.angle"), expected, 1e-12 * std::abs(expected));
}

TEST(Sdf, PosesAreRelativeToFrames) {
  const Mechanism m = imported_model(
      "f.sdf", sdf("<pose>1 0 0 0 0 1.5707963267948966</pose>\n" + link("a", "<pose>1 0 0 0 0 0</pose>") +
                   "<frame name=\"f\" attached_to=\"a\"><pose>0 0 1 0 0 0</pose></frame>\n" +
                   link("b", "<pose relative_to=\"f\" degrees=\"true\">0 1 0 0 0 90</pose>") +
                   link("c", "<pose relative_to=\"j\" rotation_format=\"quat_xyzw\">1 0 0 0 0 1 1</pose>") +
                   joint("j", "revolute", "a", "b",
                         "<pose relative_to=\"a\">2 0 0 0 0 0</pose><axis><xyz "
                         "expressed_in=\"__model__\">1 0 0</xyz></axis>") +
                   joint("k", "ball", "f", "c")));
  // the model's x axis is the world's y axis
  EXPECT_NEAR((m.body("a")->placement.at - Vec3(1, 1, 0)).norm(), 0, 1e-15);
  EXPECT_NEAR((m.body("b")->placement.at - Vec3(0, 1, 1)).norm(), 0, 1e-15);
  EXPECT_NEAR((m.body("b")->placement.axes.col(0) - Vec3(-1, 0, 0)).norm(), 0, 1e-15);
  EXPECT_NEAR((m.body("c")->placement.at - Vec3(1, 4, 0)).norm(), 0, 1e-15);
  EXPECT_NEAR((m.body("c")->placement.axes.col(0) - Vec3(-1, 0, 0)).norm(), 0, 1e-15);
  const auto world = [&](const Joint& j) {
    const Marker& marker = j.markers[1];
    const Frame& body = m.body(marker.body)->placement;
    return Frame{body.at + body.axes * marker.frame.at, body.axes * marker.frame.axes};
  };
  EXPECT_NEAR((world(*m.joint("j")).at - Vec3(1, 3, 0)).norm(), 0, 1e-15);
  EXPECT_NEAR((world(*m.joint("j")).axes.col(2) - Vec3::UnitY()).norm(), 0, 1e-15);
  // a ball stands at its child, and the frame f moves with a
  EXPECT_NEAR((world(*m.joint("k")).at - Vec3(1, 4, 0)).norm(), 0, 1e-15);
  EXPECT_EQ(m.joint("k")->markers[1].body, "a");
}

// Before version 1.5 axes are those of the model, since then of the joint unless the file asks for the
// former.
TEST(Sdf, AxesOfOldVersions) {
  const auto axis = [](const std::string& version, const std::string& more) {
    const Mechanism m = imported_model(
        "a.sdf", sdf(link("a", "<pose>0 0 0 0 0 1.5707963267948966</pose>") +
                         joint("j", "revolute", "world", "a", "<axis><xyz>1 0 0</xyz>" + more + "</axis>"),
                     version));
    return Vec3(m.joint("j")->markers[1].frame.axes.col(2));
  };
  EXPECT_NEAR((axis("1.4", "") - Vec3::UnitX()).norm(), 0, 1e-15);
  EXPECT_NEAR((axis("1.5", "") - Vec3::UnitY()).norm(), 0, 1e-15);
  EXPECT_NEAR((axis("1.5", "<use_parent_model_frame>1</use_parent_model_frame>") - Vec3::UnitX()).norm(), 0,
              1e-15);
}

// A four-bar linkage in the plane of x and z, as SDF has loops: a link with two joints above it.
TEST(Sdf, LoopsAreJointsOfTheFile) {
  const Mechanism m = imported_model(
      "l.sdf",
      sdf(link("crank") + link("coupler", "<pose>0 0 1 0 0 0</pose>") +
          link("rocker", "<pose>2 0 0 0 0 0</pose>") + joint("j1", "revolute", "world", "crank", kAlongY) +
          joint("j2", "revolute", "crank", "coupler", kAlongY) +
          joint("j3", "revolute", "world", "rocker", kAlongY) +
          joint("j4", "revolute", "coupler", "rocker", "<pose>0 0 1 0 0 0</pose>" + kAlongY)));
  EXPECT_EQ(m.joints.size(), 4U);
  EXPECT_EQ(accelerations(m, {}).size(), 1U);
}

TEST(Sdf, UniversalJointsAreTwoHinges) {
  const Mechanism m = imported_model(
      "u.sdf",
      sdf(link("a") + joint("u", "universal", "world", "a",
                            "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz><limit><lower>-1</lower>"
                            "<upper>inf</upper></limit></axis2>")));
  ASSERT_EQ(m.bodies.size(), 2U);
  EXPECT_EQ(m.joint("u")->markers[1].body, kGround);
  EXPECT_EQ(m.joint("u_2")->markers[0].body, "a");
  ASSERT_EQ(m.stops.size(), 1U);
  EXPECT_DOUBLE_EQ(*m.stops[0].lower, -1);
  EXPECT_FALSE(m.stops[0].upper.has_value());
}

TEST(Sdf, WorldsNestedModelsAndWeight) {
  const Imported found = imported(
      "w.sdf",
      "<sdf version=\"1.9\"><world name=\"w\"><gravity>0 0 -3</gravity>\n<model "
      "name=\"p\"><static>true</static>" +
          link("base") + "</model><model name=\"q\"><pose>0 0 1 0 0 0</pose>" +
          link("a", "<gravity>0</gravity>") + "<model name=\"inner\"><pose>1 0 0 0 0 0</pose>" + link("b") +
          "</model>" + joint("j", "fixed", "a", "inner::b") + "</model></world></sdf>\n");
  const Mechanism m = read_imported(found).value();
  EXPECT_NEAR((m.gravity - Vec3(0, 0, -3)).norm(), 0, 0);
  ASSERT_EQ(m.bodies.size(), 1U);
  EXPECT_DOUBLE_EQ(m.bodies[0].mass, 2);
  EXPECT_NEAR((m.bodies[0].com - Vec3(0.5, 0, 0)).norm(), 0, 1e-15);
  // half of it has no weight: it is lifted there
  const auto& lift = std::get<AppliedForce>(m.forces.at(0).law);
  EXPECT_EQ(lift.components.at(2), "3");
  EXPECT_NEAR(lift.at.frame.at.norm(), 0, 1e-15);
}

TEST(Sdf, MimicsFollow) {
  const Mechanism m = imported_model(
      "m.sdf",
      sdf(link("a") + link("b") + joint("j", "revolute", "world", "a", kAlongY) +
          joint("k", "revolute", "world", "b",
                "<axis><xyz>0 1 0</xyz><mimic joint=\"j\"><multiplier>2</multiplier><offset>0.3</offset>"
                "<reference>0.1</reference></mimic></axis>")));
  Simulation simulation(m, m.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  EXPECT_NEAR(simulation.coordinate("k"), 2 * (simulation.coordinate("j") - 0.1) + 0.3, 1e-12);
}

TEST(Sdf, TheRootFloatsUnlessItIsAskedToStand) {
  const std::string text = sdf(link("a") + link("b") + joint("j", "revolute", "a", "b", kAlongY));
  EXPECT_EQ(imported_model("r.sdf", text).bodies.size(), 2U);
  ImportOptions fixed;
  fixed.base = Base::fixed;
  const Mechanism m = imported_model("r.sdf", text, fixed);
  EXPECT_EQ(m.bodies.size(), 1U);
  EXPECT_EQ(m.joint("j")->markers[1].body, kGround);
}

TEST(Sdf, EveryMessage) {
  const std::string a = link("a");
  const struct {
    std::string text, error;
  } cases[] = {
      {"<sdf version=\"1.9\"/>", "1: the file has no model; add <model>"},
      {"<sdf version=\"1.9\"><world name=\"v\"/><world name=\"w\"/></sdf>",
       "1: the file has a second world; import one world at a time"},
      {"<sdf version=\"1.9\"><model/></sdf>", "1: a model has no name; add name=\"…\""},
      {sdf("<link/>"), "3: a link has no name; add name=\"…\""},
      {sdf("<frame/>" + a), "3: a frame has no name; add name=\"…\""},
      {sdf(a + "<joint/>"), "4: a joint has no name; add name=\"…\""},
      {sdf(a + a), "4: the name 'a' is taken; give it another name"},
      {sdf("<include><uri>model://x</uri></include>" + a),
       "3: <include> of 'model://x': other files are not read; write the whole as one file, as by `gz sdf "
       "-p`"},
      {sdf(a + joint("j", "revolute", "world", "b", kAlongY)),
       "4: 'b' is attached to no link; name a link of this file"},
      {sdf(a + "<joint name=\"j\" type=\"ball\"><child>a</child></joint>"),
       "4: joint 'j' has no parent; add <parent>…</parent>"},
      {sdf(a + joint("j", "hinge", "world", "a")),
       "4: joint 'j': type 'hinge' is not known; use one of revolute, continuous, prismatic, universal, "
       "revolute2, "
       "ball, fixed"},
      {sdf(a + joint("j", "revolute", "world", "a")), "4: joint 'j' has no axis; add it"},
      {sdf(a + joint("j", "universal", "world", "a", kAlongY)), "4: joint 'j' has no axis2; add it"},
      {sdf(a + joint("j", "revolute", "world", "a", "<axis><xyz>0 0 0</xyz></axis>")),
       "4: joint 'j': its axis is zero; give a direction"},
      {sdf(a + joint("j", "revolute", "world", "a",
                     "<axis><limit><lower>2</lower><upper>1</upper></limit></axis>")),
       "4: joint 'j': lower 2 is above upper 1; give the lower limit first"},
      {sdf(a +
           joint("j", "revolute", "world", "a", "<axis><dynamics><damping>-1</damping></dynamics></axis>")),
       "4: joint 'j': damping, friction and spring_stiffness must not be negative; give zero or more"},
      {sdf(a + joint("j", "revolute", "world", "a", "<axis><mimic joint=\"k\"/></axis>")),
       "4: joint 'j' mimics 'k', which is no joint with a coordinate; name a joint of this model"},
      {sdf(link("a", "<pose relative_to=\"b\">0 0 0 0 0 0</pose>")),
       "3: there is no link, joint, model or frame 'b'; name one of this file"},
      {sdf(link("a", "<pose relative_to=\"a\">0 0 0 0 0 0</pose>")),
       "3: the pose of 'a' is relative to itself; break the circle"},
      {sdf(link("a", "<pose>0 0 0</pose>")),
       "3: <pose>: \"0 0 0\" is not 6 numbers; write finite numbers with spaces between them"},
      {sdf(link("a", "<pose rotation_format=\"quat_xyzw\">0 0 0 0 0 0 0</pose>")),
       "3: the quaternion of a pose is zero; give x y z w of a rotation"},
      {sdf(link("a", "<inertial auto=\"true\"/>")),
       "3: auto=\"true\": masses of collision shapes are not known; give mass and inertia"},
      {"<sdf version=\"1.9\"><model name=\"m\" placement_frame=\"a\">" + a + "</model></sdf>",
       "1: placement_frame is not known; give the pose of the model itself"},
  };
  for (const auto& c : cases) {
    const std::string found = error_texts(imported("e.sdf", c.text).errors);
    EXPECT_EQ(found.substr(0, found.find('\n')), c.error) << c.text;
  }
}

}  // namespace
}  // namespace trammel::model::sdf_test
