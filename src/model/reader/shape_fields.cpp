#include "model/reader/shape_fields.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <string_view>

#include "model/reader/values.h"

namespace trammel::model {

std::optional<Shape> ShapeFields::read() {
  const mechanism::ShapeInfo* info = read_kind();
  if (info == nullptr) return {};
  const std::size_t before = context_.error_count();
  Shape shape;
  shape.kind = info->kind;
  read_sizes(shape);
  read_place(*info, shape);
  if (shape.kind == Shape::Kind::mesh) read_file(shape);
  if (context_.error_count() > before) return {};
  return shape;
}

const mechanism::ShapeInfo* ShapeFields::read_kind() const {
  std::vector<std::string> names;
  for (const mechanism::ShapeInfo& info : mechanism::kShapes) names.emplace_back(info.name);
  const YamlNode* node =
      fields_.need("shape", fmt::format("write shape: {}, …", mechanism::kShapes.front().name));
  if (node == nullptr) return nullptr;
  const auto name = read_choice(context_, *node, "shape", names);
  const auto found = std::ranges::find_if(mechanism::kShapes,
                                          [&](const mechanism::ShapeInfo& one) { return name == one.name; });
  return found == mechanism::kShapes.end() ? nullptr : &*found;
}

double ShapeFields::positive(const char* key, const char* unit) const {
  const double value = fields_.need_number(key, unit);
  if (fields_.has(key) && !(value > 0) && !context_.has_error(*fields_.find(key)))
    context_.error(*fields_.find(key), fmt::format("{}: {} is not positive", key, value),
                   "give a number above zero");
  return value;
}

void ShapeFields::read_sizes(Shape& shape) const {
  switch (shape.kind) {
    case Shape::Kind::box:
      return read_lengths("size", is_thin_, shape);
    case Shape::Kind::ellipsoid:
      return read_lengths("radii", false, shape);
    case Shape::Kind::bar:
      return read_bar(shape);
    case Shape::Kind::mesh:
      return;
    case Shape::Kind::sphere:
    case Shape::Kind::cylinder:
    case Shape::Kind::capsule:
      break;
  }
  shape.size.x() = positive("radius", "m");
  const bool is_disk = shape.kind == Shape::Kind::cylinder && is_thin_ && !fields_.has("axis");
  if (shape.kind != Shape::Kind::sphere && !(is_disk && !fields_.has("length")))
    shape.size.y() = positive("length", "m");
}

void ShapeFields::read_lengths(const char* key, bool may_be_two, Shape& shape) const {
  const YamlNode* node = fields_.need(key, fmt::format("give three lengths: {}: [0.1, 0.2, 0.3]", key));
  if (node == nullptr) return;
  const std::size_t count = may_be_two && node->is_sequence() && node->children.size() == 2 ? 2 : 3;
  const auto numbers = read_numbers(context_, *node, key, count, {"m"});
  for (std::size_t k = 0; numbers && k < count; ++k) {
    shape.size[static_cast<Eigen::Index>(k)] = (*numbers)[k];
    if (!((*numbers)[k] > 0))
      return context_.error(*node, fmt::format("{}: {} m is not positive", key, (*numbers)[k]),
                            "give lengths above zero");
  }
}

// x from one end to the other, z across the plate: along `axis`, or z.
void ShapeFields::read_bar(Shape& shape) const {
  const YamlNode* from = fields_.need("from", "give the centres of its ends: from: [0, 0], to: [1, 0]");
  const YamlNode* to = fields_.need("to", "give the centres of its ends: from: [0, 0], to: [1, 0]");
  shape.size.y() = positive("width", "m");
  if (!is_thin_ || fields_.has("thickness")) shape.size.z() = positive("thickness", "m");
  if (from == nullptr || to == nullptr) return;
  const auto a = read_vector(context_, *from, "from", "m"), b = read_vector(context_, *to, "to", "m");
  if (!a || !b) return;
  const double length = (*b - *a).norm();
  if (!(length > 0)) return context_.error(*to, "to: the bar ends where it begins", "give another place");
  shape.size.x() = length;
  const Vec3 x = (*b - *a) / length;
  Vec3 z = Vec3::UnitZ();
  if (const YamlNode* axis = fields_.find("axis")) {
    if (context_.mechanism.is_planar)
      return fields_.refuse("axis", "in the plane a bar lies in it", "leave it out");
    z = read_direction(context_, *axis, "axis").value_or(z);
  } else if (std::abs(x.z()) > 0.999) {
    z = Vec3::UnitX();  // it stands along z: any direction across it
  }
  // below this no direction across is left
  if (z.cross(x).norm() < 1e-6)
    return context_.error(*fields_.find("axis"), "axis: it lies along the bar", "give a direction across it");
  const Vec3 y = z.cross(x).normalized();
  shape.place.at = 0.5 * (*a + *b);
  shape.place.axes << x, y, x.cross(y);
}

void ShapeFields::read_place(const mechanism::ShapeInfo& info, Shape& shape) const {
  if (shape.kind == Shape::Kind::bar) return;
  if (const YamlNode* node = fields_.find("center"))
    shape.place.at = read_vector(context_, *node, "center", "m").value_or(Vec3::Zero());
  if (!info.has("axis")) return;
  // In the plane a capsule lies in it.
  const bool lies = context_.mechanism.is_planar && shape.kind == Shape::Kind::capsule;
  Vec3 along = lies ? Vec3::UnitX() : Vec3::UnitZ();
  if (const YamlNode* node = fields_.find("axis"))
    along = read_direction(context_, *node, "axis").value_or(along);
  shape.place.axes = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), along).toRotationMatrix();
}

void ShapeFields::read_file(Shape& shape) const {
  if (const YamlNode* node = fields_.need("file", "give an STL, OBJ or DAE file"))
    shape.file = read_word(context_, *node, "file").value_or("");
  const YamlNode* scale = fields_.find("scale");
  if (scale == nullptr) return;
  if (!scale->is_sequence()) {
    shape.scale = Vec3::Constant(positive("scale", "1"));
    return;
  }
  const auto numbers = read_numbers(context_, *scale, "scale", 3, {"1"});
  if (!numbers) return;
  shape.scale = {(*numbers)[0], (*numbers)[1], (*numbers)[2]};
  if (shape.scale.prod() == 0)
    context_.error(*scale, "scale: one of them is zero", "give numbers that are not zero");
}

std::filesystem::path found_file(const ModelContext& context, const std::string& name) {
  const std::filesystem::path beside = context.folder() / name;
  std::error_code unreadable;
  return std::filesystem::exists(beside, unreadable) ? beside : std::filesystem::path(name);
}

}  // namespace trammel::model
