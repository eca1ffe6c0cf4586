// What a page draws is what the model says: every part is there, by name, where it stands.
#include "results/scene/scene.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>

#include "model/reader/test_cases.h"
#include "results/scene/base64.h"

namespace trammel::results::scene_test {
namespace {

using Json = nlohmann::ordered_json;

const std::string kMachine = model::kPlanar +
                             "gravity: [0, -9.81]\n"
                             "points: {O: {at: [0, 0], on: ground}, A: [3, 4], B: [9, 4]}\n"
                             "bodies:\n"
                             "  crank: {rod: [O, A], mass: 1}\n"
                             "  plate: {mass: 2, inertia: 4, at: [3, 4], com: [1, 0], carries: [A, B]}\n"
                             "joints: {rail: {point-on-line: B, through: [0, 4], along: [1, 0]}}\n"
                             "forces: {coil: {spring: [O, B], stiffness: 100, length: 2}}\n"
                             "drivers: {motor: {angle: crank, equals: 2*t}}\n";

TEST(Scene, HasEveryPartByName) {
  const Json scene = scene_json(model::good_model(kMachine));
  EXPECT_TRUE(scene["planar"]);
  EXPECT_EQ(scene["gravity"], Json({0.0, -9.81, 0.0}));
  EXPECT_EQ(scene["bodies"][0]["name"], "crank");
  EXPECT_EQ(scene["bodies"][0]["kind"], "rod");
  EXPECT_DOUBLE_EQ(scene["bodies"][0]["length"], 5);
  EXPECT_EQ(scene["bodies"][1]["kind"], "rigid");
  EXPECT_EQ(scene["bodies"][1]["com"], Json({1.0, 0.0, 0.0}));
  EXPECT_EQ(scene["points"].size(), 3u);
  EXPECT_EQ(scene["drivers"][0]["of"], "crank");
  EXPECT_EQ(scene["forces"][0]["kind"], "spring");
  EXPECT_EQ(scene["forces"][0]["stiffness"], 100.0);
  EXPECT_TRUE(scene["coordinates"].empty());
}

// A marker stands in its body's axes: B is at (9, 4), the plate at (3, 4) without turning.
TEST(Scene, MarkersStandInTheirBodies) {
  const Json scene = scene_json(model::good_model(kMachine));
  for (const Json& joint : scene["joints"]) {
    if (joint["name"] != "rail") continue;
    EXPECT_EQ(joint["kind"], "point-on-line");
    EXPECT_EQ(joint["markers"][0]["body"], "plate");
    EXPECT_EQ(joint["markers"][0]["at"], Json({6.0, 0.0, 0.0}));
    EXPECT_EQ(joint["markers"][1]["body"], "ground");
    return;
  }
  ADD_FAILURE() << "the joint 'rail' is missing: " << scene["joints"];
}

// The rod's own x axis points from O to A: a turn by atan2(4, 3) about z, whose cosine is 3/5.
TEST(Scene, PlacementsAreQuaternions) {
  const Json q = scene_json(model::good_model(kMachine))["bodies"][0]["placement"]["q"];
  EXPECT_NEAR(q[0].get<double>(), std::sqrt((1 + 0.6) / 2), 1e-15);
  EXPECT_NEAR(q[3].get<double>(), std::sqrt((1 - 0.6) / 2), 1e-15);
}

TEST(Scene, HasWhatIsDrawn) {
  const Json scene = scene_json(model::good_model(
      model::kSpatial +
      "bodies: {a: {mass: 1, inertia: [1, 1, 1], colour: [1, 0, 0.5], drawn: [{shape: sphere, radius: 2, "
      "center: [1, 2, 3], colour: [0, 1, 0, 0.25]}, {shape: mesh, file: gone.stl}]}}\n"
      "ground: {drawn: [{shape: box, size: [1, 2, 3]}]}\n"));
  const Json& body = scene["bodies"][0];
  EXPECT_EQ(body["colour"], Json({1.0, 0.0, 0.5, 1.0}));
  ASSERT_EQ(body["drawn"].size(), 2u);
  EXPECT_EQ(body["drawn"][0]["kind"], "sphere");
  EXPECT_EQ(body["drawn"][0]["at"], Json({1.0, 2.0, 3.0}));
  EXPECT_EQ(body["drawn"][0]["colour"], Json({0.0, 1.0, 0.0, 0.25}));
  EXPECT_EQ(body["drawn"][1]["missing"], "gone.stl");
  EXPECT_EQ(scene["notes"], Json({"the mesh 'gone.stl' is not there"}));
  EXPECT_EQ(scene["ground"]["drawn"][0]["size"], Json({1.0, 2.0, 3.0}));
  EXPECT_TRUE(scene["meshes"].empty());
}

// Vertices as they are scaled, in float32; the same file once, however often it is drawn.
TEST(Scene, MeshesAreSentOnce) {
  const auto folder = std::filesystem::temp_directory_path() / "trammel_scene_meshes";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "t.stl") << "solid t\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 3 0\nendsolid\n";
  const std::string file = (folder / "t.stl").string();
  const std::string mesh = "{shape: mesh, file: " + file;
  const Json scene = scene_json(
      model::good_model(model::kSpatial + "bodies: {a: {mass: 1, inertia: [1, 1, 1], drawn: [" + mesh +
                        "}, " + mesh + ", center: [1, 1, 1]}, " + mesh + ", scale: [1, -2, 1]}]}}\n"));
  const Json& drawn = scene["bodies"][0]["drawn"];
  EXPECT_EQ(drawn[0]["mesh"], 0);
  EXPECT_EQ(drawn[1]["mesh"], 0);
  EXPECT_EQ(drawn[2]["mesh"], 1);
  ASSERT_EQ(scene["meshes"].size(), 2u);
  EXPECT_EQ(scene["meshes"][1]["low"], Json({0.0, -6.0, 0.0}));
  EXPECT_EQ(scene["meshes"][1]["high"], Json({1.0, 0.0, 0.0}));
  const std::uint32_t turned[] = {0, 2, 1};
  EXPECT_EQ(scene["meshes"][1]["corners"], base64(std::as_bytes(std::span(turned))));
  std::filesystem::remove_all(folder);
}

// A homogeneous box of sides 2a, 2b, 2c has I = m/3 (b² + c², a² + c², a² + b²): its size is found again, in
// axes turned any way.
TEST(Scene, SizeIsThatOfAHomogeneousBox) {
  Body body;
  body.mass = 3;
  const Vec3 half(0.1, 0.2, 0.7);
  const Vec3 square = half.cwiseAbs2();
  const Vec3 moments = body.mass / 3 * (Vec3::Constant(square.sum()) - square);
  body.inertia = moments.asDiagonal();
  EXPECT_LT((body_size(body, false).half - half).norm(), 1e-15);
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  body.inertia = turn * body.inertia * turn.transpose();
  const BodySize turned = body_size(body, false);
  EXPECT_NEAR(turned.axes.determinant(), 1, 1e-14);
  // the box is the same whatever the order and sign of its axes; round-off of an eigenvalue problem
  const Mat3 found = turned.axes * turned.half.cwiseAbs2().asDiagonal() * turned.axes.transpose();
  const Mat3 wanted = turn * square.asDiagonal() * turn.transpose();
  EXPECT_LT((found - wanted).norm(), 1e-14);
}

// A planar body shows as the disk of its inertia, I = ½ m r².
TEST(Scene, PlanarSizeIsADisk) {
  Body body;
  body.mass = 2;
  body.inertia(2, 2) = 4;
  EXPECT_LT((body_size(body, true).half - Vec3(2, 2, 0)).norm(), 1e-15);
}

TEST(Scene, OwnCoordinatesHaveNothingToDraw) {
  const Json scene = scene_json(
      model::good_model("trammel: 1\ncoordinates: {theta: 0.1}\nmass: {theta: 1}\npotential: theta^2\n"));
  EXPECT_EQ(scene["coordinates"], Json({"theta"}));
  EXPECT_TRUE(scene["bodies"].empty());
}

}  // namespace
}  // namespace trammel::results::scene_test
