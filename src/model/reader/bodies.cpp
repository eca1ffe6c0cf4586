// Rods between two points, point masses, and rigid bodies with a frame of their own.
#include "model/reader/bodies.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "model/reader/drawn.h"
#include "model/reader/entries.h"
#include "model/reader/fields.h"
#include "model/reader/places.h"
#include "model/reader/rigid.h"
#include "model/reader/shape_fields.h"
#include "model/reader/shapes.h"
#include "model/reader/values.h"

namespace trammel::model {
namespace {

// The point is fixed to the body at a place in the body's axes.
void carry(ModelContext& context, const YamlNode& at, Point& point, const std::string& body,
           const Vec3& local) {
  for (const Marker& marker : point.on) {
    if (marker.body != body) continue;
    context.error(at, fmt::format("body '{}' carries point '{}' twice", body, point.name), "name it once");
    return;
  }
  point.on.push_back({body, {local, Mat3::Identity()}});
}

// Axes with x along a direction; in the plane z stays z.
Mat3 axes_along_x(const Vec3& x, bool is_planar) {
  const Vec3 z = is_planar ? Vec3::UnitZ() : x.unitOrthogonal();
  Mat3 axes;
  axes << x, z.cross(x), z;
  return axes;
}

void read_rod(ModelContext& context, const YamlNode& key, const YamlNode& value, Body& body) {
  const Fields fields(context, key, value, "rod");
  body.kind = Body::Kind::rod;
  body.mass = fields.need_number("mass", "kg");
  body.length = fields.number("length", "m", 1);
  const YamlNode& ends = *fields.find("rod");
  const auto names = read_words(context, ends, "rod", 2);
  if (!names) return;
  Point* first = context.find_point(ends.children[0], (*names)[0]);
  Point* second = context.find_point(ends.children[1], (*names)[1]);
  if (first == nullptr || second == nullptr) return;

  const Vec3 along = second->at - first->at;
  if (along.norm() == 0) {
    if (context.has_error(first->where) || context.has_error(second->where)) return;
    context.error(ends, fmt::format("rod: '{}' and '{}' are at the same place", (*names)[0], (*names)[1]),
                  "give its two ends different places, at least roughly");
    return;
  }
  if (!fields.has("length")) body.length = along.norm();
  body.placement = {first->at, axes_along_x(along.normalized(), context.mechanism.is_planar)};
  body.angle = std::atan2(along.y(), along.x());
  body.com = Vec3(body.length / 2, 0, 0);
  // slender: m L²/12 about transverse axes, nothing about its own
  const double inertia = body.mass * body.length * body.length / 12;
  body.inertia = Vec3(0, context.mechanism.is_planar ? 0 : inertia, inertia).asDiagonal();
  carry(context, ends.children[0], *first, body.name, Vec3::Zero());
  carry(context, ends.children[1], *second, body.name, Vec3(body.length, 0, 0));
}

void read_point_mass(ModelContext& context, const YamlNode& key, const YamlNode& value, Body& body) {
  const Fields fields(context, key, value, "point mass");
  body.kind = Body::Kind::point_mass;
  body.mass = fields.need_number("mass", "kg");
  const YamlNode& node = *fields.find("point");
  const auto name = read_word(context, node, "point");
  Point* point = name ? context.find_point(node, *name) : nullptr;
  if (point == nullptr) return;
  body.placement.at = point->at;
  carry(context, node, *point, body.name, Vec3::Zero());
}

void read_placement(ModelContext& context, const Fields& fields, Body& body) {
  if (const YamlNode* at = fields.find("at")) {
    if (at->is_scalar()) {
      const Point* point = context.find_point(*at, at->text);
      if (point != nullptr) body.placement.at = point->at;
    } else {
      body.placement.at = read_vector(context, *at, "at", "m").value_or(Vec3::Zero());
    }
  }
  if (context.mechanism.is_planar) {
    fields.refuse("orientation", "a planar body has an angle", "write angle: 30 deg");
    const double angle = fields.number("angle", "rad", 0);
    body.placement.axes = Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix();
    body.angle = angle;
  } else {
    fields.refuse("angle", "one angle does not place a spatial body",
                  "write orientation: {axis: [0, 0, 1], angle: 30 deg}");
    if (const YamlNode* node = fields.find("orientation")) {
      body.placement.axes = read_orientation(context, *node).value_or(Mat3::Identity());
    }
  }
}

void read_mass_properties(ModelContext& context, const Fields& fields, Body& body) {
  for (const char* key : kShapeKeys)
    fields.refuse(key, "only a body with a shape has it",
                  "write shape: box, cylinder, sphere, capsule or mesh");
  body.mass = fields.need_number("mass", "kg");
  if (const YamlNode* node = fields.need(
          "inertia",
          "give it about the centre of mass, or a shape: that fills the mass; a mass without extent "
          "is {point: P, mass: …}")) {
    body.inertia = read_inertia(context, *node).value_or(Mat3::Identity());
  }
  if (const YamlNode* node = fields.find("com")) {
    body.com = read_vector(context, *node, "com", "m").value_or(Vec3::Zero());
  }
}

void read_rigid(ModelContext& context, const YamlNode& key, const YamlNode& value, Body& body) {
  const Fields fields(context, key, value, "rigid body");
  if (fields.has("shape"))
    read_shape_of_body(context, fields, body);
  else
    read_mass_properties(context, fields, body);
  read_placement(context, fields, body);
  if (const YamlNode* node = fields.find("rotor")) {
    if (context.mechanism.is_planar) {
      fields.refuse("rotor", "a rotor has no effect in the plane",
                    "leave it out, or make the mechanism spatial");
    } else {
      body.rotor = read_rotor(context, *node);
    }
  }
}

// Own points or vectors: a map of names to places in body axes.
void read_parts(ModelContext& context, const YamlNode& value, const std::string& section, Body& body) {
  const YamlNode* node = value.find(section);
  if (node == nullptr) return;
  if (!node->is_map()) {
    context.error(
        *node, fmt::format("{}: expected names and places in body axes, found {}", section, describe(*node)),
        section == "points"
            ? "write points: {tip: [1, 0]}; to fix named points to the body write carries: [A, B]"
            : "write vectors: {n: [1, 0, 0]}");
    return;
  }
  const bool is_point = section == "points";
  for (std::size_t i = 0; i < node->entries(); ++i) {
    const YamlNode& name = node->key(i);
    if (!is_identifier(name.text) || name.text == "com") {
      context.error(name, fmt::format("'{}' cannot name a {}", name.text, is_point ? "point" : "vector"),
                    name.text == "com" ? "com is the centre of mass" : "use letters, digits and _");
      continue;
    }
    const auto part = is_point ? read_vector(context, node->value(i), name.text, "m")
                               : read_direction(context, node->value(i), name.text);
    (is_point ? body.points : body.vectors)[name.text] = part.value_or(Vec3::UnitX());
  }
}

// Named points fixed to the body: where they are at the start, or at places given in body axes.
void read_carries(ModelContext& context, const YamlNode& value, const Body& body) {
  const YamlNode* node = value.find("carries");
  if (node == nullptr) return;
  if (node->is_map()) {
    for (std::size_t i = 0; i < node->entries(); ++i) {
      Point* point = context.find_point(node->key(i), node->key(i).text);
      const auto local = read_vector(context, node->value(i), node->key(i).text, "m");
      if (point != nullptr) carry(context, node->key(i), *point, body.name, local.value_or(Vec3::Zero()));
    }
    return;
  }
  const auto names = read_words(context, *node, "carries");
  if (!names) return;
  for (std::size_t i = 0; i < names->size(); ++i) {
    Point* point = context.find_point(node->children[i], (*names)[i]);
    if (point == nullptr) continue;
    const Vec3 local = body.placement.axes.transpose() * (point->at - body.placement.at);
    carry(context, node->children[i], *point, body.name, local);
  }
}

}  // namespace

void read_bodies(ModelContext& context, const YamlNode& root) {
  for_each_entry(context, root, "bodies", [&](const YamlNode& key, const YamlNode& value) {
    if (!context.declare(key, key.text, "body")) return;
    Body body;
    body.name = key.text;
    body.where = {key.line, key.column};
    const std::string kind = first_key(value, {"rod", "point"});
    if (kind == "rod") {
      read_rod(context, key, value, body);
    } else if (kind == "point") {
      read_point_mass(context, key, value, body);
    } else {
      read_rigid(context, key, value, body);
    }
    if (const YamlNode* free = value.find("free"))
      body.free = read_bool(context, *free, "free").value_or(false);
    if (kind != "point") {
      read_parts(context, value, "points", body);
      read_parts(context, value, "vectors", body);
      read_carries(context, value, body);
    }
    read_looks(context, value, body);
    context.bodies[body.name] = context.mechanism.bodies.size();
    context.mechanism.bodies.push_back(std::move(body));
  });
}

}  // namespace trammel::model
