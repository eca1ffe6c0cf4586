// Points, rods, point masses and rigid bodies.
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>

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

TEST(ModelBodies, ShapesGiveMassAndInertia) {
  const Mechanism m = good_model(
      kSpatial +
      "bodies:\n"
      "  a: {shape: box, size: [0.1, 0.2, 0.3], mass: 6, center: [1, 0, 0], free: true}\n"
      "  b: {shape: cylinder, radius: 0.1, length: 0.5, axis: [1, 0, 0], density: 1000, free: true}\n"
      "  c: {shape: sphere, radius: 0.1, mass: 2, free: true}\n"
      "  d: {shape: capsule, radius: 0.1, length: 0.4, density: 500 kg/m^3, free: true}\n");
  EXPECT_EQ(m.bodies[0].com, Vec3(1, 0, 0));
  EXPECT_NEAR(m.bodies[0].inertia(0, 0), 6 * (0.04 + 0.09) / 12, 1e-15);
  const double mass = 1000 * M_PI * 0.01 * 0.5;
  EXPECT_NEAR(m.bodies[1].mass, mass, 1e-12);
  EXPECT_NEAR(m.bodies[1].inertia(0, 0), mass * 0.01 / 2, 1e-12);
  EXPECT_NEAR(m.bodies[1].inertia(2, 2), mass * (0.03 + 0.25) / 12, 1e-12);
  EXPECT_NEAR(m.bodies[2].inertia(1, 1), 0.4 * 2 * 0.01, 1e-15);
  EXPECT_NEAR(m.bodies[3].mass, 500 * M_PI * 0.01 * (0.4 + 4 * 0.1 / 3), 1e-12);
  // Written and read again they are the same.
  const Mechanism again = good_model(write_model(m));
  for (std::size_t k = 0; k < 4; ++k) {
    ASSERT_TRUE(again.bodies[k].shape) << k;
    EXPECT_EQ(again.bodies[k].shape->kind, m.bodies[k].shape->kind);
    EXPECT_TRUE(again.bodies[k].inertia.isApprox(m.bodies[k].inertia, 1e-14)) << k;
    EXPECT_EQ(again.bodies[k].mass, m.bodies[k].mass);
  }
  const Mechanism plane = good_model(
      kPlanar +
      "bodies: {a: {shape: cylinder, radius: 0.2, mass: 3, free: true}, b: {shape: box, size: [1, 2], "
      "mass: 12, free: true}, c: {shape: capsule, radius: 0.1, length: 0.3, mass: 1, free: true}}\n");
  EXPECT_NEAR(plane.bodies[0].inertia(2, 2), 3 * 0.04 / 2, 1e-15);
  EXPECT_NEAR(plane.bodies[1].inertia(2, 2), 5, 1e-14);
  EXPECT_TRUE(good_model(write_model(plane)).bodies[0].shape);
}

