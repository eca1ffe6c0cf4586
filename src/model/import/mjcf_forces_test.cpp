// Cables over several sites, and springs and dampers of ball joints, by closed forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/import/import_testing.h"
#include "trammel/run.h"

namespace trammel::model::mjcf_forces_test {
namespace {

// A block on a rail along x, at x = 4, and places 3 m beside the rail.
Mechanism block(const std::string& rest) {
  return imported_model(
      "t.xml",
      "<mujoco><option gravity=\"0 0 0\"/>" + rest +
          "<worldbody><site name=\"a\" pos=\"0 3 0\"/><site name=\"b\" pos=\"0 -3 0\"/><site name=\"c\" "
          "pos=\"0 -3 "
          "1\"/><body name=\"block\" pos=\"4 0 0\"><joint name=\"j\" type=\"slide\" axis=\"1 0 0\"/>"
          "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/><site name=\"e\"/></body></worldbody>"
          "</mujoco>\n");
}

std::string cable(const std::string& attributes, const std::string& way) {
  return "<tendon><spatial name=\"t\" " + attributes + ">" + way + "</spatial></tendon>\n";
}

const std::string kThere = "<site site=\"a\"/><site site=\"e\"/>";
const std::string kThereAndBack = kThere + "<site site=\"b\"/>";

double pull(const Mechanism& m, double v) {
  return accelerations(m, {{"j.displacement.rate", v}}).at("j.displacement");
}

// Each leg is 5 m long and grows by 4/5 of the displacement.
TEST(MjcfForces, ACableOverSitesHasOneTension) {
  const Mechanism m = block(cable("stiffness=\"7\" springlength=\"6\" damping=\"3\"", kThereAndBack));
  const double v = 0.5, tension = 7 * (10 - 6) + 3 * 1.6 * v;
  EXPECT_NEAR(pull(m, v), -1.6 * tension, 1e-12);
  // the way from b to c, both on ground, is constant
  const Mechanism longer =
      block(cable("stiffness=\"7\" springlength=\"6\"", kThereAndBack + "<site site=\"c\"/>"));
  EXPECT_NEAR(pull(longer, v), -1.6 * 7 * (11 - 6), 1e-12);
  // its length at the start is the free length
  EXPECT_NEAR(pull(block(cable("stiffness=\"7\"", kThereAndBack)), v), 0, 1e-12);
}

TEST(MjcfForces, BehindAPulleyLengthsAndForcesAreDivided) {
  const Mechanism m = block(cable("stiffness=\"7\" springlength=\"6\" damping=\"3\"",
                                  kThere + "<pulley divisor=\"2\"/><site site=\"e\"/><site site=\"b\"/>"));
  const double v = 0.5, grows = 0.8 * 1.5, tension = 7 * (7.5 - 6) + 3 * grows * v;
  EXPECT_NEAR(pull(m, v), -grows * tension, 1e-12);
}

TEST(MjcfForces, BetweenTwoSpringLengthsThereIsNoForce) {
  const auto at = [](const std::string& range) {
    return pull(block(cable("stiffness=\"7\" springlength=\"" + range + "\"", kThereAndBack)), 0);
  };
  EXPECT_NEAR(at("8 9"), -1.6 * 7 * (10 - 9), 1e-12);
  EXPECT_NEAR(at("8 11"), 0, 1e-12);
  EXPECT_NEAR(at("12 15"), 1.6 * 7 * (12 - 10), 1e-12);
}

TEST(MjcfForces, ActuatorsPullAlongCables) {
  Mechanism m = block(cable("", kThereAndBack) +
                      "<actuator><general tendon=\"t\" gear=\"2\" gainprm=\"5\" biastype=\"affine\" "
                      "biasprm=\"0 -3 0\"/></actuator>");
  m.inputs.at(0).value = 4;
  // the actuator's length is twice the cable's; its force lengthens the cable
  EXPECT_NEAR(pull(m, 0), 1.6 * 2 * (5 * 4 - 3 * 2 * 10), 1e-12);
}

TEST(MjcfForces, WaysAroundGeomsAreIgnoredAndMatter) {
  const Imported found = imported(
      "t.xml", "<mujoco>" +
                   cable("stiffness=\"7\"", "<site site=\"a\"/><geom geom=\"g\"/><site site=\"b\"/>") +
                   "<worldbody><site name=\"a\"/><site name=\"b\" pos=\"1 0 0\"/><body name=\"x\"><joint/>"
                   "<geom name=\"g\" size=\"0.1\"/></body></worldbody></mujoco>\n");
  EXPECT_TRUE(entry_of(found, "mujoco/tendon/spatial[t]").matters);
  EXPECT_EQ(entry_of(found, "mujoco/tendon/spatial[t]").reason, "it is led around a geom");
}

// Two balls about one point, the first floating. Turned against each other about one axis they swing as a
// plane oscillator of inertia I₁I₂/(I₁ + I₂), however far: the torque is k θ + c θ̇. Their axes differ at the
// start, and neither is that of the world.
TEST(MjcfForces, ABallJointSwingsAsAPlaneOscillator) {
  const double first = 0.3, second = 0.2, k = 5, c = 0.02, speed = 12;
  for (const bool is_free : {true, false}) {
    const std::string ball =
        "<body name=\"b\" euler=\"20 -35 50\"><joint name=\"j\" type=\"ball\" stiffness=\"5\" "
        "damping=\"0.02\"/><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"0.2 0.2 "
        "0.2\"/></body>";
    const Imported found = imported(
        "b.xml", "<mujoco><option gravity=\"0 0 0\"/><worldbody>" +
                     (is_free ? "<body name=\"a\" euler=\"-70 10 40\"><freejoint/><inertial pos=\"0 0 0\" "
                                "mass=\"1\" diaginertia=\"0.3 0.3 0.3\"/>" +
                                    ball + "</body>"
                              : ball) +
                     "</worldbody></mujoco>\n");
    const Vec3 n = Vec3(1, -2, 3).normalized();
    const double inertia = is_free ? first * second / (first + second) : second;
    ModelInput input = read_imported(found, {"simulate.tolerance=1e-10", "simulate.duration=0.7"});
    ASSERT_TRUE(input.errors.empty()) << error_texts(input.errors) << found.model;
    for (Body& body : input.mechanism.bodies) {
      const double part = !is_free           ? 1
                          : body.name == "b" ? first / (first + second)
                                             : -second / (first + second);
      body.angular_velocity = part * speed * n;
    }
    Simulation simulation(input.mechanism, input.mechanism.plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    ASSERT_TRUE(simulation.advance_to(0.7).report.accepted());
    // θ = ω₀/w e^(−δt) sin wt: by more than a radian
    const double delta = c / (2 * inertia), w = std::sqrt(k / inertia - delta * delta), t = 0.7;
    EXPECT_GT(speed / w, 1.2);
    const double rate = speed * std::exp(-delta * t) * (std::cos(w * t) - delta / w * std::sin(w * t));
    Vec3 relative = simulation.pose("b").angular_velocity;
    if (is_free) relative -= simulation.pose("a").angular_velocity;
    EXPECT_LT((relative - rate * n).norm(), 1e-7 * speed) << is_free;
  }
}

TEST(MjcfForces, OfABallJointLimitsAndFrictionAreIgnoredAndMatter) {
  const Imported found = imported(
      "b.xml",
      "<mujoco><worldbody><body name=\"b\"><joint name=\"j\" type=\"ball\" range=\"0 30\" frictionloss=\"1\" "
      "armature=\"2\"/><geom size=\"0.1\"/></body></worldbody></mujoco>\n");
  for (const char* attribute : {"range", "frictionloss", "armature"})
    EXPECT_TRUE(entry_of(found, std::string("mujoco/worldbody/body[b]/joint[j]@") + attribute).matters)
        << attribute;
}

}  // namespace
}  // namespace trammel::model::mjcf_forces_test
