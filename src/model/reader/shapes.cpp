#include "model/reader/shapes.h"

#include <fmt/format.h>

#include "mechanism/shapes.h"
#include "mechanism/solids.h"
#include "model/reader/mesh_files.h"
#include "model/reader/shape_fields.h"
#include "model/reader/values.h"

namespace trammel::model {
namespace {

void refuse_other_keys(const Fields& fields, const Shape& shape) {
  const mechanism::ShapeInfo& info = mechanism::about(shape.kind);
  for (const char* key : kShapeKeys)
    if (std::string_view(key) != "density" && !info.has(key))
      fields.refuse(key, fmt::format("a {} has no {}", info.name, key), "leave it out");
  for (const char* key : {"inertia", "com"})
    fields.refuse(key, "it follows from the shape", "leave it out, or leave the shape out");
}

void read_mass(const Fields& fields, const ShapeFields& reader, Body& body, Shape& shape) {
  if (fields.has("mass") && fields.has("density"))
    return fields.refuse("density", "the mass is given already", "keep mass: or density:");
  if (fields.has("density"))
    shape.density = reader.positive("density", "kg/m^3");
  else
    body.mass = fields.need_number("mass", "kg", "give mass: or density:");
}

// The surface of a solid.
void read_surface(ModelContext& context, const YamlNode& node, Shape& shape) {
  const auto read = read_mesh(found_file(context, shape.file).string());
  if (const auto* wrong = std::get_if<MeshError>(&read))
    return context.error(node, fmt::format("file: '{}': {}", shape.file, wrong->message), wrong->remedy);
  const auto& mesh = std::get<SurfaceMesh>(read);
  if (const std::string why = mechanism::why_no_solid(mesh); !why.empty()) {
    const std::size_t end = why.find("; ");
    return context.error(node, fmt::format("file: '{}': {}", shape.file, why.substr(0, end)),
                         why.substr(end + 2));
  }
  shape.mesh = std::make_shared<const SurfaceMesh>(mesh);
}

}  // namespace

void read_shape_of_body(ModelContext& context, const Fields& fields, Body& body) {
  const std::size_t before = context.error_count();
  ShapeFields reader(context, fields, fields.has("mass"));
  if (auto shape = reader.read()) {
    refuse_other_keys(fields, *shape);
    read_mass(fields, reader, body, *shape);
    if (shape->kind == Shape::Kind::mesh && context.error_count() == before)
      read_surface(context, *fields.find("file"), *shape);
    if (context.error_count() == before) {
      body.shape = *shape;
      return mechanism::fill(body, context.mechanism.is_planar);
    }
  }
  // With an error: something that has an inertia.
  if (!(body.mass > 0)) body.mass = 1;
  body.inertia = Mat3::Identity();
}

}  // namespace trammel::model
