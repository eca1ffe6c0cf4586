#include "model/reader/shapes.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <filesystem>

#include "mechanism/shapes.h"
#include "mechanism/solids.h"
#include "model/reader/mesh_files.h"
#include "model/reader/values.h"

namespace trammel::model {
namespace {

class ShapeReader {
 public:
  ShapeReader(ModelContext& context, const Fields& fields, Body& body)
      : context_(context), fields_(fields), body_(body) {}

  void run() {
    std::vector<std::string> names;
    for (const mechanism::ShapeInfo& info : mechanism::kShapes) names.emplace_back(info.name);
    const auto name = read_choice(context_, *fields_.find("shape"), "shape", names);
    const auto info = std::ranges::find_if(mechanism::kShapes,
                                           [&](const mechanism::ShapeInfo& one) { return name == one.name; });
    if (info == mechanism::kShapes.end()) return leave();
    shape_.kind = info->kind;
    for (const char* key : kShapeKeys)
      if (std::string_view(key) != "density" && !info->has(key))
        fields_.refuse(key, fmt::format("a {} has no {}", info->name, key), "leave it out");
    for (const char* key : {"inertia", "com"})
      fields_.refuse(key, "it follows from the shape", "leave it out, or leave the shape out");
    const std::size_t before = context_.error_count();
    read_sizes();
    read_mass();
    if (info->has("center")) read_place();
    if (shape_.kind == Shape::Kind::mesh) read_file();
    if (context_.error_count() > before) return leave();
    body_.shape = shape_;
    mechanism::fill(body_, context_.mechanism.is_planar);
  }

 private:
  // With an error: something that has an inertia.
  void leave() {
    if (!(body_.mass > 0)) body_.mass = 1;
    body_.inertia = Mat3::Identity();
  }

  bool is_planar() const { return context_.mechanism.is_planar; }

  double positive(const char* key, const char* unit) {
    const double value = fields_.need_number(key, unit);
    if (fields_.has(key) && !(value > 0) && !context_.has_error(*fields_.find(key)))
      context_.error(*fields_.find(key), fmt::format("{}: {} is not positive", key, value),
                     "give a number above zero");
    return value;
  }

  void read_sizes() {
    // In the plane the mass may be given without the thickness.
    const bool is_thin = is_planar() && fields_.has("mass");
    if (shape_.kind == Shape::Kind::box) {
      const YamlNode* node = fields_.need("size", "give the lengths of its sides: [0.1, 0.2, 0.3]");
      if (node == nullptr) return;
      const std::size_t sides = is_thin && node->is_sequence() && node->children.size() == 2 ? 2 : 3;
      const auto numbers = read_numbers(context_, *node, "size", sides, {"m"});
      for (std::size_t k = 0; numbers && k < sides; ++k) {
        shape_.size[static_cast<Eigen::Index>(k)] = (*numbers)[k];
        if (!((*numbers)[k] > 0))
          return context_.error(*node, fmt::format("size: {} m is not positive", (*numbers)[k]),
                                "give lengths above zero");
      }
      return;
    }
    if (shape_.kind == Shape::Kind::mesh) return;
    shape_.size.x() = positive("radius", "m");
    if (shape_.kind == Shape::Kind::sphere) return;
    if (shape_.kind == Shape::Kind::cylinder && is_thin && !fields_.has("length") && !fields_.has("axis"))
      return;
    shape_.size.y() = positive("length", "m");
  }

  void read_mass() {
    if (fields_.has("mass") && fields_.has("density"))
      return fields_.refuse("density", "the mass is given already", "keep mass: or density:");
    if (!fields_.has("density")) {
      body_.mass = fields_.need_number("mass", "kg", "give mass: or density:");
      return;
    }
    shape_.density = positive("density", "kg/m^3");
  }

  void read_place() {
    if (const YamlNode* node = fields_.find("center"))
      shape_.place.at = read_vector(context_, *node, "center", "m").value_or(Vec3::Zero());
    if (shape_.kind != Shape::Kind::cylinder && shape_.kind != Shape::Kind::capsule) return;
    // In the plane a capsule lies in it.
    Vec3 along = is_planar() && shape_.kind == Shape::Kind::capsule ? Vec3::UnitX() : Vec3::UnitZ();
    if (const YamlNode* node = fields_.find("axis"))
      along = read_direction(context_, *node, "axis").value_or(along);
    shape_.place.axes = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), along).toRotationMatrix();
  }

  void read_file() {
    const YamlNode* node = fields_.need("file", "give an STL or OBJ file");
    const auto name = node == nullptr ? std::nullopt : read_word(context_, *node, "file");
    if (fields_.has("scale")) shape_.scale = positive("scale", "1");
    if (!name) return;
    shape_.file = *name;
    // Beside the model, or where the program runs.
    const std::filesystem::path beside = context_.folder() / *name;
    auto read = read_mesh(std::filesystem::exists(beside) ? beside.string() : *name);
    if (const auto* wrong = std::get_if<MeshError>(&read))
      return context_.error(*node, fmt::format("file: '{}': {}", *name, wrong->message), wrong->remedy);
    const auto& mesh = std::get<SurfaceMesh>(read);
    if (const std::string why = mechanism::why_no_solid(mesh); !why.empty()) {
      const std::size_t end = why.find("; ");
      return context_.error(*node, fmt::format("file: '{}': {}", *name, why.substr(0, end)),
                            why.substr(end + 2));
    }
    shape_.mesh = std::make_shared<const SurfaceMesh>(mesh);
  }

  ModelContext& context_;
  const Fields& fields_;
  Body& body_;
  Shape shape_;
};

}  // namespace

void read_shape_of_body(ModelContext& context, const Fields& fields, Body& body) {
  ShapeReader(context, fields, body).run();
}

}  // namespace trammel::model
