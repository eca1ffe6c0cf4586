// What bodies look like has no influence on the motion, survives writing and reading, and a mesh that is not
// there is a note.
#include <filesystem>
#include <fstream>

#include "mechanism/simplify_mesh.h"
#include "mechanism/solids.h"
#include "model/reader/mesh_files.h"
#include "model/reader/test_cases.h"

namespace trammel::model::drawn_test {
namespace {

const std::string kBlock =
    "bodies:\n"
    "  a:\n"
    "    {mass: 1, inertia: [1, 1, 1], colour: teal, drawn: [\n"
    "     {shape: box, size: [1, 2, 3], center: [0, 0, 1], orientation: {axis: [0, 0, 1], angle: 90 deg}},\n"
    "     {shape: cylinder, radius: 0.1, length: 2, axis: [0, 1, 0], colour: \"#ff8000\"},\n"
    "     {shape: capsule, radius: 0.1, length: 2, colour: [0.5, 0.25, 1, 0.5]},\n"
    "     {shape: ellipsoid, radii: [1, 2, 3]}, {shape: sphere, radius: 2},\n"
    "     {shape: bar, from: [1, 0, 0], to: [1, 4, 0], width: 0.2, thickness: 0.1, axis: [1, 0, 0]},\n"
    "     {shape: mesh, file: nowhere.stl, scale: [1, -1, 2], center: [0, 0, 3]}]}\n"
    "ground: {drawn: [{shape: box, size: [9, 9, 0.1]}]}\n";

TEST(ModelDrawn, ShapesOfBodiesAndGround) {
  const Mechanism m = good_model(kSpatial + kBlock);
  const std::vector<DrawnShape>& d = m.bodies[0].drawn;
  ASSERT_EQ(d.size(), 7U);
  EXPECT_EQ(m.bodies[0].colour->green, 138 / 255.0);
  EXPECT_EQ(d[0].shape.size, Vec3(1, 2, 3));
  EXPECT_LT((d[0].shape.place.axes * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_LT((d[1].shape.place.axes * Vec3::UnitZ() - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_EQ(*d[1].colour, (Colour{1, 128 / 255.0, 0, 1}));
  EXPECT_EQ(*d[2].colour, (Colour{0.5, 0.25, 1, 0.5}));
  // a bar lies along x of its own axes, its thickness along z
  EXPECT_EQ(d[5].shape.place.at, Vec3(1, 2, 0));
  EXPECT_EQ(d[5].shape.size, Vec3(4, 0.2, 0.1));
  EXPECT_LT((d[5].shape.place.axes.col(0) - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_LT((d[5].shape.place.axes.col(2) - Vec3::UnitX()).norm(), 1e-15);
  EXPECT_EQ(d[6].shape.scale, Vec3(1, -1, 2));
  ASSERT_EQ(m.ground.size(), 1U);
}

TEST(ModelDrawn, WrittenAndReadAgain) {
  for (const std::string& text :
       {kSpatial + kBlock,
        kPlanar + "bodies: {a: {mass: 1, inertia: 1, drawn: [{shape: box, size: [1, 2], angle: 0.3}, "
                  "{shape: cylinder, radius: 1}, {shape: capsule, radius: 1, length: 2, angle: 0.5}, "
                  "{shape: bar, from: [0, 0], to: [1, 1], width: 0.1}]}}\n"}) {
    const Mechanism m = good_model(text), again = good_model(write_model(m));
    const auto compare = [](const std::vector<DrawnShape>& a, const std::vector<DrawnShape>& b) {
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t k = 0; k < a.size(); ++k) {
        EXPECT_EQ(a[k].colour, b[k].colour) << k;
        EXPECT_EQ(a[k].shape.kind, b[k].shape.kind) << k;
        EXPECT_EQ(a[k].shape.file, b[k].shape.file) << k;
        EXPECT_EQ(a[k].shape.scale, b[k].shape.scale) << k;
        EXPECT_LT((a[k].shape.size - b[k].shape.size).norm(), 1e-15) << k;
        EXPECT_LT((a[k].shape.place.at - b[k].shape.place.at).norm(), 1e-15) << k;
        // about its own axis a capsule may be turned
        const Mat3 turn = a[k].shape.place.axes.transpose() * b[k].shape.place.axes;
        EXPECT_NEAR(a[k].shape.kind == Shape::Kind::capsule ? turn(2, 2) : turn.trace() / 3, 1, 1e-14) << k;
      }
    };
    compare(m.bodies[0].drawn, again.bodies[0].drawn);
    compare(m.ground, again.ground);
    EXPECT_EQ(m.bodies[0].colour, again.bodies[0].colour);
  }
}

TEST(ModelDrawn, OfParameters) {
  Mechanism m =
      good_model(kSpatial +
                 "parameters: {L: 2}\n"
                 "bodies: {a: {mass: 1, inertia: [1, 1, 1], drawn: [{shape: box, size: [L, 1, 1]}]}}\n");
  m = m.source->with({{"L", 5}});
  EXPECT_EQ(m.bodies[0].drawn[0].shape.size.x(), 5);
}

TEST(ModelDrawn, AMeshThatIsNotThereIsANote) {
  const ModelInput input = read_model_text(kSpatial + kBlock, "m.yaml");
  EXPECT_TRUE(input.errors.empty());
  ASSERT_EQ(input.notes.size(), 1U);
  EXPECT_EQ(input.notes[0], "m.yaml: not drawn, because the file is not there: 'nowhere.stl' of 'a'");
}

TEST(ModelDrawn, BadOnesSayWhereAndWhat) {
  const auto body = [](const std::string& text) {
    return kSpatial + "bodies: {a: {mass: 1, inertia: [1, 1, 1], " + text + "}}\n";
  };
  const auto shape = [&](const std::string& text) { return body("drawn: [{" + text + "}]"); };
  expect_errors({
      {"no list", body("drawn: box"), "2:50: drawn: expected a list of shapes, found 'box'"},
      {"no map", body("drawn: [box]"), "2:51: drawn: expected a shape, found 'box'"},
      {"no shape", shape("size: [1, 1, 1]"), "2:51: a drawn shape needs the key 'shape'"},
      {"unknown key", shape("shape: sphere, radius: 1, weight: 2"), "2:78: unknown key 'weight'"},
      {"not its key", shape("shape: sphere, radius: 1, length: 2"), "2:78: length: a sphere has no length"},
      {"no size", shape("shape: ellipsoid"), "2:51: a drawn shape needs the key 'radii'"},
      {"twice turned",
       shape(
           "shape: cylinder, radius: 1, length: 1, axis: [1, 0, 0], orientation: {quaternion: [1, 0, 0, 0]}"),
       "2:108: orientation: its direction is given already; leave orientation out"},
      {"an angle", shape("shape: box, size: [1, 1, 1], angle: 1"), "2:81: angle: one angle turns no shape"},
      {"no colour", body("colour: rde"), "2:51: colour: there is no 'rde'; did you mean 'red'?"},
      {"no hex", body("colour: \"#12345\""), "2:51: colour: '#12345' is no colour"},
      {"too bright", body("colour: [2, 0, 0]"), "2:51: colour: 2 is not from 0 to 1"},
      {"no bar", shape("shape: bar, from: [0, 0, 0], to: [0, 0, 0], width: 1, thickness: 1"),
       "2:85: to: the bar ends where it begins"},
      {"across", shape("shape: bar, from: [0, 0, 0], to: [1, 0, 0], width: 1, thickness: 1, axis: [1, 0, 0]"),
       "2:126: axis: it lies along the bar"},
      {"no scale", shape("shape: mesh, file: a.stl, scale: [1, 0, 1]"), "2:85: scale: one of them is zero"},
      {"ground", kSpatial + "ground: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n",
       "2:9: ground: expected keys, found '1'"},
  });
}

// Two faces of four corners and one triangle, in centimetres, moved by a node and mirrored by its scale.
TEST(ModelDrawn, ColladaFiles) {
  const std::string text =
      "<?xml version=\"1.0\"?>\n<COLLADA><asset><unit meter=\"0.01\"/></asset><library_geometries>"
      "<geometry id=\"g\"><mesh><source id=\"p\"><float_array>0 0 0 100 0 0 100 100 0 0 100 0</float_array>"
      "<technique_common><accessor stride=\"3\"/></technique_common></source>"
      "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
      "<polylist><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><input semantic=\"NORMAL\" "
      "source=\"#n\" offset=\"1\"/><vcount>4 3</vcount><p>0 0 1 0 2 0 3 0 0 0 1 0 2 0</p></polylist>"
      "</mesh></geometry></library_geometries><library_visual_scenes><visual_scene><node>"
      "<translate>0 0 200</translate><scale>1 1 -1</scale><instance_geometry url=\"#g\"/></node>"
      "</visual_scene></library_visual_scenes></COLLADA>";
  const auto read = parse_mesh(text);
  ASSERT_TRUE(std::holds_alternative<SurfaceMesh>(read)) << std::get<MeshError>(read).message;
  const auto& mesh = std::get<SurfaceMesh>(read);
  ASSERT_EQ(mesh.triangles.size(), 3U);
  ASSERT_EQ(mesh.vertices.size(), 4U);
  EXPECT_LT((mesh.vertices[2] - Vec3(1, 1, 2)).norm(), 1e-15);
  // the mirror image is turned, so that its outside stays outside
  EXPECT_EQ(mesh.triangles[0], (std::array{0, 2, 1}));
  const auto wrong = [](const std::string& bytes) {
    const auto found = parse_mesh(bytes);
    return std::holds_alternative<MeshError>(found) ? std::get<MeshError>(found).message : "";
  };
  EXPECT_EQ(wrong("<a>"), "line 1 is no XML");
  EXPECT_EQ(wrong("<robot/>"), "it is XML, but not COLLADA");
  EXPECT_EQ(wrong("<COLLADA/>"), "its scene is empty");
  std::string bad = text;
  bad.replace(bad.find("<p>0 0"), 6, "<p>9 0");
  EXPECT_EQ(wrong(bad), "line 2: vertex 9 is not there");
}

// A sphere of 2·200·100 triangles keeps its volume to 2 % with a twentieth of them.
TEST(ModelDrawn, LargeMeshesAreMadeCoarser) {
  SurfaceMesh sphere;
  const int sides = 200, rings = 101;
  for (int r = 0; r < rings; ++r)
    for (int s = 0; s < sides; ++s) {
      const double polar = M_PI * r / (rings - 1), around = 2 * M_PI * s / sides;
      sphere.vertices.emplace_back(std::sin(polar) * std::cos(around), std::sin(polar) * std::sin(around),
                                   std::cos(polar));
    }
  for (int r = 0; r + 1 < rings; ++r)
    for (int s = 0; s < sides; ++s) {
      const int a = r * sides + s, b = r * sides + (s + 1) % sides, c = a + sides, d = b + sides;
      sphere.triangles.push_back({a, c, b});
      sphere.triangles.push_back({b, c, d});
    }
  const SurfaceMesh coarse = mechanism::simplified(sphere, 2000);
  EXPECT_LE(coarse.triangles.size(), 2000U);
  EXPECT_GT(coarse.triangles.size(), 1000U);
  EXPECT_NEAR(mechanism::solid_of(coarse).volume, 4 * M_PI / 3, 0.02 * 4 * M_PI / 3);
  EXPECT_EQ(mechanism::simplified(sphere, 100'000).triangles.size(), sphere.triangles.size());
}

}  // namespace
}  // namespace trammel::model::drawn_test
