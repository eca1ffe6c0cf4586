// References to points and directions resolved to places on bodies.
#include "model/reader/places.h"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "model/reader/fields.h"
#include "model/reader/values.h"

namespace trammel::model {
namespace {

struct DottedName {
  std::string body, part;
};

std::optional<DottedName> split_dotted(const std::string& text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos) return std::nullopt;
  DottedName name{text.substr(0, dot), text.substr(dot + 1)};
  if (!is_identifier(name.body) || !is_identifier(name.part)) return std::nullopt;
  return name;
}

const Body* own_body(ModelContext& context, const YamlNode& at, const std::string& name) {
  if (name == kGround) {
    context.error(at, "ground has no points or vectors of its own",
                  "use a named point with `on: ground`, or a vector");
    return nullptr;
  }
  if (!context.find_body(at, name)) return nullptr;
  return &context.mechanism.bodies[context.bodies.at(name)];
}

// A body's own point or vector by its dotted name.
std::optional<Vec3> own_part(ModelContext& context, const YamlNode& at, const DottedName& name,
                             const Body& body, const std::map<std::string, Vec3>& parts,
                             const std::string& what) {
  if (const auto found = parts.find(name.part); found != parts.end()) return found->second;
  std::vector<std::string> known;
  known.reserve(parts.size());
  for (const auto& [part, value] : parts) known.push_back(part);
  const std::string nearest = suggest(name.part, known, fmt::format("add it under `{}s:` of the body", what));
  context.error(at, fmt::format("body '{}' has no {} '{}'", body.name, what, name.part), nearest);
  return std::nullopt;
}

std::optional<KnownPoint> own_point(ModelContext& context, const YamlNode& at, const DottedName& name) {
  const Body* body = own_body(context, at, name.body);
  if (body == nullptr) return std::nullopt;
  const auto local = name.part == "com" ? std::optional<Vec3>(body->com)
                                        : own_part(context, at, name, *body, body->points, "point");
  if (!local) return std::nullopt;
  return KnownPoint{{{body->name, {*local, Mat3::Identity()}}},
                    body->placement.at + body->placement.axes * *local};
}

std::optional<KnownPoint> named_point(ModelContext& context, const YamlNode& at, const std::string& name) {
  const Point* found = context.find_point(at, name);
  if (found == nullptr) return std::nullopt;
  const Point& point = *found;
  if (point.on.empty()) return std::nullopt;  // reported where it is declared
  const Frame carrier = context.placement(point.on.front().body);
  return KnownPoint{point.on, carrier.at + carrier.axes * point.on.front().frame.at};
}

// {body: arm, at: [1, 0]}
std::optional<KnownPoint> placed_point(ModelContext& context, const YamlNode& node,
                                       const std::string& label) {
  const Fields fields(context, node, node, "place");
  const YamlNode* body = fields.need("body");
  const YamlNode* at = fields.need("at");
  if (body == nullptr || at == nullptr) return std::nullopt;
  const auto name = read_word(context, *body, "body");
  const auto world = read_vector(context, *at, label, "m");
  if (!name || !world || !context.find_body(*body, *name)) return std::nullopt;
  Marker marker = context.marker_at(*name, {*world, Mat3::Identity()});
  marker.frame.axes = Mat3::Identity();
  return KnownPoint{{marker}, *world};
}

// Two references in brackets, and not two numbers: [arm.tip, base.socket] or [A, arm.tip].
bool is_pair(const ModelContext& context, const YamlNode& node) {
  if (!node.is_sequence() || node.children.size() != 2) return false;
  if (!context.mechanism.is_planar) return true;
  for (const YamlNode& item : node.children) {
    const bool is_reference = item.is_map() || item.is_sequence() || context.points.count(item.text) > 0 ||
                              split_dotted(item.text).has_value();
    if (!is_reference) return false;
  }
  return true;
}

// The point as a body knows it, if it does.
const Marker* on_body(const KnownPoint& point, const std::string& body) {
  for (const Marker& marker : point.on) {
    if (marker.body == body) return &marker;
  }
  return nullptr;
}

Vec3 to_local(const ModelContext& context, const std::string& body, const Vec3& world) {
  return context.marker_at(body, {world, Mat3::Identity()}).frame.at;
}

// One of a pair of places: it must be known to the body it stands for.
std::optional<Vec3> place_on(ModelContext& context, const YamlNode& node, const std::string& label,
                             const std::string& body) {
  const auto point = read_point(context, node, label);
  if (!point) return std::nullopt;
  if (const Marker* marker = on_body(*point, body)) return marker->frame.at;
  context.error(node, fmt::format("{}: {} is not a point of '{}'", label, describe(node), body),
                "in a pair the first point belongs to the joint's first body, the second to its second");
  return std::nullopt;
}

std::optional<Vec3> axis_on(ModelContext& context, const YamlNode& node, const std::string& label,
                            const std::string& body) {
  if (node.is_scalar()) {
    const auto name = split_dotted(node.text);
    if (name && name->body != body) {
      context.error(node, fmt::format("{}: '{}' is not a vector of '{}'", label, node.text, body),
                    "in a pair the first vector belongs to the joint's first body, the second to its second");
      return std::nullopt;
    }
  }
  return read_world_direction(context, node, label);
}

}  // namespace

