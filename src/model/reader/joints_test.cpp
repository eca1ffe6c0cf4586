// Joints, couplers and drivers.
#include <Eigen/LU>
#include <cmath>

#include "mechanism/signals.h"
#include "model/reader/test_cases.h"

namespace trammel::model::joints_test {
namespace {

const std::string kPair = kSpatial + kBoxes + "joints:\n";
const std::string kTwoRods =
    kPlanar +
    "points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [2, 0]}\n"
    "bodies: {crank: {rod: [O, A], mass: 1}, rocker: {rod: [A, B], mass: 1}, slider: {point: B, mass: 1}}\n";

// A marker's frame in the world at the start.
Frame in_world(const Mechanism& m, const Marker& marker) {
  const Frame body = m.placement(marker.body);
  return {body.at + body.axes * marker.frame.at, body.axes * marker.frame.axes};
}

TEST(ModelJoints, BadOnesSayWhereAndWhat) {
  expect_errors({
      {"no kind", kPair + "  j: {at: [0, 0, 0]}\n",
       "6:3: the joint 'j' has no kind; a joint is one of: revolute, prismatic"},
      {"misspelt kind", kPair + "  j: {revolut: [arm, base], at: [0, 0, 0]}\n",
       "6:7: unknown key 'revolut'; did you mean 'revolute'?"},
      {"missing body", kPair + "  j: {spherical: [arm, bas], at: [0, 0, 0]}\n",
       "6:24: there is no body 'bas'; did you mean 'base'?"},
      {"itself", kPair + "  j: {spherical: [arm, arm], at: [0, 0, 0]}\n",
       "6:18: joint 'j' connects 'arm' to itself; name two different bodies"},
      {"zero axis", kPair + "  j: {revolute: [arm, base], at: [0, 0, 0], axis: [0, 0, 0]}\n",
       "6:51: axis: a direction must not be zero; give a vector along it, of any length"},
      {"no axis", kPair + "  j: {revolute: [arm, base], at: [0, 0, 0]}\n",
       "6:3: a revolute joint needs the key 'axis'; add `axis:`"},
      {"no place", kPair + "  j: {spherical: [arm, base]}\n",
       "6:3: a spherical joint needs the key 'at'; say where: a place, a point, or one point on each body"},
      {"unknown own point", kPair + "  j: {spherical: [arm, base], at: arm.tp}\n",
       "6:35: body 'arm' has no point 'tp'; did you mean 'tip'?"},
      {"unknown vector", kPair + "  j: {revolute: [arm, base], at: arm.tip, axis: arm.nn}\n",
       "6:49: body 'arm' has no vector 'nn'; add it under `vectors:` of the body (there are: n)"},
      {"pair in the wrong order", kPair + "  j: {spherical: [arm, base], at: [base.hole, base.hole]}\n",
       "6:36: at: 'base.hole' is not a point of 'arm'; in a pair the first point belongs to the joint's "
       "first body"},
      {"skew universal", kPair + "  j: {universal: [arm, base], at: arm.tip, axes: [[1, 0, 0], [1, 1, 0]]}\n",
       "6:50: axes: the axes of a universal joint stand at 45 deg; make them perpendicular"},
      {"one universal axis", kPair + "  j: {universal: [arm, base], at: arm.tip, axes: [1, 0, 0]}\n",
       "6:50: axes: expected two directions, found a list"},
      {"axis in the plane", kTwoRods + "joints: {j: {revolute: [crank, ground], at: A, axis: [0, 1]}}\n",
       "5:48: axis: in the plane every revolute joint turns about z; leave it out"},
      {"coordinate of a planar angle",
       kTwoRods + "joints: {j: {revolute: [crank, ground], at: A, coordinate: 1}}\n",
       "5:48: coordinate: in the plane a joint's angle is the difference of the bodies' angles"},
      {"spatial joint in the plane", kTwoRods + "joints: {j: {spherical: [crank, ground], at: A}}\n",
       "5:10: a spherical joint does not exist in the plane; in the plane there are: revolute, prismatic, "
       "fixed"},
      {"direction of a point mass", kTwoRods + "joints: {j: {prismatic: [slider, ground], axis: [1, 0]}}\n",
       "5:10: joint 'j' holds the direction of the point mass 'slider', which has none; use point-on-line"},
      {"zero line", kTwoRods + "joints: {j: {point-on-line: B, through: [0, 0], along: [0, 0]}}\n",
       "5:56: along: a direction must not be zero"},
      {"zero distance", kTwoRods + "joints: {j: {distance: [O, B], length: 0}}\n",
       "5:40: the length of 'j' is 0 m; give a positive length"},
      {"distance of one body", kTwoRods + "joints: {j: {distance: [A, {body: crank, at: [0, 0]}]}}\n",
       "5:10: joint 'j' connects 'crank' to itself"},
      {"gear without angle", kTwoRods + "joints: {g: {gear: [O, B], ratio: 2}}\n",
       "5:24: joint 'B' has no angle; name a revolute or cylindrical joint, or a pin of two bodies"},
      {"gear with nothing", kTwoRods + "joints: {g: {gear: [O, Q], ratio: 2}}\n",
       "5:24: there is no joint 'Q'"},
      {"gear with itself", kTwoRods + "joints: {g: {gear: [O, O], ratio: 2}}\n",
       "5:20: gear 'g' couples joint 'O' to itself; name two different joints"},
      {"ratio of zero", kTwoRods + "joints: {g: {gear: [O, A], ratio: 0}}\n", "5:35: ratio must not be zero"},
      {"screw on a hinge",
       kPair + "  j: {revolute: [arm, base], at: arm.tip, axis: arm.n}\n  s: {screw: j, pitch: 5 mm}\n",
       "7:14: joint 'j' has no displacement; a screw needs a cylindrical joint"},
      {"rack on two hinges", kTwoRods + "joints: {r: {rack: [O, A], radius: 1}}\n",
       "5:24: joint 'A' has no displacement; name a prismatic or cylindrical joint"},
  });
}

TEST(ModelJoints, BadDriversSayWhereAndWhat) {
  const std::string drive = kTwoRods + "drivers:\n";
  expect_errors({
      {"no kind", drive + "  d: {equals: t}\n",
       "6:3: the driver 'd' has no kind; a driver is one of: angle, joint, distance, position"},
      {"nothing to follow", drive + "  d: {angle: crank}\n",
       "6:3: an angle driver needs the key 'equals'; say what it follows"},
      {"unknown body", drive + "  d: {angle: crnk, equals: t}\n",
       "6:14: there is no body or joint 'crnk'; did you mean 'crank'?"},
      {"point mass", drive + "  d: {angle: slider, equals: t}\n",
       "6:14: the point mass 'slider' has no angle"},
      {"unknown name", drive + "  d: {angle: crank, equals: 2*tt}\n",
       "6:31: equals: unknown name 'tt'; declare it as a parameter"},
      {"depends on the motion", drive + "  d: {angle: crank, equals: rocker.angle}\n",
       "6:29: equals: a driver cannot depend on 'rocker.angle'; a driver may use t, parameters and functions "
       "only"},
      {"unit", drive + "  d: {angle: crank, equals: 2 m}\n",
       "6:29: equals: '2 m' is in m, but rad is expected"},
      {"joint without coordinate", drive + "  d: {joint: B, equals: t}\n",
       "6:14: joint 'B' has no coordinate to drive"},
      {"ground", drive + "  d: {position: {body: ground, at: [1, 1]}, equals: [t, free]}\n",
       "6:17: position: a map is fixed to ground; drive a point of a moving body"},
      {"pinned to ground", drive + "  d: {position: O, equals: [t, free]}\n",
       "6:17: position: 'O' is fixed to ground; drive a point of a moving body, or {body: name, at: [x, y]}"},
      {"nothing driven", drive + "  d: {position: B, equals: [free, free]}\n",
       "6:28: driver 'd' drives nothing: every axis is free; give an axis an expression, or remove the "
       "driver"},
      {"one expression", drive + "  d: {position: B, equals: t}\n",
       "6:28: equals: expected 2 expressions, one per axis, found 't'; write [0.1*t, free]"},
      {"one point", drive + "  d: {distance: [O], equals: t}\n",
       "6:17: distance: expected two points, found a list; write distance: [P, Q]"},
      {"spatial angle",
       kSpatial + "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\ndrivers: {d: {angle: a, equals: t}}\n",
       "3:22: a spatial body such as 'a' has no single angle; drive a joint's angle"},
      {"two coordinates",
       kPair +
           "  c: {cylindrical: [arm, base], at: arm.tip, axis: arm.n}\ndrivers: {d: {joint: c, equals: t}}\n",
       "7:22: joint 'c' is cylindrical: it has two coordinates"},
  });
}

TEST(ModelJoints, OneAxisMakesOneFrameAtTheStart) {
  const Mechanism m = good_model(
      kSpatial +
      "bodies:\n"
      "  arm: {mass: 1, inertia: [1, 1, 1], at: [1, 2, 3], orientation: {euler-xyz: [0.3, 0.4, 0.5]}}\n"
      "  base: {mass: 1, inertia: [1, 1, 1], orientation: {axis: [1, 1, 0], angle: 2}}\n"
      "joints: {hinge: {revolute: [arm, base], at: [0, 0, 1], axis: [0, 2, 0], coordinate: 30 deg}}\n");
  const Joint& hinge = m.joints[0];
  const Frame a = in_world(m, hinge.markers[0]), b = in_world(m, hinge.markers[1]);
  EXPECT_TRUE(a.at.isApprox(Vec3(0, 0, 1), 1e-14));
  EXPECT_TRUE(a.at.isApprox(b.at, 1e-14));
  EXPECT_TRUE(a.axes.isApprox(b.axes, 1e-14));
  EXPECT_TRUE(a.axes.col(2).isApprox(Vec3::UnitY(), 1e-14));
  EXPECT_NEAR(a.axes.determinant(), 1, 1e-14);
  EXPECT_DOUBLE_EQ(hinge.offset, M_PI / 6);
}

TEST(ModelJoints, APairNamesAPlaceAndAnAxisOnEachBody) {
  const Mechanism m =
      good_model(kPair + "  j: {revolute: [arm, base], at: [arm.tip, base.hole], axis: [arm.n, base.n]}\n");
  EXPECT_EQ(m.joints[0].markers[0].frame.at, Vec3(1, 0, 0));
  EXPECT_EQ(m.joints[0].markers[1].frame.at, Vec3(0, 0, 0));
  EXPECT_TRUE(m.joints[0].markers[0].frame.axes.col(0).isApprox(m.joints[0].markers[1].frame.axes.col(0)));
  // axes on each body that differ: a common normal as x axis
  const Mechanism skew =
      good_model(kPair + "  j: {cylindrical: [arm, base], at: arm.tip, axis: [[0, 0, 1], [0, 1, 1]]}\n");
  EXPECT_TRUE(
      skew.joints[0].markers[0].frame.axes.col(0).isApprox(skew.joints[0].markers[1].frame.axes.col(0)));
  EXPECT_NEAR(skew.joints[0].markers[1].frame.axes.col(2).y(), std::sqrt(0.5), 1e-15);
}

TEST(ModelJoints, APointOfOneBodyIsCarriedToTheOther) {
  const Mechanism m = good_model(kPair + "  j: {spherical: [base, arm], at: arm.com}\n");
  EXPECT_EQ(m.joints[0].markers[0].frame.at, Vec3(-1, 0, 0));
  EXPECT_EQ(m.joints[0].markers[1].frame.at, Vec3(0, 0, 0));
}

TEST(ModelJoints, AJointAtASharedPointStandsForItsPin) {
  const std::string rods =
      kSpatial +
      "points: {O: {at: [0, 0, 0], on: ground}, A: [1, 0, 0], B: [1, 1, 0], C: [1, 0, 1]}\n"
      "bodies: {a: {rod: [O, A], mass: 1}, b: {rod: [A, B], mass: 1}, c: {rod: [A, C], mass: 1}}\n"
      "joints:\n"
      "  h: {revolute: [a, ground], at: O, axis: [0, 0, 1]}\n"
      "  k: {universal: [a, b], at: A, axes: [[0, 0, 1], [0, 1, 0]]}\n";
  const Mechanism two = good_model(rods);
  EXPECT_EQ(two.joint("O"), nullptr);
  // a and b are one at A: the pin holds only c to them
  ASSERT_EQ(two.joint("A")->markers.size(), 2U);
  EXPECT_EQ(two.joint("A")->markers[0].body, "a");
  EXPECT_EQ(two.joint("A")->markers[1].body, "c");
  EXPECT_EQ(good_model(rods + "  l: {spherical: [c, b], at: A}\n").joint("A"), nullptr);
}

TEST(ModelJoints, PlanarFrames) {
  const Mechanism m = good_model(kPlanar +
                                 "bodies:\n"
                                 "  a: {mass: 1, inertia: 1, angle: 0.5, points: {p: [1, 0]}}\n"
                                 "  b: {mass: 1, inertia: 1, angle: 0.2}\n"
                                 "joints:\n"
                                 "  turn: {revolute: [a, ground], at: a.p}\n"
                                 "  slide: {prismatic: [b, ground], axis: [0, 2], coordinate: 3 cm}\n"
                                 "  weld: {fixed: [a, b]}\n");
  // revolute: the bodies' own axes; sliding and fixed: one frame in the world
  EXPECT_EQ(m.joint("turn")->markers[0].frame.axes, Mat3::Identity());
  EXPECT_TRUE(in_world(m, m.joint("slide")->markers[0]).axes.col(0).isApprox(Vec3::UnitY()));
  EXPECT_TRUE(in_world(m, m.joint("slide")->markers[1]).axes.col(0).isApprox(Vec3::UnitY()));
  EXPECT_EQ(m.joint("slide")->offset, 0.03);
  EXPECT_TRUE(in_world(m, m.joint("weld")->markers[0]).axes.isApprox(Mat3::Identity()));
  EXPECT_TRUE(in_world(m, m.joint("weld")->markers[1]).axes.isApprox(Mat3::Identity()));
}

TEST(ModelJoints, PointsAtADistanceOnALineOnAPlane) {
  const Mechanism m = good_model(
      kTwoRods + "joints:\n  d: {distance: [O, B]}\n  l: {point-on-line: B, through: O, along: [0, 1]}\n");
  EXPECT_EQ(m.joint("d")->value, 2);
  EXPECT_EQ(m.joint("d")->markers[0].body, kGround);
  EXPECT_EQ(m.joint("l")->markers[0].body, "rocker");
  EXPECT_EQ(m.joint("l")->markers[1].body, kGround);
  EXPECT_TRUE(m.joint("l")->markers[1].frame.axes.col(0).isApprox(Vec3::UnitY()));
  const Mechanism s =
      good_model(kPair + "  p: {point-on-plane: arm.tip, through: [0, 0, 0], normal: [0, 1, 0], of: base}\n");
  EXPECT_TRUE(s.joints[0].markers[1].frame.axes.col(2).isApprox(Vec3::UnitY()));
  EXPECT_EQ(s.joints[0].markers[1].frame.at, Vec3(-1, 0, 0));
}

TEST(ModelJoints, CouplersMayStandBeforeTheirJoints) {
  const Mechanism m =
      good_model(kPair +
                 "  screw: {screw: c, pitch: 5 mm}\n"
                 "  c: {cylindrical: [arm, base], at: arm.tip, axis: arm.n}\n"
                 "  u: {universal: [base, ground], at: [0, 0, 0], axes: [[1, 0, 0.1], [0, 1, 0]]}\n"
                 "  flat: {planar: [base, ground], at: [0, 0, 0], normal: [0, 0, 1]}\n");
  EXPECT_EQ(m.joint("screw")->of, std::vector<std::string>{"c"});
  EXPECT_DOUBLE_EQ(m.joint("screw")->value, 0.005);
}

TEST(ModelJoints, DriversFollowExpressions) {
  const Mechanism m = good_model(kTwoRods +
                                 "parameters: {w: 60 rpm}\n"
                                 "drivers:\n"
                                 "  a: {angle: crank, equals: w*t}\n"
                                 "  b: {joint: A, equals: 30 deg}\n"
                                 "  c: {position: B, equals: [0.1*t, free]}\n"
                                 "  d: {distance: [O, B], equals: 1 + sin(t)}\n"
                                 "  e: {angle: O, equals: 0}\n");
  EXPECT_EQ(m.drivers[0].kind, Driver::Kind::body_angle);
  EXPECT_EQ(m.drivers[1].kind, Driver::Kind::joint);
  EXPECT_NEAR(std::stod(m.drivers[1].equals[0]), M_PI / 6, 1e-16);
  EXPECT_EQ(m.drivers[2].equals, (std::vector<std::string>{"0.1*t", ""}));
  EXPECT_EQ(m.drivers[3].markers.size(), 2U);
  EXPECT_EQ(m.drivers[3].markers[0].body, kGround);
  EXPECT_EQ(m.drivers[4].kind, Driver::Kind::joint);
}

}  // namespace
}  // namespace trammel::model::joints_test
