// Springs, springs and friction on joint coordinates, applied forces and torques, bushings.
#include <fmt/format.h>

#include "mechanism/force_kinds.h"
#include "mechanism/force_texts.h"
#include "mechanism/signals.h"
#include "model/reader/belts.h"
#include "model/reader/entries.h"
#include "model/reader/fields.h"
#include "model/reader/places.h"
#include "model/reader/sections.h"
#include "model/reader/values.h"

namespace trammel::model {
namespace {

// Numbers and a law are two ways to say the same.
void refuse_numbers(const Fields& fields, const std::string& law) {
  for (const char* key : {"stiffness", "length", "free", "damping", "preload"}) {
    fields.refuse(key, fmt::format("`{}:` already says the whole law", law), "keep one of them");
  }
}

SpringDamper read_spring(ModelContext& context, const Fields& fields) {
  SpringDamper spring;
  const auto ends = read_two_points(context, *fields.find("spring"), "spring");
  double start = 0;
  if (ends) {
    spring.a = (*ends)[0];
    spring.b = (*ends)[1];
    const auto world = [&](const Marker& m) -> Vec3 {
      const Frame place = context.placement(m.body);
      return place.at + place.axes * m.frame.at;
    };
    start = (world(spring.a) - world(spring.b)).norm();
  }
  if (const YamlNode* law = fields.find("tension")) {
    refuse_numbers(fields, "tension");
    spring.law = read_expression(context, *law, "tension", "N");
    return spring;
  }
  if (!fields.has("damping") && !fields.has("preload"))
    fields.need("stiffness", "give stiffness: or tension:");
  spring.stiffness = fields.number("stiffness", "N/m", 0);
  spring.length = fields.number("length", "m", start);
  spring.damping = fields.number("damping", "N.s/m", 0);
  spring.preload = fields.number("preload", "N", 0);
  return spring;
}

// The joint a force acts on: it must have exactly one coordinate; a thread serves for dry friction.
const Joint* coordinate_joint(ModelContext& context, const YamlNode& node, const std::string& label,
                              bool may_be_thread = false) {
  const auto name = read_word(context, node, label);
  const Joint* joint = name ? context.find_joint(node, *name) : nullptr;
  if (joint == nullptr) return nullptr;
  const bool angle = mechanism::has_angle(context.mechanism, *joint),
             slide = mechanism::has_displacement(context.mechanism, *joint);
  if (angle != slide || (may_be_thread && mechanism::is_thread(*joint))) return joint;
  context.error(node, fmt::format("joint '{}' has {}", *name, angle ? "two coordinates" : "no coordinate"),
                "name a revolute or prismatic joint, or a pin of two bodies");
  return nullptr;
}

JointSpring read_joint_spring(ModelContext& context, const Fields& fields) {
  JointSpring spring;
  const Joint* joint = coordinate_joint(context, *fields.find("joint-spring"), "joint-spring");
  if (joint == nullptr) return spring;
  spring.joint = joint->name;
  const bool angle = mechanism::has_angle(context.mechanism, *joint);
  const std::string law = angle ? "torque" : "force", other = angle ? "force" : "torque";
  if (fields.has(other)) {
    fields.refuse(other, fmt::format("joint '{}' has {}", joint->name, angle ? "an angle" : "a displacement"),
                  fmt::format("write {}:", law));
    return spring;
  }
  if (const YamlNode* node = fields.find(law)) {
    refuse_numbers(fields, law);
    spring.law = read_expression(context, *node, law, angle ? "N.m" : "N");
    return spring;
  }
  if (!fields.has("damping") && !fields.has("preload")) {
    fields.need("stiffness", fmt::format("give stiffness: or {}:", law));
  }
  spring.stiffness = fields.number("stiffness", angle ? "N.m/rad" : "N/m", 0);
  spring.free = fields.number("free", angle ? "rad" : "m", 0);
  spring.damping = fields.number("damping", angle ? "N.m.s/rad" : "N.s/m", 0);
  spring.preload = fields.number("preload", angle ? "N.m" : "N", 0);
  return spring;
}

Tendon read_tendon(ModelContext& context, const Fields& fields) {
  Tendon tendon;
  const YamlNode& own = *fields.find("tendon");
  if (!own.is_map() || own.entries() == 0) {
    context.error(own, fmt::format("tendon: expected joints and their coefficients, found {}", describe(own)),
                  "write tendon: {hinge: 0.02, slide: 1}");
    return tendon;
  }
  for (std::size_t i = 0; i < own.entries(); ++i) {
    const Joint* joint = coordinate_joint(context, own.key(i), "tendon");
    if (joint == nullptr) continue;
    const bool angle = mechanism::has_angle(context.mechanism, *joint);
    const auto number = read_number(context, own.value(i), joint->name, angle ? "m/rad" : "1");
    if (number) tendon.terms.push_back({joint->name, *number});
  }
  if (!fields.has("damping") && !fields.has("preload")) fields.need("stiffness", "give stiffness:");
  tendon.stiffness = fields.number("stiffness", "N/m", 0);
  tendon.free = fields.number("length", "m", 0);
  tendon.damping = fields.number("damping", "N.s/m", 0);
  tendon.preload = fields.number("preload", "N", 0);
  return tendon;
}

JointFriction read_friction(ModelContext& context, const Fields& fields) {
  JointFriction friction;
  const Joint* joint = coordinate_joint(context, *fields.find("friction"), "friction");
  if (joint == nullptr) return friction;
  friction.joint = joint->name;
  const bool angle = mechanism::has_angle(context.mechanism, *joint);
  if (!fields.has("viscous")) fields.need("coulomb", "give coulomb:, viscous: or both");
  friction.coulomb = fields.number("coulomb", angle ? "N.m" : "N", 0);
  friction.viscous = fields.number("viscous", angle ? "N.m.s/rad" : "N.s/m", 0);
  friction.transition = fields.number("transition", angle ? "rad/s" : "m/s", friction.transition);
  return friction;
}

// `torque:` acts on the joint's angle, `force:` on its displacement.
Motor read_motor(ModelContext& context, const Fields& fields) {
  Motor motor{"", true, "0"};
  const YamlNode& own = *fields.find("joint");
  const auto name = read_word(context, own, "joint");
  const Joint* joint = name ? context.find_joint(own, *name) : nullptr;
  if (joint == nullptr) return motor;
  motor.joint = joint->name;
  const bool angle = mechanism::has_angle(context.mechanism, *joint),
             slide = mechanism::has_displacement(context.mechanism, *joint);
  if (!angle && !slide) {
    context.error(own, fmt::format("joint '{}' has no coordinate", joint->name),
                  "name a revolute, prismatic or cylindrical joint, or a pin of two bodies");
    return motor;
  }
  motor.turns = angle && !(slide && fields.has("force"));
  const std::string law = motor.turns ? "torque" : "force", other = motor.turns ? "force" : "torque";
  if (fields.has(other)) {
    fields.refuse(other,
                  angle && slide
                      ? std::string("a motor has one of torque: and force:")
                      : fmt::format("joint '{}' has {}", joint->name, angle ? "an angle" : "a displacement"),
                  angle && slide ? "write two motors" : fmt::format("write {}:", law));
    return motor;
  }
  const YamlNode* node = fields.need(law, angle && slide ? "give torque: or force:" : "");
  if (node != nullptr) motor.law = read_expression(context, *node, law, motor.turns ? "N.m" : "N");
  return motor;
}

DryFriction read_dry_friction(ModelContext& context, const Fields& fields, mechanism::ForceKind kind) {
  DryFriction friction;
  friction.capacity = "0";  // until it is read
  const std::string own = mechanism::about(kind).name;
  const YamlNode& node = *fields.find(own);
  std::vector<const Joint*> joints;
  if (kind == mechanism::ForceKind::clutch || node.is_sequence()) {
    if (!read_words(context, node, own, 2)) return friction;
    for (const YamlNode& one : node.children) joints.push_back(coordinate_joint(context, one, own, true));
  } else {
    joints.push_back(coordinate_joint(context, node, own, true));
  }
  for (const Joint* joint : joints) {
    if (joint == nullptr) return friction;
    friction.joints.push_back(joint->name);
  }
  friction.one_way = kind == mechanism::ForceKind::one_way_clutch;
  if (joints.size() < 2)
    fields.refuse("ratio", fmt::format("'{}' is on one joint", own), "leave it out, or name two joints");
  friction.ratio = fields.number("ratio", "1", 1);
  if (friction.one_way) {
    friction.capacity.clear();
    return friction;
  }
  const bool angle = mechanism::has_angle(context.mechanism, *joints.front());
  if (kind == mechanism::ForceKind::dry_friction && fields.has("coefficient")) {
    for (const char* key : {"capacity", "static"})
      fields.refuse(key, "`coefficient:` makes the capacity of the joint's reaction", "keep one of them");
    friction.capacity.clear();
    friction.coefficient = fields.number("coefficient", "1", 0);
    friction.static_coefficient = fields.number("static-coefficient", "1", friction.coefficient);
    if (!mechanism::is_loaded(friction)) friction.capacity = "0";  // no friction
    const bool thread = mechanism::is_thread(*joints.front());
    if (angle)
      friction.radius = fields.need_number(
          "radius", "m", thread ? "give the mean radius of the thread" : "give the radius of the bearing");
    else
      fields.refuse("radius", fmt::format("joint '{}' slides", joints.front()->name), "leave it out");
    friction.length = fields.number("length", "m", 0);
    friction.flank_angle = fields.number("flank-angle", "rad", 0);
    return friction;
  }
  for (const char* key : {"static-coefficient", "radius", "length", "flank-angle"})
    fields.refuse(key, "it belongs to `coefficient:`", "give the coefficient of friction, too");
  const char* unit = angle ? "N.m" : "N";
  if (const YamlNode* capacity = fields.need("capacity", "give what it transmits while it slips"))
    friction.capacity = read_expression(context, *capacity, "capacity", unit);
  if (const YamlNode* most = fields.find("static"))
    friction.static_capacity = read_expression(context, *most, "static", unit);
  return friction;
}

bool read_body_fixed(ModelContext& context, const Fields& fields) {
  const YamlNode* axes = fields.find("axes");
  return axes != nullptr && read_choice(context, *axes, "axes", {"world", "body"}) == "body";
}

std::vector<std::string> read_components(ModelContext& context, const YamlNode& node,
                                         const std::string& label, std::size_t count, const char* unit) {
  if (count == 1) return {read_expression(context, node, label, unit)};
  if (!node.is_sequence() || node.children.size() != count) {
    context.error(node, fmt::format("{}: expected {} components, found {}", label, count, describe(node)),
                  count == 2 ? "write [fx, fy]" : "write one for each of x, y, z");
    return std::vector<std::string>(count, "0");
  }
  std::vector<std::string> components;
  for (const YamlNode& item : node.children)
    components.push_back(read_expression(context, item, label, unit));
  return components;
}

AppliedForce read_applied_force(ModelContext& context, const Fields& fields) {
  AppliedForce force;
  const std::size_t axes = context.mechanism.is_planar ? 2 : 3;
  force.components = read_components(context, *fields.find("force"), "force", axes, "N");
  force.body_fixed = read_body_fixed(context, fields);
  if (const YamlNode* at = fields.need("at", "say where it acts: a point, or body.point")) {
    if (const auto marker = read_point_marker(context, *at, "at")) {
      force.at = *marker;
      if (marker->body == kGround) {
        context.error(*at,
                      fmt::format("at: {} is fixed to ground, where a force moves nothing", describe(*at)),
                      "name a point of a moving body, or {body: name, at: [x, y]}");
      }
    }
  }
  return force;
}

AppliedTorque read_applied_torque(ModelContext& context, const Fields& fields) {
  AppliedTorque torque;
  torque.components =
      read_components(context, *fields.find("torque"), "torque", context.mechanism.is_planar ? 1 : 3, "N.m");
  torque.body_fixed = read_body_fixed(context, fields);
  const YamlNode* on = fields.need("on", "name the body it acts on");
  const auto body = on == nullptr ? std::nullopt : read_word(context, *on, "on");
  if (!body || !context.find_body(*on, *body)) return torque;
  torque.body = *body;
  const auto found = context.bodies.find(*body);
  const bool turns =
      found != context.bodies.end() && context.mechanism.bodies[found->second].kind != Body::Kind::point_mass;
  if (!turns) context.error(*on, fmt::format("on: '{}' cannot turn", *body), "name a rod or a rigid body");
  return torque;
}

// Six numbers (the diagonal) or 6x6, in the order x y z and rotations; in the plane three: x, y, angle.
Mat6 read_bushing_matrix(ModelContext& context, const YamlNode& node, const std::string& label,
                         bool is_damping) {
  const std::vector<int> rows =
      context.mechanism.is_planar ? std::vector<int>{0, 1, 5} : std::vector<int>{0, 1, 2, 3, 4, 5};
  const auto unit = [&](int row, int column) {
    if (row < 3 && column < 3) return is_damping ? "N.s/m" : "N/m";
    if (row >= 3 && column >= 3) return is_damping ? "N.m.s/rad" : "N.m/rad";
    return is_damping ? "N.s" : "N";  // a force per rad is a torque per m
  };
  Mat6 matrix = Mat6::Zero();
  const bool is_full = node.is_sequence() && !node.children.empty() && node.children[0].is_sequence();
  if (is_full && node.children.size() != rows.size()) {
    context.error(node,
                  fmt::format("{}: expected {} rows, found {}", label, rows.size(), node.children.size()),
                  "give a square matrix");
    return matrix;
  }
  for (std::size_t i = 0; i < (is_full ? rows.size() : 1); ++i) {
    std::vector<const char*> units;
    units.reserve(rows.size());
    for (const int column : rows) units.push_back(unit(is_full ? rows[i] : column, column));
    const auto numbers = read_numbers(context, is_full ? node.children[i] : node, label, rows.size(), units);
    for (std::size_t k = 0; numbers && k < rows.size(); ++k) {
      matrix(is_full ? rows[i] : rows[k], rows[k]) = (*numbers)[k];
    }
  }
  return matrix;
}

Bushing read_bushing(ModelContext& context, const Fields& fields, const std::string& name) {
  Bushing bushing;
  const YamlNode& own = *fields.find("bushing");
  const YamlNode* at = fields.need("at", "say where: a place, a point, or one point on each body");
  if (const YamlNode* node = fields.need("stiffness")) {
    bushing.stiffness = read_bushing_matrix(context, *node, "stiffness", false);
  }
  if (const YamlNode* node = fields.find("damping")) {
    bushing.damping = read_bushing_matrix(context, *node, "damping", true);
  }
  const auto names = read_words(context, own, "bushing", 2);
  if (!names || at == nullptr) return bushing;
  const bool first_known = context.find_body(own.children[0], (*names)[0]);
  const bool second_known = context.find_body(own.children[1], (*names)[1]);
  if (!first_known || !second_known) return bushing;
  if ((*names)[0] == (*names)[1]) {
    context.error(own, fmt::format("bushing '{}' connects '{}' to itself", name, (*names)[0]),
                  "name two different bodies");
    return bushing;
  }
  const PlacePair places = read_joint_place(context, at, "at", {(*names)[0], (*names)[1]});
  bushing.a = {(*names)[0], {places.first, context.placement((*names)[0]).axes.transpose()}};
  bushing.b = {(*names)[1], {places.second, context.placement((*names)[1]).axes.transpose()}};
  return bushing;
}

void read_law(ModelContext& context, const Fields& fields, mechanism::ForceKind kind, Force& force) {
  switch (kind) {
    case mechanism::ForceKind::joint_spring:
      force.law = read_joint_spring(context, fields);
      return;
    case mechanism::ForceKind::spring:
      force.law = read_spring(context, fields);
      return;
    case mechanism::ForceKind::tendon:
      force.law = read_tendon(context, fields);
      return;
    case mechanism::ForceKind::friction:
      force.law = read_friction(context, fields);
      return;
    case mechanism::ForceKind::dry_friction:
    case mechanism::ForceKind::clutch:
    case mechanism::ForceKind::one_way_clutch:
      force.law = read_dry_friction(context, fields, kind);
      return;
    case mechanism::ForceKind::bushing:
      force.law = read_bushing(context, fields, force.name);
      return;
    case mechanism::ForceKind::motor:
      force.law = read_motor(context, fields);
      return;
    case mechanism::ForceKind::force:
      force.law = read_applied_force(context, fields);
      return;
    case mechanism::ForceKind::torque:
      force.law = read_applied_torque(context, fields);
      return;
    case mechanism::ForceKind::belt:  // is several forces
    case mechanism::ForceKind::user:  // has no keys
      return;
  }
}

}  // namespace

void read_forces(ModelContext& context, const YamlNode& root) {
  // In the order of the table: a joint-spring has `torque:` and `force:` keys too.
  std::vector<std::string> kinds;
  for (const mechanism::ForceInfo& info : mechanism::force_kinds())
    if (!info.fields.empty()) kinds.emplace_back(info.key());
  for_each_entry(context, root, "forces", [&](const YamlNode& key, const YamlNode& value) {
    if (!context.declare(key, key.text, "force")) return;
    const mechanism::ForceInfo* info = mechanism::find_force_key(first_key(value, kinds));
    if (info == nullptr) return report_no_kind(context, key, value, "force", kinds);
    if (info->kind == mechanism::ForceKind::belt)
      return read_belt_forces(context, key, Fields(context, key, value, info->name));
    Force force;
    force.name = key.text;
    force.where = {key.line, key.column};
    if (const std::string mu = first_key(value, {"mu", "coefficient"});
        info->kind == mechanism::ForceKind::friction && !mu.empty()) {
      context.error(*value.find(mu),
                    fmt::format("{}: smooth friction does not depend on the joint's load", mu),
                    "write dry-friction: with a coefficient:, or give coulomb: itself");
      return;
    }
    read_law(context, Fields(context, key, value, info->name), info->kind, force);
    context.mechanism.forces.push_back(std::move(force));
  });
}

}  // namespace trammel::model
