// What URDF, MJCF and SDF files show of bodies becomes `drawn:` of the model, at the right place.
#include <gtest/gtest.h>

#include "model/import/import_testing.h"

namespace trammel::model::visuals_test {
namespace {

const std::string kTriangle =
    "solid t\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 0\nvertex 0 1 0\nvertex 0 0 1\nendsolid\n";

// An arm on a base, its first link turned by 90 degrees about z and lifted by one.
std::string urdf(const std::string& visuals, const std::string& more = "") {
  return "<robot name=\"r\">" + more +
         "<link name=\"base\"><visual><geometry><box size=\"1 1 0.1\"/></geometry></visual></link>"
         "<joint name=\"j\" type=\"continuous\"><parent link=\"base\"/><child link=\"arm\"/>"
         "<origin xyz=\"0 0 1\" rpy=\"0 0 1.5707963267948966\"/><axis xyz=\"0 0 1\"/></joint>"
         "<link name=\"arm\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" "
         "izz=\"1\"/></inertial>" +
         visuals + "</link></robot>\n";
}

TEST(Visuals, OfUrdf) {
  const std::string text = urdf(
      "<visual name=\"v\"><origin xyz=\"1 0 0\" rpy=\"0 0 0\"/><geometry><cylinder radius=\"0.1\" "
      "length=\"2\"/></geometry><material name=\"paint\"/></visual>"
      "<visual><geometry><sphere radius=\"0.2\"/></geometry><material name=\"x\"><color rgba=\"0 1 0 "
      "0.5\"/><texture filename=\"a.png\"/></material></visual>",
      "<material name=\"paint\"><color rgba=\"1 0.5 0 1\"/></material>");
  const Mechanism m = imported_model("v.urdf", text);
  ASSERT_EQ(m.bodies.size(), 1U);
  const auto& drawn = m.bodies[0].drawn;
  ASSERT_EQ(drawn.size(), 2U);
  EXPECT_EQ(drawn[0].shape.kind, Shape::Kind::cylinder);
  EXPECT_EQ(drawn[0].shape.size, Vec3(0.1, 2, 0));
  EXPECT_LT((drawn[0].shape.place.at - Vec3(1, 0, 0)).norm(), 1e-15);
  EXPECT_EQ(*drawn[0].colour, (Colour{1, 0.5, 0, 1}));
  EXPECT_EQ(*drawn[1].colour, (Colour{0, 1, 0, 0.5}));
  // the root stands on ground
  ASSERT_EQ(m.ground.size(), 1U);
  EXPECT_EQ(m.ground[0].shape.size, Vec3(1, 1, 0.1));
  const Imported found = imported("v.urdf", text);
  EXPECT_EQ(entry_of(found, "robot[r]/link[arm]/visual[v]").outcome, Treatment::drawn);
  EXPECT_EQ(entry_of(found, "robot[r]/link[arm]/visual[v]/origin@xyz").outcome, Treatment::drawn);
  const LedgerEntry texture = entry_of(found, "robot[r]/link[arm]/visual/material[x]/texture@filename");
  EXPECT_EQ(texture.outcome, Treatment::ignored);
  EXPECT_FALSE(texture.matters);
  EXPECT_TRUE(found.notes.empty());
}

TEST(Visuals, MeshesOfUrdfByTheirPackages) {
  const ImportFiles files;
  const auto folder = std::filesystem::path(files.write("here", "")).parent_path();
  std::filesystem::create_directories(folder / "my_robot/urdf");
  std::filesystem::create_directories(folder / "my_robot/meshes");
  files.write("my_robot/meshes/a.stl", kTriangle);
  const auto visual = [](const std::string& uri) {
    return "<visual><geometry><mesh filename=\"" + uri + "\" scale=\"2 2 2\"/></geometry></visual>";
  };
  const std::string path =
      files.write("my_robot/urdf/r.urdf", urdf(visual("package://my_robot/meshes/a.stl") +
                                               visual("../meshes/a.stl") + visual("package://other/b.stl")));
  const Imported found = import_model(path);
  const ModelInput input = read_imported(found);
  ASSERT_TRUE(input.errors.empty()) << error_texts(input.errors);
  const auto& drawn = input.mechanism.bodies[0].drawn;
  ASSERT_EQ(drawn.size(), 3U);
  EXPECT_EQ(drawn[0].shape.file, "../meshes/a.stl");
  EXPECT_EQ(drawn[0].shape.scale, Vec3(2, 2, 2));
  EXPECT_EQ(drawn[1].shape.file, drawn[0].shape.file);
  ASSERT_TRUE(drawn[0].surface);
  EXPECT_EQ(drawn[0].surface, drawn[1].surface);
  EXPECT_EQ(drawn[0].surface->drawn(100).mesh->triangles.size(), 2U);
  // one that is not there is a note, and ignored in the ledger
  EXPECT_FALSE(drawn[2].surface);
  ASSERT_EQ(input.notes.size(), 1U);
  EXPECT_NE(input.notes[0].find("the file is not there: 'package://other/b.stl' of 'arm'"), std::string::npos)
      << input.notes[0];
  // A model elsewhere names the mesh from there.
  ImportOptions elsewhere;
  elsewhere.model_folder = folder.string();
  const ModelInput moved = read_imported(import_model(path, elsewhere));
  EXPECT_EQ(moved.mechanism.bodies[0].drawn[0].shape.file, "my_robot/meshes/a.stl");
  EXPECT_TRUE(moved.mechanism.bodies[0].drawn[0].surface);
}

TEST(Visuals, WhatIsNoShapeIsIgnored) {
  const Imported found = imported(
      "v.urdf", urdf("<visual name=\"a\"/><visual name=\"b\"><geometry><cone radius=\"1\"/></geometry>"
                     "</visual><visual name=\"c\"><geometry><box size=\"1 x 1\"/></geometry></visual>"));
  EXPECT_TRUE(found.errors.empty());
  EXPECT_EQ(entry_of(found, "robot[r]/link[arm]/visual[a]").reason, "it has no shape");
  EXPECT_EQ(entry_of(found, "robot[r]/link[arm]/visual[b]/geometry/cone@radius").reason,
            "<cone> is no shape with a size");
  EXPECT_EQ(entry_of(found, "robot[r]/link[arm]/visual[c]").outcome, Treatment::ignored);
}

// Groups above 2 are collision shapes, and hidden. A body's inertia comes from geoms, which are drawn too.
TEST(Visuals, OfMjcf) {
  const std::string text =
      "<mujoco><asset><material name=\"steel\" rgba=\"0.5 0.5 0.75 1\"/></asset>"
      "<default><geom rgba=\"1 0 0 1\"/></default>\n"
      "<worldbody><geom type=\"plane\" size=\"1 1 1\"/><geom type=\"box\" size=\"1 2 3\" pos=\"0 0 -3\"/>"
      "<body name=\"a\" pos=\"0 0 1\" euler=\"0 0 90\"><joint/>"
      "<geom name=\"g\" type=\"capsule\" fromto=\"0 0 0 2 0 0\" size=\"0.1\"/>"
      "<geom type=\"ellipsoid\" size=\"1 2 3\" material=\"steel\" rgba=\"0 0 1 1\" mass=\"0\"/>"
      "<geom name=\"c\" type=\"box\" size=\"1 1 1\" group=\"3\" mass=\"0\"/></body></worldbody></mujoco>\n";
  const Mechanism m = imported_model("v.xml", text);
  const auto& drawn = m.bodies[0].drawn;
  ASSERT_EQ(drawn.size(), 2U);
  EXPECT_EQ(drawn[0].shape.kind, Shape::Kind::capsule);
  EXPECT_NEAR(drawn[0].shape.size.y(), 2, 1e-15);
  EXPECT_LT((drawn[0].shape.place.at - Vec3(1, 0, 0)).norm(), 1e-15);
  EXPECT_NEAR(std::abs(drawn[0].shape.place.axes.col(2).x()), 1, 1e-15);
  EXPECT_EQ(*drawn[0].colour, (Colour{1, 0, 0, 1}));
  EXPECT_EQ(drawn[1].shape.size, Vec3(1, 2, 3));
  EXPECT_EQ(*drawn[1].colour, (Colour{0, 0, 1, 1}));
  ASSERT_EQ(m.ground.size(), 1U);
  EXPECT_EQ(m.ground[0].shape.size, Vec3(2, 4, 6));
  const Imported found = imported("v.xml", text);
  EXPECT_EQ(entry_of(found, "mujoco/worldbody/body[a]/geom[g]").outcome, Treatment::used);
  EXPECT_NE(entry_of(found, "mujoco/worldbody/body[a]/geom[c]").reason.find("group 3 is hidden"),
            std::string::npos);
}

// MuJoCo moves a mesh by −refpos and turns it back by refquat before it scales it.
TEST(Visuals, MeshesOfMjcf) {
  const ImportFiles files;
  files.write("m.stl", kTriangle);
  const std::string path = files.write(
      "v.xml",
      "<mujoco><asset><mesh name=\"m\" file=\"m.stl\" scale=\"2 2 2\" refpos=\"1 0 0\" refquat=\"0 0 0 1\"/>"
      "<mesh file=\"gone.stl\"/></asset><worldbody><body name=\"a\"><joint/>"
      "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/><geom type=\"mesh\" mesh=\"m\" pos=\"0 0 "
      "5\"/>"
      "<geom name=\"h\" type=\"mesh\" mesh=\"gone\"/></body></worldbody></mujoco>\n");
  const ModelInput input = read_imported(import_model(path));
  ASSERT_TRUE(input.errors.empty()) << error_texts(input.errors);
  const auto& drawn = input.mechanism.bodies[0].drawn;
  ASSERT_EQ(drawn.size(), 2U);
  EXPECT_TRUE(drawn[0].surface);
  // the vertex (1, 0, 0) comes to the origin, (0, 1, 0) to −2·(−1, 1, 0)
  const Shape& s = drawn[0].shape;
  const auto place = [&](const Vec3& v) -> Vec3 {
    return s.place.at + s.place.axes * v.cwiseProduct(s.scale);
  };
  EXPECT_LT((place(Vec3(1, 0, 0)) - Vec3(0, 0, 5)).norm(), 1e-14);
  EXPECT_LT((place(Vec3(0, 1, 0)) - Vec3(2, -2, 5)).norm(), 1e-14);
  EXPECT_FALSE(drawn[1].surface);
  EXPECT_EQ(input.notes.size(), 1U);
}

TEST(Visuals, OfSdf) {
  const Mechanism m = imported_model(
      "v.sdf",
      "<sdf version=\"1.9\"><model name=\"m\"><link name=\"a\"><pose>0 0 1 0 0 1.5707963267948966</pose>"
      "<visual name=\"v\"><pose>1 0 0 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry>"
      "<material><diffuse>0 0.5 1 1</diffuse><ambient>1 1 1 1</ambient></material></visual>"
      "<visual name=\"w\"><geometry><mesh><uri>model://x/y.dae</uri><scale>1 1 "
      "2</scale></mesh></geometry></visual>"
      "<visual name=\"p\"><geometry><plane><size>1 1</size></plane></geometry></visual>"
      "</link></model></sdf>\n");
  const auto& drawn = m.bodies[0].drawn;
  ASSERT_EQ(drawn.size(), 2U);
  EXPECT_EQ(drawn[0].shape.size, Vec3(1, 2, 3));
  EXPECT_LT((drawn[0].shape.place.at - Vec3(1, 0, 0)).norm(), 1e-14);
  EXPECT_EQ(*drawn[0].colour, (Colour{0, 0.5, 1, 1}));
  EXPECT_EQ(drawn[1].shape.file, "model://x/y.dae");
}

}  // namespace
}  // namespace trammel::model::visuals_test
