// The table of joint kinds says what the equations do: as many equations of positions and of velocities as it
// tells, for every kind that exists in the plane or in space.
#include "mechanism/joint_kinds.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>
#include <set>

#include "mechanism/force_kinds.h"
#include "mechanism/validate.h"
#include "system/system.h"

namespace trammel::tests::joint_kinds_test {
namespace {

// Two free bodies in one place with a joint between them, placed so that every kind can be written.
Mechanism joined(const mechanism::JointInfo& kind, bool planar) {
  Mechanism m;
  m.is_planar = planar;
  for (const char* name : {"a", "b"}) {
    Body body;
    body.name = name;
    body.mass = 1;
    body.inertia = Mat3::Identity();
    m.bodies.push_back(body);
  }
  Joint joint;
  joint.name = "j";
  joint.kind = kind.kind;
  joint.value = 0.5;
  Frame above;
  above.at = planar ? Vec3(0, 0.5, 0) : Vec3(0, 0, 0.5);
  if (kind.frames.in(planar) == mechanism::JointFrames::disk ||
      kind.frames.in(planar) == mechanism::JointFrames::crossed)
    above.axes = Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()).toRotationMatrix();
  if (kind.teeth) {
    above.at = Vec3(0.5, 0, 0);
    joint.teeth = {{0.2, 0.3}, 0.35, 0, 1};
    if (kind.kind == Joint::Kind::rack_pair) joint.teeth.radii = {0.5, INFINITY};
    if (kind.kind == Joint::Kind::rack_pair) above.at = Vec3(0, 0.5, 0);
    if (kind.kind == Joint::Kind::bevel_pair) above.at.setZero();
    if (kind.kind == Joint::Kind::worm_pair) joint.teeth.helix_angle = 0.1;
  }
  if (kind.kind == Joint::Kind::belt) {
    above.at = Vec3(0.5, 0, 0);
    joint.pulleys = {0.2, 0.1};
  }
  joint.markers = {{"a", above}, {"b", {}}};
  joint.curve.through = {above.at - Vec3::UnitX(), above.at, above.at + Vec3(1, 0.1, 0)};
  if (kind.kind == Joint::Kind::cam) {  // a roller on top of an outline that lies in the plane z = 0
    joint.markers[0].frame.at = Vec3(0, 0.5, 0);
    joint.curve.through = {-Vec3::UnitX(), Vec3::Zero(), Vec3(1, -0.1, 0)};
    joint.cam.side = 1;
  }
  m.joints.push_back(joint);
  return m;
}

TEST(JointKinds, AreInTheOrderOfTheirEnumAndHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (std::size_t k = 0; k < mechanism::joint_kinds().size(); ++k) {
    const mechanism::JointInfo& kind = mechanism::joint_kinds()[k];
    EXPECT_EQ(static_cast<std::size_t>(kind.kind), k) << kind.name;
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_EQ(mechanism::find_joint_kind(kind.name), &kind);
    if (!kind.fields.empty()) {
      EXPECT_STREQ(kind.fields.front().key, kind.name);
    }
  }
  EXPECT_EQ(mechanism::find_joint_kind("weld"), nullptr);
}

TEST(JointKinds, HaveAsManyEquationsAsTheTableTells) {
  for (const mechanism::JointInfo& kind : mechanism::joint_kinds())
    for (const bool planar : {true, false}) {
      if (!kind.has_markers() || !kind.exists.in(planar)) continue;
      SCOPED_TRACE(std::string(kind.name) + (planar ? " in the plane" : " in space"));
      const Mechanism m = joined(kind, planar);
      EXPECT_TRUE(validate(m).empty());
      const system::Sizes sizes = system::compile(m, "reference")->sizes();
      EXPECT_EQ(sizes.holonomic, kind.equations.in(planar));
      EXPECT_EQ(sizes.rows - sizes.holonomic, kind.speeds.in(planar));
    }
}

TEST(ForceKinds, AreInTheOrderOfTheirEnumAndHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (std::size_t k = 0; k < mechanism::force_kinds().size(); ++k) {
    const mechanism::ForceInfo& kind = mechanism::force_kinds()[k];
    EXPECT_EQ(static_cast<std::size_t>(kind.kind), k) << kind.name;
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_EQ(mechanism::find_force_kind(kind.name), &kind);
    if (!kind.fields.empty()) {
      EXPECT_EQ(mechanism::find_force_key(kind.key()), &kind);
    }
  }
}

}  // namespace
}  // namespace trammel::tests::joint_kinds_test
