// Auxiliary states, inputs, and what is known of coordinates and velocities at the start.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "mechanism/signals.h"
#include "model/reader/entries.h"
#include "model/reader/fields.h"
#include "model/reader/sections.h"
#include "model/reader/values.h"

namespace trammel::model {
namespace {

// Beyond, an angle has lost the digits that tell where within a turn it is.
constexpr double kMostAngle = 1e6;  // rad

std::optional<double> held_coordinate(const Fields& fields, const char* key, bool angle) {
  if (!fields.has(key)) return std::nullopt;
  const double value = fields.number(key, angle ? "rad" : "m", 0);
  if (angle && !(std::abs(value) <= kMostAngle))
    fields.refuse(key, fmt::format("an angle of {:g} rad is too many turns", value), "give it with fewer");
  return value;
}

void read_body_angle(ModelContext& context, const Fields& fields, Body& body) {
  fields.refuse("displacement", fmt::format("'{}' is a body", body.name), "give it to a joint");
  if (!context.mechanism.is_planar)
    return fields.refuse("angle", fmt::format("body '{}' is in space", body.name),
                         "give the angle or displacement of a joint");
  if (body.kind == Body::Kind::point_mass)
    return fields.refuse("angle", fmt::format("the point mass '{}' does not turn", body.name),
                         "leave it out");
  body.held_angle = held_coordinate(fields, "angle", true);
}

void read_body_velocity(ModelContext& context, const Fields& fields, Body& body) {
  fields.refuse("speed", fmt::format("'{}' is a body", body.name), "give velocity: or angular-velocity:");
  if (const YamlNode* node = fields.find("velocity"))
    body.velocity = read_vector(context, *node, "velocity", "m/s");
  const YamlNode* node = fields.find("angular-velocity");
  if (node == nullptr) return;
  if (body.kind == Body::Kind::point_mass) {
    fields.refuse("angular-velocity", fmt::format("the point mass '{}' does not turn", body.name),
                  "leave it out");
  } else if (context.mechanism.is_planar) {
    const auto rate = read_number(context, *node, "angular-velocity", "rad/s");
    if (rate) body.angular_velocity = Vec3(0, 0, *rate);
  } else {
    body.angular_velocity = read_vector(context, *node, "angular-velocity", "rad/s");
  }
}

void read_joint_start(ModelContext& context, const Fields& fields, Joint& joint) {
  const bool angle = mechanism::has_angle(context.mechanism, joint),
             slide = mechanism::has_displacement(context.mechanism, joint);
  if (angle == slide) {
    for (const char* key : {"angle", "displacement", "speed"})
      fields.refuse(key,
                    fmt::format("joint '{}' has {}", joint.name, angle ? "two coordinates" : "no coordinate"),
                    "give those of bodies or points instead");
    return;
  }
  const char *own = angle ? "angle" : "displacement", *other = angle ? "displacement" : "angle";
  fields.refuse(other, fmt::format("joint '{}' has no {}", joint.name, other), fmt::format("give {}:", own));
  joint.held = held_coordinate(fields, own, angle);
  if (fields.has("speed")) joint.speed = fields.number("speed", angle ? "rad/s" : "m/s", 0);
}

}  // namespace

void read_states(ModelContext& context, const YamlNode& root) {
  for_each_entry(context, root, "states", [&](const YamlNode& key, const YamlNode& value) {
    if (!context.declare(key, key.text, "state")) return;
    AuxiliaryState state;
    state.name = key.text;
    state.where = {key.line, key.column};
    state.derivative = "0";
    if (value.is_scalar()) {
      state.derivative = read_expression(context, value, key.text, "");
    } else {
      const Fields fields(context, key, value, "state");
      if (const YamlNode* node = fields.need("derivative")) {
        state.derivative = read_expression(context, *node, "derivative", "");
      }
      state.initial = fields.number("initial", "", 0);
    }
    context.mechanism.states.push_back(std::move(state));
  });
}

void read_inputs(ModelContext& context, const YamlNode& root) {
  for_each_entry(context, root, "inputs", [&](const YamlNode& key, const YamlNode& value) {
    if (!context.declare(key, key.text, "input")) return;
    context.mechanism.inputs.push_back({key.text, read_number(context, value, key.text, "").value_or(0)});
  });
}

void read_initial(ModelContext& context, const YamlNode& root) {
  for_each_entry(context, root, "initial", [&](const YamlNode& key, const YamlNode& value) {
    const auto body = context.bodies.find(key.text);
    const auto point = context.points.find(key.text);
    const auto joint = context.joints.find(key.text);
    Mechanism& mechanism = context.mechanism;
    if (body == context.bodies.end() && point == context.points.end() && joint == context.joints.end()) {
      NameIndex known = context.bodies;
      known.insert(context.points.begin(), context.points.end());
      known.insert(context.joints.begin(), context.joints.end());
      context.report_unknown(key, "body, point or joint", key.text, known,
                             "name one whose position or velocity is known");
      return;
    }
    const Fields fields(context, key, value, "initial conditions");
    if (body != context.bodies.end()) {
      read_body_angle(context, fields, mechanism.bodies[body->second]);
      return read_body_velocity(context, fields, mechanism.bodies[body->second]);
    }
    fields.refuse("angular-velocity", fmt::format("'{}' is not a body", key.text),
                  "a joint has speed:, a point velocity:");
    if (point != context.points.end()) {
      const YamlNode* node = fields.find("velocity");
      if (node != nullptr)
        mechanism.points[point->second].velocity = read_vector(context, *node, "velocity", "m/s");
    } else {
      fields.refuse("velocity", fmt::format("'{}' is a joint", key.text),
                    "give speed:, the rate of its coordinate");
    }
    // a point of two bodies is a joint too
    if (joint != context.joints.end()) {
      read_joint_start(context, fields, mechanism.joints[joint->second]);
    } else {
      for (const char* coordinate : {"angle", "displacement", "speed"})
        fields.refuse(coordinate, fmt::format("'{}' is a point of one body only", key.text),
                      "give the angle of a body, or the point's velocity");
    }
  });
}

}  // namespace trammel::model
