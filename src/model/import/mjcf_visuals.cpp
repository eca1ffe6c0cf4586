// What of MJCF's geoms is drawn: those of the groups that MuJoCo shows by default, 0 to 2.
#include <fmt/format.h>

#include "model/import/mjcf.h"
#include "model/import/visuals.h"

namespace trammel::model {
namespace {

constexpr int kLastShownGroup = 2;

// Marks an attribute that was read, where it stands.
void show_attribute(const MjcfElement& e, const char* name) {
  if (XmlNode* holder = e.holder(name)) holder->attribute(name)->note = {Treatment::drawn, "", false};
}

std::optional<Colour> colour_of(Mjcf& mjcf, const MjcfElement& e) {
  std::optional<Colour> colour;
  if (const std::string* name = e.text("material")) {
    show_attribute(e, "material");
    const auto found = mjcf.materials.find(*name);
    if (found != mjcf.materials.end()) {
      show(*found->second);
      const MjcfElement material = mjcf.classes.element(mjcf.reader, *found->second, "");
      if (const std::string* rgba = material.text("rgba"))
        colour = drawn_colour(drawn_numbers(material.holder("rgba")->attribute("rgba")->note, *rgba, 4, 4));
      if (XmlAttribute* own = found->second->attribute("name")) own->note.outcome = Treatment::drawn;
    }
  }
  if (const std::string* rgba = e.text("rgba"))
    colour = drawn_colour(drawn_numbers(e.holder("rgba")->attribute("rgba")->note, *rgba, 4, 4));
  return colour;
}

// The surface of an asset: MuJoCo moves vertices by −refpos, turns them back by refquat, then scales them.
std::optional<Shape> mesh_shape(Mjcf& mjcf, const MjcfElement& geom, std::string& why) {
  const std::string name = geom.text("mesh", "");
  const auto found = mjcf.meshes.find(name);
  why = fmt::format("mesh '{}' has no file", name);
  if (found == mjcf.meshes.end()) return {};
  const MjcfElement asset = mjcf.classes.element(mjcf.reader, *found->second, "");
  const std::string* file = asset.text("file");
  if (file == nullptr) return {};
  Shape shape;
  shape.kind = Shape::Kind::mesh;
  shape.scale = asset.vector("scale", Vec3::Ones());
  const Vec3 middle = asset.vector("refpos", Vec3::Zero());
  Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
  if (const auto q = asset.numbers("refquat", 4, 4))
    turn = Eigen::Quaterniond((*q)[0], (*q)[1], (*q)[2], (*q)[3]).normalized();
  const Mat3 back = turn.toRotationMatrix().transpose();
  const bool is_even = shape.scale.isConstant(shape.scale.x(), 0);
  why = "its mesh is turned and scaled unevenly";
  if (shape.scale.prod() == 0 || (!is_even && !back.isIdentity(1e-12))) return {};
  shape.place = {-(back * middle).cwiseProduct(shape.scale), back};
  const NamedFile named = named_file(mjcf.file, mjcf.reader.options(), mjcf.asset_path(asset.node(), *file));
  shape.file = named.is_there ? named.name : *file;
  XmlNode& node = *found->second;
  node.note = named.is_there
                  ? XmlNote{Treatment::drawn, "", false}
                  : XmlNote{Treatment::ignored, "the file is not there: the mesh is not drawn", false};
  return shape;
}

std::optional<Shape> solid_shape(const std::string& type, const Vec3& size, std::string& why) {
  why = "it has no size";
  Shape shape;
  const double r = size[0], half = size[1];
  const bool has_length = type == "capsule" || type == "cylinder",
             has_sides = type == "box" || type == "ellipsoid";
  if (!(r > 0) || ((has_length || has_sides) && !(half > 0)) || (has_sides && !(size[2] > 0))) return {};
  shape.size = has_length ? Vec3(r, 2 * half, 0) : Vec3(r, 0, 0);
  if (type == "sphere") shape.kind = Shape::Kind::sphere;
  if (type == "capsule") shape.kind = Shape::Kind::capsule;
  if (type == "cylinder") shape.kind = Shape::Kind::cylinder;
  if (type == "box") shape.size = 2 * size;
  if (type == "ellipsoid") {
    shape.kind = Shape::Kind::ellipsoid;
    shape.size = size;
  }
  return shape;
}

}  // namespace

std::string draw_mjcf_geom(Mjcf& mjcf, const MjcfElement& e, const MjcfPlace& place) {
  const int group = static_cast<int>(e.number("group", 0));
  if (group > kLastShownGroup) return fmt::format("group {} is hidden, as in MuJoCo", group);
  const std::string type =
      e.word("type", {"sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "plane", "hfield", "sdf"});
  if (type == "plane" || type == "hfield" || type == "sdf") return fmt::format("a {} is not drawn", type);
  if (type != "mesh" && e.has("mesh")) return "shapes that are fitted to a mesh are not drawn";
  DrawnShape drawn;
  drawn.colour = colour_of(mjcf, e);
  if (drawn.colour && drawn.colour->opacity == 0) return "it is transparent";
  std::string why;
  std::optional<Shape> shape;
  Frame own = mjcf.frame(e);
  if (type == "mesh") {
    shape = mesh_shape(mjcf, e, why);
  } else {
    const MjcfGeomShape solid = mjcf_geom_shape(mjcf, e, type);
    own = solid.frame;
    shape = solid_shape(type, solid.size, why);
  }
  if (!shape) return why;
  drawn.shape = *shape;
  drawn.shape.place = place.frame * own * shape->place;
  mjcf.robot.shapes.push_back({place.body, std::move(drawn)});
  return "";
}

}  // namespace trammel::model
