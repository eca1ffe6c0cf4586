// Points, rods, point masses and rigid bodies.
#include <Eigen/LU>
#include <cmath>

#include "model/reader/test_cases.h"

namespace trammel::model::bodies_test {
namespace {

TEST(ModelBodies, BadOnesSayWhereAndWhat) {
  expect_errors(
      {{"misspelt key",
        kPlanar +
            "points: {O: {at: [0, 0], on: ground}, A: [1, 0]}\nbodies:\n  crank: {rod: [O, A], mas: 1}\n",
        "5:24: unknown key 'mas'; did you mean 'mass'?"},
       {"missing key",
        kPlanar + "points: {O: {at: [0, 0], on: ground}, A: [1, 0]}\nbodies:\n  crank: {rod: [O, A]}\n",
        "5:3: a rod needs the key 'mass'; add `mass:`"},
       {"key of another kind",
        kPlanar + "points: {O: {at: [0, 0], on: ground}, A: [1, 0]}\nbodies:\n  crank: {rod: [O, A], mass: "
                  "1, inertia: 2}\n",
        "5:33: 'inertia' does not belong to a rod; a rod has: rod, mass, length"},
       {"misspelt kind",
        kPlanar +
            "points: {O: {at: [0, 0], on: ground}, A: [1, 0]}\nbodies:\n  crank: {rodd: [O, A], mass: 1}\n",
        "5:11: unknown key 'rodd'; did you mean 'rod'?"},
       {"text for a body", kPlanar + "bodies: {crank: rod}\n",
        "3:17: expected the keys of a rigid body, found 'rod'"},
       {"missing point",
        kPlanar +
            "points: {O: {at: [0, 0], on: ground}, tip: [1, 0]}\nbodies: {crank: {rod: [O, tap], mass: 1}}\n",
        "4:27: there is no point 'tap'; did you mean 'tip'?"},
       {"body for a point",
        kPlanar + "points: {O: {at: [0, 0], on: ground}, A: [1, 0]}\nbodies: {a: {rod: [O, A], mass: 1}, b: "
                  "{point: a, mass: 1}}\n",
        "4:48: there is no point 'a'; 'a' is a body"},
       {"rod of one point",
        kPlanar + "points: {O: {at: [0, 0], on: ground}}\nbodies: {crank: {rod: [O, O], mass: 1}}\n",
        "4:23: rod: 'O' and 'O' are at the same place; give its two ends different places"},
       {"three ends",
        kPlanar + "points: {O: {at: [0, 0], on: ground}}\nbodies: {crank: {rod: [O, O, O], mass: 1}}\n",
        "4:23: rod: expected 2 names, found 3 of them; write [a, b]"},
       {"negative mass",
        kPlanar +
            "points: {O: {at: [0, 0], on: ground}, A: [1, 0]}\nbodies: {crank: {rod: [O, A], mass: -2 kg}}\n",
        "4:37: the mass of 'crank' is -2 kg; give a mass of zero or more"},
       {"no mass", kPlanar + "bodies: {plate: {mass: 0, inertia: 1}}\n",
        "3:24: the mass of 'plate' is 0 kg; give a positive mass"},
       {"negative length",
        kPlanar + "points: {O: {at: [0, 0], on: ground}, A: [1, 0]}\nbodies: {crank: {rod: [O, A], mass: 1, "
                  "length: -1 m}}\n",
        "4:48: the length of 'crank' is -1 m; give a positive length"},
       {"no inertia in the plane", kPlanar + "bodies: {plate: {mass: 1, inertia: 0}}\n",
        "3:36: the inertia of 'plate' is 0 kg.m²; give a positive number; a mass without extent"},
       {"inertia missing", kPlanar + "bodies: {plate: {mass: 1}}\n",
        "3:10: a rigid body needs the key 'inertia'; give it about the centre of mass"},
       {"triangle", kSpatial + "bodies: {top: {mass: 1, inertia: [1, 1, 3]}}\n",
        "2:34: no body has the inertia of 'top': of its principal moments 1, 1, 3 kg.m² the two smaller must "
        "add up to the largest or more"},
       {"not positive definite",
        kSpatial + "bodies: {top: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1, xy: 2}}}\n",
        "2:34: the inertia of 'top' is not positive definite: its principal moments are -1, 1, 3 kg.m²"},
       {"not symmetric", kSpatial + "bodies: {top: {mass: 1, inertia: [[1, 0, 0], [1, 1, 0], [0, 0, 1]]}}\n",
        "2:34: inertia: the tensor is not symmetric; make each entry equal to its mirror image"},
       {"number for a tensor", kSpatial + "bodies: {top: {mass: 1, inertia: 2}}\n",
        "2:34: inertia: expected a tensor, found '2'; in space write [Ixx, Iyy, Izz]"},
       {"angle in space", kSpatial + "bodies: {top: {mass: 1, inertia: [1, 1, 1], angle: 1}}\n",
        "2:45: angle: one angle does not place a spatial body; write orientation:"},
       {"orientation in the plane", kPlanar + "bodies: {top: {mass: 1, inertia: 1, orientation: {}}}\n",
        "3:37: orientation: a planar body has an angle; write angle: 30 deg"},
       {"rotor in the plane", kPlanar + "bodies: {top: {mass: 1, inertia: 1, rotor: {}}}\n",
        "3:37: rotor: a rotor has no effect in the plane"},
       {"orientation twice",
        kSpatial + "bodies: {top: {mass: 1, inertia: [1, 1, 1], orientation: {quaternion: [1, 0, 0, 0], x: "
                   "[1, 0, 0]}}}\n",
        "2:58: orientation: given in more than one way; keep one"},
       {"parallel axes",
        kSpatial +
            "bodies: {top: {mass: 1, inertia: [1, 1, 1], orientation: {x: [1, 0, 0], y: [2, 0, 0]}}}\n",
        "2:58: orientation: x and y point the same way"},
       {"zero quaternion",
        kSpatial + "bodies: {top: {mass: 1, inertia: [1, 1, 1], orientation: {quaternion: [0, 0, 0, 0]}}}\n",
        "2:71: quaternion: it must not be zero"},
       {"zero rotor axis",
        kSpatial +
            "bodies: {top: {mass: 1, inertia: [1, 1, 1], rotor: {axis: [0, 0, 0], inertia: 1, speed: 1}}}\n",
        "2:59: axis: a direction must not be zero; give a vector along it"},
       {"point on a body",
        kPlanar + "points: {O: {at: [0, 0], on: plate}}\nbodies: {plate: {mass: 1, inertia: 1}}\n",
        "3:30: on: 'plate' is not ground; list the point under `carries:` of body 'plate'"},
       {"point of nobody", kPlanar + "points: {P: [0, 0]}\nbodies: {plate: {mass: 1, inertia: 1}}\n",
        "3:10: no body carries point 'P'; use it in a body"},
       {"carried twice",
        kPlanar + "points: {P: [0, 0]}\nbodies: {plate: {mass: 1, inertia: 1, carries: [P, P]}}\n",
        "4:52: body 'plate' carries point 'P' twice; name it once"},
       {"list of own points", kPlanar + "bodies: {plate: {mass: 1, inertia: 1, points: [P]}}\n",
        "3:47: points: expected names and places in body axes, found a list"},
       {"disconnected",
        kPlanar + "points: {O: {at: [0, 0], on: ground}, A: [1, 0]}\nbodies:\n  crank: {rod: [O, A], mass: "
                  "1}\n  loose: {mass: 1, inertia: 1}\n",
        "6:3: body 'loose' is connected to nothing; add a joint or a force, share a point with another body, "
        "or say free: true"}});
}

TEST(ModelBodies, ARodIsSlenderAndLiesAlongX) {
  const Mechanism m = good_model(kPlanar +
                                 "points: {O: {at: [1, 1], on: ground}, A: [1, 3]}\nbodies: {crank: {rod: "
                                 "[O, A], mass: 6, length: 1}}\n");
  const Body& rod = m.bodies[0];
  EXPECT_EQ(rod.kind, Body::Kind::rod);
  EXPECT_EQ(rod.length, 1);
  EXPECT_TRUE(rod.com.isApprox(Vec3(0.5, 0, 0)));
  EXPECT_DOUBLE_EQ(rod.inertia(2, 2), 0.5);
  EXPECT_EQ(rod.inertia(1, 1), 0);
  EXPECT_TRUE(rod.placement.at.isApprox(Vec3(1, 1, 0)));
  EXPECT_TRUE(rod.placement.axes.col(0).isApprox(Vec3::UnitY()));
  EXPECT_TRUE(rod.placement.axes.col(2).isApprox(Vec3::UnitZ()));
  // its ends are where its own length puts them
  EXPECT_TRUE(m.points[1].on[0].frame.at.isApprox(Vec3(1, 0, 0)));
}

TEST(ModelBodies, ASpatialRodHasNoInertiaAboutItself) {
  const Mechanism m = good_model(
      kSpatial +
      "points: {O: {at: [0, 0, 0], on: ground}, A: [0, 0, 2]}\nbodies: {crank: {rod: [O, A], mass: 3}}\n");
  EXPECT_TRUE(m.bodies[0].inertia.diagonal().isApprox(Vec3(0, 1, 1)));
  EXPECT_TRUE(m.bodies[0].placement.axes.col(0).isApprox(Vec3::UnitZ()));
  EXPECT_NEAR(m.bodies[0].placement.axes.determinant(), 1, 1e-15);
}

TEST(ModelBodies, ASharedPointIsAPinWithGroundLast) {
  const Mechanism m =
      good_model(kPlanar +
                 "points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [2, 0]}\n"
                 "bodies: {a: {rod: [O, A], mass: 1}, b: {rod: [A, B], mass: 1}, c: {point: A, mass: 0}}\n");
  ASSERT_EQ(m.joints.size(), 2U);
  EXPECT_EQ(m.joint("O")->markers[0].body, "a");
  EXPECT_EQ(m.joint("O")->markers[1].body, kGround);
  EXPECT_EQ(m.joint("A")->kind, Joint::Kind::pin);
  ASSERT_EQ(m.joint("A")->markers.size(), 3U);
  EXPECT_EQ(m.joint("A")->markers[2].body, "c");
  // a point of one body is only a place
  EXPECT_EQ(m.joint("B"), nullptr);
  EXPECT_EQ(m.point("B")->on.size(), 1U);
}

TEST(ModelBodies, CarriedPointsStandWhereTheyAreOrWhereTheBodySays) {
  const Mechanism m = good_model(kPlanar +
                                 "points: {A: [1, 2], B: [5, 5]}\n"
                                 "bodies:\n"
                                 "  a: {mass: 1, inertia: 1, at: [1, 0], angle: 90 deg, carries: [A]}\n"
                                 "  b: {mass: 1, inertia: 1, at: A, carries: {A: [0, 0], B: [3, 4]}}\n");
  EXPECT_TRUE(m.points[0].on[0].frame.at.isApprox(Vec3(2, 0, 0)));
  EXPECT_TRUE(m.points[1].on[0].frame.at.isApprox(Vec3(3, 4, 0)));
  EXPECT_TRUE(m.body("b")->placement.at.isApprox(Vec3(1, 2, 0)));
}

TEST(ModelBodies, ARigidBodyHasFramePointsVectorsAndRotor) {
  const Mechanism m = good_model(kSpatial +
                                 "bodies:\n"
                                 "  top:\n"
                                 "    mass: 2 kg\n"
                                 "    inertia: {xx: 2, yy: 3, zz: 4, xy: 0.5}\n"
                                 "    com: [0, 0, 10 cm]\n"
                                 "    orientation: {axis: [0, 0, 2], angle: 90 deg}\n"
                                 "    points: {tip: [1, 0, 0]}\n"
                                 "    vectors: {n: [0, 3, 4]}\n"
                                 "    rotor: {axis: [0, 0, 1], inertia: 0.01, speed: 3000 rpm}\n");
  const Body& top = m.bodies[0];
  EXPECT_EQ(top.inertia(0, 1), 0.5);
  EXPECT_EQ(top.inertia(1, 0), 0.5);
  EXPECT_DOUBLE_EQ(top.com.z(), 0.1);
  EXPECT_TRUE(top.placement.axes.col(0).isApprox(Vec3::UnitY()));
  EXPECT_TRUE(top.vectors.at("n").isApprox(Vec3(0, 0.6, 0.8)));
  EXPECT_DOUBLE_EQ(top.rotor->speed, 100 * M_PI);
}

TEST(ModelBodies, OrientationsAgree) {
  const auto axes = [](const std::string& orientation) {
    return good_model(kSpatial +
                      "bodies: {a: {mass: 1, inertia: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], orientation: " +
                      orientation + "}}\n")
        .bodies[0]
        .placement.axes;
  };
  const Mat3 quarter = axes("{axis: [0, 0, 1], angle: pi/2}");
  EXPECT_TRUE(axes("{quaternion: [1, 0, 0, 1]}").isApprox(quarter));
  EXPECT_TRUE(axes("{euler-xyz: [0, 0, 90 deg]}").isApprox(quarter));
  EXPECT_TRUE(axes("{x: [0, 2, 0], y: [-1, 1, 0]}").isApprox(quarter));
  // first about x, then about the new y: the body's z axis ends along −y, turned by the second angle
  EXPECT_TRUE(axes("{euler-xyz: [90 deg, 90 deg, 0]}").col(0).isApprox(Vec3::UnitY()));
}

TEST(ModelBodies, OneFreeBodyIsAMechanism) {
  good_model(kSpatial + "bodies: {top: {mass: 1, inertia: [1, 2, 3]}}\n");
  good_model(kPlanar + kLink.substr(0, kLink.size() - 2) + ", stone: {mass: 1, inertia: 1, free: true}}\n");
}

}  // namespace
}  // namespace trammel::model::bodies_test
