// Drivers: a coordinate made to follow an expression of time.
#include <fmt/format.h>

#include <algorithm>

#include "mechanism/signals.h"
#include "model/reader/entries.h"
#include "model/reader/fields.h"
#include "model/reader/places.h"
#include "model/reader/sections.h"
#include "model/reader/values.h"

namespace trammel::model {
namespace {

void read_equals(ModelContext& context, const Fields& fields, const char* unit, Driver& driver) {
  if (const YamlNode* node = fields.need("equals", "say what it follows, as in equals: 2*t")) {
    driver.equals = {read_expression(context, *node, "equals", unit, mechanism::Scope::time)};
  }
}

const char* unit_of(bool angle, const Driver& driver) {
  if (driver.of_speed) return angle ? "rad/s" : "m/s";
  return angle ? "rad" : "m";
}

// A joint with exactly one coordinate.
void drive_joint(ModelContext& context, const YamlNode& node, const Fields& fields, bool angle_only,
                 Driver& driver) {
  const Joint* joint = context.find_joint(node, node.text);
  if (joint == nullptr) return;
  const bool angle = mechanism::has_angle(context.mechanism, *joint),
             slide = mechanism::has_displacement(context.mechanism, *joint);
  driver.kind = Driver::Kind::joint;
  driver.of = node.text;
  read_equals(context, fields, unit_of(angle, driver), driver);
  if (angle && slide) {
    context.error(node, fmt::format("joint '{}' is cylindrical: it has two coordinates", node.text),
                  "make it a revolute and a prismatic joint with a body between them");
  } else if (angle_only ? !angle : !angle && !slide) {
    context.error(
        node, fmt::format("joint '{}' has no {} to drive", node.text, angle_only ? "angle" : "coordinate"),
        "drive a revolute or prismatic joint, or a pin of two bodies");
  }
}

void drive_body(ModelContext& context, const YamlNode& node, const Fields& fields, Driver& driver) {
  driver.kind = Driver::Kind::body_angle;
  driver.of = node.text;
  read_equals(context, fields, unit_of(true, driver), driver);
  if (!context.mechanism.is_planar) {
    context.error(node, fmt::format("a spatial body such as '{}' has no single angle", node.text),
                  driver.of_speed ? "drive a joint's speed" : "drive a joint's angle");
  } else if (context.mechanism.bodies[context.bodies.at(node.text)].kind == Body::Kind::point_mass) {
    context.error(node, fmt::format("the point mass '{}' has no angle", node.text),
                  "drive a position: instead");
  }
}

// The rotation of a planar body or a joint's coordinate, by name.
void drive_named(ModelContext& context, const YamlNode& node, const Fields& fields, bool angle_only,
                 Driver& driver) {
  if (context.bodies.count(node.text) > 0) return drive_body(context, node, fields, driver);
  if (context.joints.count(node.text) > 0) return drive_joint(context, node, fields, angle_only, driver);
  NameIndex known = context.bodies;
  known.insert(context.joints.begin(), context.joints.end());
  context.report_unknown(node, "body or joint", node.text, known,
                         angle_only ? "name one that has an angle" : "name one that has a speed");
}

// One expression per axis; `free` leaves an axis free.
void drive_position(ModelContext& context, const YamlNode& node, const Fields& fields, Driver& driver) {
  driver.kind = Driver::Kind::position;
  if (const auto marker = read_point_marker(context, node, "position")) driver.markers = {*marker};
  if (!driver.markers.empty() && driver.markers[0].body == kGround) {
    context.error(node, fmt::format("position: {} is fixed to ground", describe(node)),
                  "drive a point of a moving body, or {body: name, at: [x, y]}");
  }
  const YamlNode* equals = fields.need("equals");
  if (equals == nullptr) return;
  const std::size_t axes = context.mechanism.is_planar ? 2 : 3;
  if (!equals->is_sequence() || equals->children.size() != axes) {
    context.error(
        *equals,
        fmt::format("equals: expected {} expressions, one per axis, found {}", axes, describe(*equals)),
        axes == 2 ? "write [0.1*t, free]" : "write [0.1*t, free, free]");
    return;
  }
  for (const YamlNode& item : equals->children) {
    const bool is_free = item.is_scalar() && item.text == "free";
    driver.equals.push_back(is_free ? ""
                                    : read_expression(context, item, "equals", "m", mechanism::Scope::time));
  }
  if (std::all_of(driver.equals.begin(), driver.equals.end(), [](const auto& e) { return e.empty(); }))
    context.error(*equals, fmt::format("driver '{}' drives nothing: every axis is free", driver.name),
                  "give an axis an expression, or remove the driver");
}

}  // namespace

void read_drivers(ModelContext& context, const YamlNode& root) {
  static const std::vector<std::string> kKinds = {"angle", "joint", "distance", "position", "speed"};
  for_each_entry(context, root, "drivers", [&](const YamlNode& key, const YamlNode& value) {
    if (!context.declare(key, key.text, "driver")) return;
    const std::string kind = first_key(value, kKinds);
    if (kind.empty()) return report_no_kind(context, key, value, "driver", kKinds);
    if (const YamlNode* joint = value.find("joint"); joint != nullptr && value.find("angle") != nullptr)
      return context.error(*joint, fmt::format("driver '{}' has both joint: and angle:", key.text),
                           fmt::format("write {{angle: {}, equals: …}} with what it follows", joint->text));
    Driver driver;
    driver.name = key.text;
    driver.where = {key.line, key.column};
    const Fields fields(context, key, value, kind + " driver");
    const YamlNode& node = *fields.find(kind);
    if (kind == "angle" || kind == "speed") {
      driver.of_speed = kind == "speed";
      if (read_word(context, node, kind)) drive_named(context, node, fields, !driver.of_speed, driver);
    } else if (kind == "joint") {
      if (read_word(context, node, "joint")) drive_joint(context, node, fields, false, driver);
    } else if (kind == "position") {
      drive_position(context, node, fields, driver);
    } else {
      driver.kind = Driver::Kind::distance;
      if (const auto points = read_two_points(context, node, "distance")) driver.markers = *points;
      read_equals(context, fields, "m", driver);
    }
    context.mechanism.drivers.push_back(std::move(driver));
  });
}

}  // namespace trammel::model