// The text of an STL file of a tetrahedron with corners at 0 and the unit vectors.
std::string tetrahedron(bool open, bool inverted) {
  const char* corners[] = {"0 0 0", "1 0 0", "0 1 0", "0 0 1"};
  std::string text = "solid t\n";
  for (const auto& [a, b, c] :
       {std::array{0, 2, 1}, std::array{0, 1, 3}, std::array{0, 3, 2}, std::array{1, 2, 3}}) {
    if (open && a == 1) continue;
    text += "facet normal 0 0 0\nouter loop\n";
    for (const int k : {a, inverted ? c : b, inverted ? b : c})
      text += std::string("vertex ") + corners[k] + "\n";
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid t\n";
}

TEST(ModelBodies, MeshesFromFiles) {
  const auto folder = std::filesystem::temp_directory_path() / "trammel_meshes";
  std::filesystem::create_directories(folder);
  const auto save = [&](const char* name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return (folder / name).string();
  };
  const auto body = [&](const std::string& file, const char* more = "") {
    return kSpatial + "bodies: {a: {shape: mesh, file: " + file + ", density: 60" + more + ", free: true}}\n";
  };
  // V = 1/6, centre 1/4, I about it: 60·(2·1/60 − 2·1/96) = 2 − 1.25 on the diagonal
  const Mechanism m = good_model(body(save("t.stl", tetrahedron(false, false))));
  EXPECT_NEAR(m.bodies[0].mass, 10, 1e-12);
  EXPECT_LT((m.bodies[0].com - Vec3::Constant(0.25)).norm(), 1e-14);
  EXPECT_NEAR(m.bodies[0].inertia(0, 0), 0.75, 1e-13);
  EXPECT_NEAR(m.bodies[0].inertia(0, 1), 0.125, 1e-13);
  // The same as OBJ, with a face of four corners and indices from the end, in millimetres.
  const Mechanism cube = good_model(body(
      save("c.obj",
           "# a cube\nv 0 0 0\nv 1000 0 0\nv 1000 1000 0\nv 0 1000 0\nv 0 0 1000\nv 1000 0 1000\n"
           "v 1000 1000 1000\nv 0 1000 1000\nf 4 3 2 1\nf 5 6 7 8\nf 1/1 2/2 6/3 5\nf 2 3 7 6\nf 3 4 8 7\n"
           "f -8 -4 -1 -5\n"),
      ", scale: 1e-3"));
  EXPECT_NEAR(cube.bodies[0].mass, 60, 1e-11);
  EXPECT_NEAR(cube.bodies[0].inertia(2, 2), 10, 1e-11);
  // Binary STL: 80 bytes, the count, 50 bytes for each triangle.
  std::string binary(80, ' ');
  const auto put = [&](const auto value) {
    binary.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  put(std::uint32_t{4});
  for (const auto& t : {std::array{0, 2, 1}, std::array{0, 1, 3}, std::array{0, 3, 2}, std::array{1, 2, 3}}) {
    for (int k = 0; k < 3; ++k) put(0.0F);
    for (const int k : t)
      for (const float x : corners[k]) put(x);
    put(std::uint16_t{0});
  }
  EXPECT_NEAR(good_model(body(save("b.stl", binary))).bodies[0].mass, 10, 1e-12);
  const auto error = [&](const std::string& file) { return errors_of(body(file)); };
  EXPECT_NE(error(save("o.stl", tetrahedron(true, false)))
                .find("it has 3 triangles; a closed surface has four or more"),
            std::string::npos);
  EXPECT_NE(error(save("i.stl", tetrahedron(false, true))).find("its triangles face inwards; turn them"),
            std::string::npos);
  EXPECT_NE(error(save("x.stl", "hello")).find("it is neither STL, OBJ nor DAE"), std::string::npos);
  EXPECT_NE(error(save("y.obj", "v 0 0 0\nf 1 2 3\n")).find("line 2 'f 1 2 3' is no vertex or face"),
            std::string::npos);
  EXPECT_NE(error("nowhere.stl").find("'nowhere.stl': there is no such file"), std::string::npos);
}

TEST(ModelBodies, BadShapesSayWhereAndWhat) {
  const auto body = [](const std::string& text) {
    return kSpatial + "bodies: {a: {" + text + ", free: true}}\n";
  };
  expect_errors({
      {"unknown", body("shape: cone, mass: 1"),
       "2:21: shape: there is no 'cone'; choose one of: box, cylinder, sphere, capsule, mesh"},
      {"inertia too", body("shape: sphere, radius: 1, mass: 1, inertia: [1, 1, 1]"),
       "2:49: inertia: it follows from the shape; leave it out, or leave the shape out"},
      {"not its key", body("shape: sphere, radius: 1, mass: 1, length: 2"),
       "2:49: length: a sphere has no length; leave it out"},
      {"no mass", body("shape: sphere, radius: 1"),
       "2:10: a rigid body needs the key 'mass'; give mass: or density:"},
      {"both", body("shape: sphere, radius: 1, mass: 1, density: 2"),
       "2:49: density: the mass is given already; keep mass: or density:"},
      {"flat", body("shape: box, size: [1, 0, 1], mass: 1"), "2:32: size: 0 m is not positive"},
      {"negative", body("shape: sphere, radius: -1, mass: 1"), "2:37: radius: -1 is not positive"},
      {"without a shape", body("mass: 1, inertia: [1, 1, 1], radius: 2"),
       "2:43: radius: only a body with a shape has it; write shape: box"},
  });
}

}  // namespace
}  // namespace trammel::model::bodies_test