std::optional<KnownPoint> read_point(ModelContext& context, const YamlNode& node, const std::string& label) {
  if (node.is_map()) return placed_point(context, node, label);
  const auto word = node.is_scalar() ? read_word(context, node, label) : std::nullopt;
  if (!word) {
    context.error(node, fmt::format("{}: expected a point, found {}", label, describe(node)),
                  "name a point, write body.point, or {body: name, at: [x, y]}");
    return std::nullopt;
  }
  if (const auto dotted = split_dotted(*word)) return own_point(context, node, *dotted);
  return named_point(context, node, *word);
}

std::optional<Marker> read_point_marker(ModelContext& context, const YamlNode& node,
                                        const std::string& label) {
  const auto point = read_point(context, node, label);
  if (!point) return std::nullopt;
  // ground stands last among those that carry a point
  return point->on.back().body == kGround ? point->on.back() : point->on.front();
}

std::optional<std::vector<Marker>> read_two_points(ModelContext& context, const YamlNode& node,
                                                   const std::string& label) {
  if (!node.is_sequence() || node.children.size() != 2) {
    context.error(node, fmt::format("{}: expected two points, found {}", label, describe(node)),
                  fmt::format("write {}: [P, Q]", label));
    return std::nullopt;
  }
  const auto first = read_point_marker(context, node.children[0], label);
  const auto second = read_point_marker(context, node.children[1], label);
  if (!first || !second) return std::nullopt;
  return std::vector<Marker>{*first, *second};
}

std::optional<Vec3> read_place(ModelContext& context, const YamlNode& node, const std::string& label) {
  if (node.is_sequence()) return read_vector(context, node, label, "m");
  const auto point = read_point(context, node, label);
  if (!point) return std::nullopt;
  return point->world;
}

std::optional<Vec3> read_world_direction(ModelContext& context, const YamlNode& node,
                                         const std::string& label) {
  if (!node.is_scalar()) return read_direction(context, node, label);
  const auto name = split_dotted(node.text);
  if (!name) {
    context.error(
        node, fmt::format("{}: expected a direction, found {}", label, describe(node)),
        context.mechanism.is_planar ? "write [1, 0], or body.vector" : "write [0, 0, 1], or body.vector");
    return std::nullopt;
  }
  const Body* body = own_body(context, node, name->body);
  if (body == nullptr) return std::nullopt;
  const auto local = own_part(context, node, *name, *body, body->vectors, "vector");
  if (!local) return std::nullopt;
  return body->placement.axes * *local;
}

PlacePair read_joint_place(ModelContext& context, const YamlNode* node, const std::string& label,
                           const BodyPair& bodies) {
  PlacePair places;
  if (node != nullptr && is_pair(context, *node)) {
    places.first = place_on(context, node->children[0], label, bodies.first).value_or(Vec3::Zero());
    places.second = place_on(context, node->children[1], label, bodies.second).value_or(Vec3::Zero());
    return places;
  }
  KnownPoint point;
  if (node == nullptr) {
    point.world = context.placement(bodies.first == kGround ? bodies.second : bodies.first).at;
  } else if (node->is_sequence()) {
    point.world = read_vector(context, *node, label, "m").value_or(Vec3::Zero());
  } else if (const auto known = read_point(context, *node, label)) {
    point = *known;
  } else {
    return places;
  }
  const Marker* first = on_body(point, bodies.first);
  const Marker* second = on_body(point, bodies.second);
  // a body that knows the point says where it is in the world at the start
  if (first == nullptr && second != nullptr) {
    const Frame place = context.placement(bodies.second);
    point.world = place.at + place.axes * second->frame.at;
  } else if (first != nullptr) {
    const Frame place = context.placement(bodies.first);
    point.world = place.at + place.axes * first->frame.at;
  }
  places.first = first != nullptr ? first->frame.at : to_local(context, bodies.first, point.world);
  places.second = second != nullptr ? second->frame.at : to_local(context, bodies.second, point.world);
  return places;
}

AxisPair read_joint_axis(ModelContext& context, const YamlNode& node, const std::string& label,
                         const BodyPair& bodies) {
  AxisPair axes;
  if (is_pair(context, node)) {
    axes.first = axis_on(context, node.children[0], label, bodies.first).value_or(Vec3::UnitX());
    axes.second = axis_on(context, node.children[1], label, bodies.second).value_or(axes.first);
    return axes;
  }
  axes.first = read_world_direction(context, node, label).value_or(Vec3::UnitX());
  axes.second = axes.first;
  return axes;
}

std::pair<Mat3, Mat3> frames_along_z(const AxisPair& z) {
  Vec3 x = z.first.cross(z.second);
  // parallel to round-off: any perpendicular will do
  x = x.norm() > 1e-9 ? x.normalized() : Vec3(z.first.unitOrthogonal());
  const auto frame = [&](const Vec3& axis) {
    const Vec3 own_x = (x - x.dot(axis) * axis).normalized();
    Mat3 axes;
    axes << own_x, axis.cross(own_x), axis;
    return axes;
  };
  return {frame(z.first), frame(z.second)};
}

}  // namespace trammel::model
