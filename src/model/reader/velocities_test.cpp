// Joints of velocities and speed drivers.
#include "model/reader/test_cases.h"

namespace trammel::model::velocities_test {
namespace {

const std::string kPlate =
    kPlanar +
    "points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [2, 3]}\n"
    "bodies: {crank: {rod: [O, A], mass: 1}, bob: {point: B, mass: 1, free: true}, plate: {mass: 1, inertia: "
    "1, "
    "at: [3, 1], angle: 90 deg, com: [0, 1], points: {p: [1, 0]}, vectors: {n: [1, 0]}, free: true}}\n"
    "joints:\n";
const std::string kPair =
    kSpatial +
    "bodies:\n"
    "  arm: {mass: 1, inertia: [1, 1, 1], points: {tip: [1, 0, 0]}, vectors: {n: [0, 0, 1]}}\n"
    "  base: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0], points: {hole: [0, 0, 0]}, free: true}\n"
    "joints:\n";

TEST(ModelVelocities, BadKnifeEdgesSayWhereAndWhat) {
  expect_errors({
      {"unknown body", kPlate + "  s: {knife-edge: plat, at: plate.p, along: [1, 0]}\n",
       "6:19: there is no body 'plat'; did you mean 'plate'?"},
      {"ground", kPlate + "  s: {knife-edge: ground, at: [0, 0], along: [1, 0]}\n",
       "6:19: joint 's' connects 'ground' to itself; name a moving body"},
      {"ground on a body", kPlate + "  s: {knife-edge: ground, at: [0, 0], along: [1, 0], on: plate}\n",
       "6:3: joint 's' holds ground, which does not move; name a moving body first"},
      {"no place", kPlate + "  s: {knife-edge: plate, along: [1, 0]}\n",
       "6:3: a knife-edge joint needs the key 'at'; say where: a place or a point of the body"},
      {"no direction", kPlate + "  s: {knife-edge: plate, at: plate.p}\n",
       "6:3: a knife-edge joint needs the key 'along'; give `along:` or `across:`"},
      {"both directions", kPlate + "  s: {knife-edge: plate, at: plate.p, along: [1, 0], across: [0, 1]}\n",
       "6:54: across: 's' has `along:` too; leave one of them out"},
      {"point mass", kPlate + "  s: {knife-edge: bob, at: B, along: [1, 0]}\n",
       "6:3: joint 's' holds the direction of the point mass 'bob', which has none"},
      {"another kind's key", kPlate + "  s: {knife-edge: plate, at: plate.p, along: [1, 0], radius: 1}\n",
       "6:54: 'radius' does not belong to a knife-edge joint"},
      {"on a rod in space",
       kSpatial + "points: {O: {at: [0, 0, 0], on: ground}, A: [1, 0, 0]}\n"
                  "bodies: {rod: {rod: [O, A], mass: 1}, box: {mass: 1, inertia: [1, 1, 1]}}\n"
                  "joints: {s: {knife-edge: box, at: [0, 0, 0], across: [0, 1, 0], on: rod}}\n",
       "4:10: joint 's' needs the rotation of the rod 'rod', which has none about its own axis; make it a "
       "rigid body"},
  });
}

TEST(ModelVelocities, BadWheelsSayWhereAndWhat) {
  expect_errors({
      {"no radius", kPlate + "  w: {rolling: plate, along: [1, 0]}\n",
       "6:3: a rolling joint needs the key 'radius'"},
      {"negative radius", kPlate + "  w: {rolling: plate, radius: -1, along: [1, 0]}\n",
       "6:31: the radius of 'w' is -1 m; give a positive radius"},
      {"no line", kPlate + "  w: {rolling: plate, radius: 1}\n",
       "6:3: a rolling joint needs the key 'along'; give `along:` or `normal:`"},
      {"axis in the plane", kPlate + "  w: {rolling: plate, radius: 1, along: [1, 0], axis: [0, 1]}\n",
       "6:49: axis: in the plane every wheel turns about z; leave it out"},
      {"line in space", kPair + "  w: {rolling: arm, radius: 1, along: [1, 0, 0], normal: [0, 0, 1]}\n",
       "6:32: along: in space a wheel rolls on a plane; give the plane's `normal:`"},
      {"no plane in space", kPair + "  w: {rolling: arm, radius: 1}\n",
       "6:3: a rolling joint needs the key 'normal'"},
      {"flat disk", kPair + "  w: {rolling: arm, radius: 1, axis: arm.n, normal: [0, 0, 1]}\n",
       "6:38: the disk of 'w' lies flat on its plane at the start; tilt it"},
      {"rod in space",
       kSpatial + "points: {O: {at: [0, 0, 0], on: ground}, A: [1, 0, 0]}\n"
                  "bodies: {rod: {rod: [O, A], mass: 1}}\n"
                  "joints: {w: {rolling: rod, radius: 1, normal: [0, 0, 1]}}\n",
       "4:10: joint 'w' needs the rotation of the rod 'rod'"},
      {"contact is a flag", kPlate + "  w: {rolling: plate, radius: 1, along: [1, 0], contact: 3}\n",
       "6:58: contact: there is no '3'; choose"},
  });
}

TEST(ModelVelocities, BadPursuitsAndSumsSayWhereAndWhat) {
  expect_errors({
      {"one point", kPlate + "  p: {pursuit: [B]}\n", "6:16: pursuit: expected two points, found a list"},
      {"ground pursues", kPlate + "  p: {pursuit: [O, B]}\n",
       "6:3: joint 'p' holds ground, which does not move"},
      {"pursuit in space", kPair + "  p: {pursuit: [arm.tip, base.hole]}\n",
       "6:3: pursuit 'p' is in space; tie the components of the velocity with two `velocity:` joints"},
      {"no speeds", kPlate + "  v: {velocity: {}}\n",
       "6:17: velocity: expected speeds and their coefficients, found a map"},
      {"a list", kPlate + "  v: {velocity: [crank.rate]}\n",
       "6:17: velocity: expected speeds and their coefficients, found a list"},
      {"a position", kPlate + "  v: {velocity: {crank.angle: 1}}\n",
       "6:17: 'crank.angle' of 'v' is no speed"},
      {"misspelt", kPlate + "  v: {velocity: {crank.rat: 1}}\n",
       "6:17: 'crank.rat' of 'v' is no speed; did you mean 'crank.rate'?"},
      {"a point of ground", kPlate + "  v: {velocity: {O.vx: 1, crank.rate: 1}}\n",
       "6:17: 'O.vx' of 'v' is always zero: ground carries the point; leave it out"},
      {"a speed as coefficient", kPlate + "  v: {velocity: {crank.rate: plate.rate}}\n",
       "6:30: crank.rate: a constraint of velocities cannot depend on 'plate.rate'; besides the speeds it "
       "ties it may use t, parameters, functions and positions"},
      {"an input", kPlate + "  v: {velocity: {crank.rate: 1}, equals: push}\ninputs: {push: 1}\n",
       "6:42: equals: a constraint of velocities cannot depend on 'push'"},
      {"a state", kPlate + "  v: {velocity: {crank.rate: lag}}\nstates: {lag: 1 - lag}\n",
       "6:30: crank.rate: a constraint of velocities cannot depend on 'lag'"},
      {"unknown name", kPlate + "  v: {velocity: {crank.rate: 1 + x}}\n",
       "6:34: crank.rate: unknown name 'x'"},
  });
}

TEST(ModelVelocities, BadSpeedDriversSayWhereAndWhat) {
  const std::string drive = kPlanar + kLink + "drivers:\n";
  expect_errors({
      {"unknown", drive + "  d: {speed: crnk, equals: 1}\n",
       "6:14: there is no body or joint 'crnk'; did you mean 'crank'?"},
      {"unit", drive + "  d: {speed: crank, equals: 2 m}\n",
       "6:29: equals: '2 m' is in m, but rad/s is expected"},
      {"depends on the motion", drive + "  d: {speed: crank, equals: crank.angle}\n",
       "6:29: equals: a driver cannot depend on 'crank.angle'"},
      {"spatial body",
       kSpatial + "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\ndrivers: {d: {speed: a, equals: t}}\n",
       "3:22: a spatial body such as 'a' has no single angle; drive a joint's speed"},
  });
}

TEST(ModelVelocities, KnifeEdges) {
  const Mechanism m = good_model(kPlate +
                                 "  a: {knife-edge: plate, at: plate.p, along: plate.n}\n"
                                 "  b: {knife-edge: plate, at: [3, 1], across: [0, 1], on: crank}\n");
  const Joint &a = *m.joint("a"), &b = *m.joint("b");
  EXPECT_EQ(a.kind, Joint::Kind::knife_edge);
  EXPECT_TRUE(a.markers[0].frame.at.isApprox(Vec3(1, 0, 0), 1e-14));
  EXPECT_TRUE(a.markers[0].frame.axes.isIdentity(1e-14));  // x along the edge
  EXPECT_EQ(a.markers[1].body, kGround);
  EXPECT_EQ(b.markers[1].body, "crank");
  EXPECT_TRUE(b.markers[1].frame.axes.col(1).isApprox(Vec3::UnitY(), 1e-14));
  const Mechanism s = good_model(kPair +
                                 "  a: {knife-edge: arm, at: arm.tip, along: [1, 0, 0]}\n"
                                 "  b: {knife-edge: base, at: base.hole, across: [0, 1, 0]}\n");
  EXPECT_EQ(s.joint("a")->kind, Joint::Kind::velocity_along);
  EXPECT_TRUE(s.joint("a")->markers[0].frame.axes.col(0).isApprox(Vec3::UnitX(), 1e-14));
  EXPECT_EQ(s.joint("b")->kind, Joint::Kind::knife_edge);
  EXPECT_TRUE(s.joint("b")->markers[0].frame.axes.col(1).isApprox(Vec3::UnitY(), 1e-14));
}

TEST(ModelVelocities, Wheels) {
  const Mechanism m = good_model(
      kPlate +
      "  a: {rolling: plate, radius: 10 cm, through: [0, 0], normal: [0, -1]}\n"
      "  b: {rolling: plate, radius: 0.5, center: plate.p, along: [1, 0], on: crank, contact: false}\n");
  const Joint &a = *m.joint("a"), &b = *m.joint("b");
  EXPECT_DOUBLE_EQ(a.value, 0.1);
  EXPECT_TRUE(a.keeps_contact);
  EXPECT_EQ(a.markers[0].frame.at, Vec3(0, 1, 0));  // the centre of mass
  // the normal is the y axis, turned to the wheel's side
  EXPECT_TRUE(a.markers[1].frame.axes.col(1).isApprox(Vec3::UnitY(), 1e-14));
  EXPECT_FALSE(b.keeps_contact);
  EXPECT_EQ(b.markers[0].frame.at, Vec3(1, 0, 0));
  // touches at the start: p stands at [3, 2], the line half a metre below
  EXPECT_TRUE(b.markers[1].frame.at.isApprox(Vec3(3, 1.5, 0), 1e-14));
}

TEST(ModelVelocities, BallsAndDisks) {
  const Mechanism m = good_model(kPair +
                                 "  a: {rolling: arm, radius: 1, normal: [0, 0, 1], through: [0, 0, -1]}\n"
                                 "  b: {rolling: base, radius: 1, axis: [0, 3, 4], normal: [0, 0, 1]}\n");
  EXPECT_EQ(m.joint("a")->kind, Joint::Kind::rolling);
  EXPECT_EQ(m.joint("a")->markers[1].frame.at, Vec3(0, 0, -1));
  const Joint& b = *m.joint("b");
  EXPECT_EQ(b.kind, Joint::Kind::rolling_disk);
  EXPECT_TRUE(b.markers[0].frame.axes.col(2).isApprox(Vec3(0, 0.6, 0.8), 1e-14));
  // leaning: the lowest point of its rim
  EXPECT_TRUE(b.markers[1].frame.at.isApprox(Vec3(1, 0.8, -0.6), 1e-14));
}

TEST(ModelVelocities, PursuitsSumsAndSpeeds) {
  const std::string repeated =
      kPlanar +
      "points: {q1: [0, 0], q2: [1, 0]}\nbodies: {a: {point: q1, mass: 1}, b: {point: q2, mass: 1}}\n"
      "joints: {\"w{i}\": {for: {i: 1..2}, velocity: {\"q{i}.vx\": i}}}\n";
  EXPECT_EQ(good_model(repeated).joint("w2")->of, std::vector<std::string>{"q2.vx"});
  EXPECT_EQ(good_model(repeated).joint("w2")->law[0], "2");
  const Mechanism m = good_model(kPlate +
                                 "  p: {pursuit: [plate.p, B]}\n"
                                 "  v: {velocity: {crank.rate: R*t, B.vx: 2}, equals: crank.angle}\n"
                                 "drivers:\n"
                                 "  d: {speed: crank, equals: 60 rpm}\n"
                                 "  e: {speed: O, equals: t}\n"
                                 "parameters: {R: 0.3 m}\n");
  EXPECT_EQ(m.joint("p")->markers[0].body, "plate");
  EXPECT_EQ(m.joint("v")->of, (std::vector<std::string>{"crank.rate", "B.vx"}));
  EXPECT_EQ(m.joint("v")->law, (std::vector<std::string>{"R*t", "2", "crank.angle"}));
  EXPECT_TRUE(m.drivers[0].of_speed);
  EXPECT_EQ(m.drivers[0].kind, Driver::Kind::body_angle);
  EXPECT_NEAR(std::stod(m.drivers[0].equals[0]), 2 * M_PI, 1e-15);
  EXPECT_EQ(m.drivers[1].kind, Driver::Kind::joint);
}

}  // namespace
}  // namespace trammel::model::velocities_test
