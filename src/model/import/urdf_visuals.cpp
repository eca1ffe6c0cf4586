// <visual> of URDF: a shape, its place in the link, and its colour, which may be that of a material of the
// robot.
#include <fmt/format.h>

#include <algorithm>

#include "model/import/visuals.h"

namespace trammel::model {
namespace {

Frame read_place(XmlNode& visual) {
  XmlNode* origin = visual.child("origin");
  if (origin == nullptr) return {};
  show(*origin);
  const auto xyz = drawn_numbers(*origin, "xyz", 3, 3), rpy = drawn_numbers(*origin, "rpy", 3, 3);
  Frame place;
  if (xyz) place.at = Vec3((*xyz)[0], (*xyz)[1], (*xyz)[2]);
  if (rpy) place.axes = from_rpy(Vec3((*rpy)[0], (*rpy)[1], (*rpy)[2]));
  return place;
}

std::optional<Colour> colour_in(XmlNode& material) {
  XmlNode* colour = material.child("color");
  if (colour == nullptr) return {};
  show(*colour);
  return drawn_colour(drawn_numbers(*colour, "rgba", 3, 4));
}

double positive(XmlNode& node, const char* attribute) {
  const auto number = drawn_numbers(node, attribute, 1, 1);
  return number && number->front() > 0 ? number->front() : 0;
}

// Box, cylinder, sphere or capsule; none if it has no size.
std::optional<Shape> read_primitive(XmlNode& node) {
  Shape shape;
  if (node.name == "box") {
    const auto size = drawn_numbers(node, "size", 3, 3);
    if (!size || std::ranges::min(*size) <= 0) return {};
    shape.size = Vec3((*size)[0], (*size)[1], (*size)[2]);
    return shape;
  }
  const bool is_ball = node.name == "sphere", is_capsule = node.name == "capsule";
  if (!is_ball && !is_capsule && node.name != "cylinder") return {};
  shape.kind = is_ball ? Shape::Kind::sphere : is_capsule ? Shape::Kind::capsule : Shape::Kind::cylinder;
  shape.size.x() = positive(node, "radius");
  if (!is_ball) shape.size.y() = positive(node, "length");
  if (shape.size.x() == 0 || (!is_ball && shape.size.y() == 0)) return {};
  return shape;
}

}  // namespace

UrdfVisuals::UrdfVisuals(const ForeignFile& file, const ImportOptions& options)
    : file_(file), options_(options) {
  for (XmlNode* node : file.root.all("material")) {
    show(*node);
    const XmlAttribute* name = node->attribute("name");
    if (const auto colour = colour_in(*node); colour && name != nullptr)
      materials_.emplace_back(name->value, *colour);
    if (XmlAttribute* a = node->attribute("name")) a->note.outcome = Treatment::drawn;
    settle_drawn(*node);
  }
}

std::vector<DrawnShape> UrdfVisuals::read(XmlNode& link) const {
  std::vector<DrawnShape> found;
  for (XmlNode* node : link.all("visual"))
    if (auto shape = read_visual(*node)) found.push_back(std::move(*shape));
  return found;
}

std::optional<DrawnShape> UrdfVisuals::read_visual(XmlNode& node) const {
  XmlNode* geometry = node.child("geometry");
  XmlNode* solid = geometry == nullptr || geometry->children.empty() ? nullptr : &geometry->children.front();
  if (solid == nullptr) {
    leave_undrawn(node, "it has no shape");
    return {};
  }
  DrawnShape drawn;
  if (solid->name == "mesh") {
    const XmlAttribute* uri = solid->attribute("filename");
    const NamedFile named = named_file(file_, options_, uri == nullptr ? std::string() : uri->value);
    drawn.shape.kind = Shape::Kind::mesh;
    drawn.shape.file = named.name;
    if (const auto scale = drawn_numbers(*solid, "scale", 3, 3))
      drawn.shape.scale = Vec3((*scale)[0], (*scale)[1], (*scale)[2]);
    if (uri == nullptr || drawn.shape.scale.prod() == 0) {
      leave_undrawn(node, "its mesh has no file, or no size");
      return {};
    }
    solid->attribute("filename")->note =
        named.is_there ? XmlNote{Treatment::drawn, "", false}
                       : XmlNote{Treatment::ignored, "the file is not there: the mesh is not drawn", false};
  } else if (const auto shape = read_primitive(*solid)) {
    drawn.shape = *shape;
  } else {
    leave_undrawn(node, fmt::format("<{}> is no shape with a size", solid->name));
    return {};
  }
  show(node);
  show(*geometry);
  show(*solid);
  drawn.shape.place = read_place(node);
  if (XmlNode* material = node.child("material")) {
    show(*material);
    drawn.colour = colour_in(*material);
    const XmlAttribute* name = material->attribute("name");
    const auto known = std::ranges::find_if(
        materials_, [&](const auto& one) { return name != nullptr && one.first == name->value; });
    if (!drawn.colour && known != materials_.end()) drawn.colour = known->second;
    if (XmlAttribute* a = material->attribute("name")) a->note.outcome = Treatment::drawn;
  }
  settle_drawn(node);
  return drawn;
}

}  // namespace trammel::model
