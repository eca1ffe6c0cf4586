// <visual> of SDF: the shape of its <geometry> and the <diffuse> colour of its <material>.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/import/visuals.h"

namespace trammel::model {
namespace {

// A shape and the elements that have its sizes, in the order of Shape::size.
struct SdfShape {
  const char* name;
  Shape::Kind kind;
  const char* first;
  std::size_t numbers;  // of the first
  const char* second;   // null: none
};

constexpr std::array<SdfShape, 5> kSdfShapes = {{
    {"box", Shape::Kind::box, "size", 3, nullptr},
    {"sphere", Shape::Kind::sphere, "radius", 1, nullptr},
    {"cylinder", Shape::Kind::cylinder, "radius", 1, "length"},
    {"capsule", Shape::Kind::capsule, "radius", 1, "length"},
    {"ellipsoid", Shape::Kind::ellipsoid, "radii", 3, nullptr},
}};

std::optional<std::vector<double>> numbers_of(XmlNode& node, const char* child, std::size_t count) {
  XmlNode* found = node.child(child);
  if (found == nullptr) return {};
  return drawn_numbers(found->note, found->text, count, count);
}

std::optional<Shape> read_solid(XmlNode& node) {
  const auto kind =
      std::ranges::find_if(kSdfShapes, [&](const SdfShape& one) { return node.name == one.name; });
  if (kind == kSdfShapes.end()) return {};
  Shape shape;
  shape.kind = kind->kind;
  auto sizes = numbers_of(node, kind->first, kind->numbers);
  if (!sizes) return {};
  if (kind->second != nullptr) {
    const auto length = numbers_of(node, kind->second, 1);
    if (!length) return {};
    sizes->push_back(length->front());
  }
  if (std::ranges::min(*sizes) <= 0) return {};
  for (std::size_t k = 0; k < sizes->size(); ++k) shape.size[static_cast<Eigen::Index>(k)] = (*sizes)[k];
  return shape;
}

std::string without_spaces(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::optional<Shape> read_mesh_shape(const ForeignFile& file, const ImportOptions& options, XmlNode& node) {
  XmlNode* uri = node.child("uri");
  if (uri == nullptr) return {};
  Shape shape;
  shape.kind = Shape::Kind::mesh;
  const NamedFile named = named_file(file, options, without_spaces(uri->text));
  shape.file = named.name;
  uri->note = named.is_there
                  ? XmlNote{Treatment::drawn, "", false}
                  : XmlNote{Treatment::ignored, "the file is not there: the mesh is not drawn", false};
  if (const auto scale = numbers_of(node, "scale", 3))
    shape.scale = Vec3((*scale)[0], (*scale)[1], (*scale)[2]);
  if (shape.scale.prod() == 0) return {};
  return shape;
}

}  // namespace

std::optional<DrawnShape> read_sdf_visual(const ForeignFile& file, const ImportOptions& options,
                                          XmlNode& visual) {
  XmlNode* geometry = visual.child("geometry");
  XmlNode* solid = geometry == nullptr || geometry->children.empty() ? nullptr : &geometry->children.front();
  const auto shape = solid == nullptr        ? std::nullopt
                     : solid->name == "mesh" ? read_mesh_shape(file, options, *solid)
                                             : read_solid(*solid);
  if (!shape) {
    leave_undrawn(visual, solid == nullptr
                              ? "it has no shape"
                              : fmt::format("<{}> is no shape with a size that Trammel draws", solid->name));
    return {};
  }
  show(visual);
  show(*geometry);
  show(*solid);
  DrawnShape drawn{*shape, {}, {}};
  if (XmlNode* material = visual.child("material")) {
    show(*material);
    if (XmlNode* diffuse = material->child("diffuse"))
      drawn.colour = drawn_colour(drawn_numbers(diffuse->note, diffuse->text, 3, 4));
  }
  settle_drawn(visual);
  return drawn;
}

}  // namespace trammel::model
