#include "live/part_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Geometry>
#include <stdexcept>

#include "mechanism/force_kinds.h"
#include "mechanism/force_texts.h"
#include "mechanism/signals.h"
#include "model/reader/context.h"

namespace trammel::live {
namespace {

std::string name_from(const JsonFields& fields, const std::string& stem, Draft& draft) {
  draft.name = fields.has("name") ? fields.text("name") : draft.free_name(stem);
  if (!model::is_identifier(draft.name)) fields.refuse("name", "letters, digits and _, a letter first");
  return draft.name;
}

Marker marker_from(const Json& json, const Draft& draft) {
  const JsonFields fields(json, "marker", {"body", "at", "world"});
  Marker marker;
  marker.body = fields.text("body");
  const Frame body = draft.frame(marker.body);
  const bool world = fields.flag("world", false);
  const Vec3 at = fields.vector("at", world ? body.at : Vec3::Zero());
  marker.frame.at = world ? Vec3(body.axes.transpose() * (at - body.at)) : at;
  return marker;
}

void need_joint(const Draft& draft, const std::string& name) {
  if (draft.model.joint(name) == nullptr)
    throw std::invalid_argument(fmt::format("there is no joint '{}'", name));
}

Mat3 inertia_from(const JsonFields& fields, bool planar) {
  Mat3 inertia = Mat3::Zero();
  const Json& json = fields.need("inertia");
  if (planar) {
    inertia(2, 2) = fields.number("inertia");
  } else if (json.is_array() && json.size() == 3 && json[0].is_array()) {
    for (std::size_t r = 0; r < 3; ++r) {
      const Json row = {{"row", json[r]}};
      inertia.row(static_cast<int>(r)) = JsonFields(row, "inertia", {"row"}).vector("row");
    }
  } else {
    inertia = fields.vector("inertia").asDiagonal();
  }
  return inertia;
}

Mat6 bushing_matrix(const JsonFields& fields, const std::string& key, bool planar) {
  const std::vector<double> x =
      fields.has(key) ? fields.numbers(key) : std::vector<double>(planar ? 3 : 6, 0.0);
  if (x.size() != (planar ? 3U : 6U)) fields.refuse(key, planar ? "three numbers" : "six numbers");
  Mat6 matrix = Mat6::Zero();
  for (std::size_t k = 0; k < x.size(); ++k) {
    const int at = planar && k == 2 ? 5 : static_cast<int>(k);
    matrix(at, at) = x[k];
  }
  return matrix;
}

SpringDamper spring_from(const JsonFields& fields, const Draft& draft) {
  SpringDamper spring;
  spring.a = marker_from(fields.need("a"), draft);
  spring.b = marker_from(fields.need("b"), draft);
  spring.stiffness = fields.number("stiffness", 0);
  spring.length = fields.number("length", (draft.world(spring.a) - draft.world(spring.b)).norm());
  spring.damping = fields.number("damping", 0);
  spring.preload = fields.number("preload", 0);
  if (fields.has("law")) spring.law = formula_of(fields.need("law"));
  return spring;
}

JointSpring joint_spring_from(const JsonFields& fields, const Draft& draft) {
  JointSpring spring;
  spring.joint = fields.text("joint");
  need_joint(draft, spring.joint);
  spring.stiffness = fields.number("stiffness", 0);
  spring.free = fields.number("free", 0);
  spring.damping = fields.number("damping", 0);
  spring.preload = fields.number("preload", 0);
  if (fields.has("law")) spring.law = formula_of(fields.need("law"));
  return spring;
}

Tendon tendon_from(const JsonFields& fields, const Draft& draft) {
  Tendon tendon;
  const std::vector<std::string> joints = fields.texts("joints");
  const std::vector<double> coefficients = fields.numbers("coefficients");
  if (joints.size() != coefficients.size()) fields.refuse("coefficients", "one number for each joint");
  for (std::size_t k = 0; k < joints.size(); ++k) {
    need_joint(draft, joints[k]);
    tendon.terms.push_back({joints[k], coefficients[k]});
  }
  tendon.stiffness = fields.number("stiffness", 0);
  tendon.free = fields.number("length", 0);
  tendon.damping = fields.number("damping", 0);
  tendon.preload = fields.number("preload", 0);
  return tendon;
}

DryFriction dry_friction_from(const JsonFields& fields, mechanism::ForceKind kind, const Draft& draft) {
  DryFriction friction;
  friction.joints = fields.has("joint") ? std::vector{fields.text("joint")} : fields.texts("joints");
  for (const std::string& joint : friction.joints) need_joint(draft, joint);
  friction.one_way = kind == mechanism::ForceKind::one_way_clutch;
  if (fields.has("coefficient")) {
    friction.coefficient = fields.number("coefficient");
    friction.static_coefficient = fields.number("static-coefficient", friction.coefficient);
    friction.radius = fields.number("radius", 0);
    friction.length = fields.number("length", 0);
    friction.flank_angle = fields.number("flank-angle", 0);
    if (!mechanism::is_loaded(friction)) friction.capacity = "0";  // no friction
    return friction;
  }
  if (!friction.one_way) friction.capacity = formula_of(fields.need("capacity"));
  if (!friction.one_way && fields.has("static")) friction.static_capacity = formula_of(fields.need("static"));
  friction.ratio = fields.number("ratio", 1);
  return friction;
}

Bushing bushing_from(const JsonFields& fields, const Draft& draft) {
  const bool planar = draft.model.is_planar;
  Bushing bushing;
  bushing.a = marker_from(fields.need("a"), draft);
  bushing.b = marker_from(fields.need("b"), draft);
  bushing.a.frame.axes = draft.frame(bushing.a.body).axes.transpose();
  bushing.b.frame.axes = draft.frame(bushing.b.body).axes.transpose();
  bushing.stiffness = bushing_matrix(fields, "stiffness", planar);
  bushing.damping = bushing_matrix(fields, "damping", planar);
  return bushing;
}

[[noreturn]] void refuse_force(const JsonFields& fields) {
  std::vector<std::string> names;
  for (const mechanism::ForceInfo& info : mechanism::force_kinds())
    if (!info.fields.empty()) names.emplace_back(info.name);
  fields.refuse("kind", fmt::format("one of {}", fmt::join(names, ", ")));
}

// What the driven coordinate reads now, as formulas.
std::vector<std::string> held(const Driver& driver, const Draft& draft) {
  const auto number = [](double x) { return fmt::format("{:.17g}", x); };
  if (driver.of_speed) return {"0"};
  if (driver.kind == Driver::Kind::distance)
    return {number((draft.world(driver.markers[0]) - draft.world(driver.markers[1])).norm())};
  if (driver.kind == Driver::Kind::position) {
    const Vec3 at = draft.world(driver.markers[0]);
    std::vector<std::string> all = {number(at.x()), number(at.y())};
    if (!draft.model.is_planar) all.push_back(number(at.z()));
    return all;
  }
  if (driver.kind == Driver::Kind::body_angle)
    for (std::size_t b = 0; b < draft.running.bodies.size(); ++b)
      if (draft.running.bodies[b].name == driver.of) return {number(draft.poses[b].angle)};
  for (const system::Reading& r : draft.readings)
    if (r.object == driver.of && (r.quantity == "angle" || r.quantity == "displacement"))
      return {number(r.value)};
  throw std::invalid_argument(fmt::format("driver: '{}' has no coordinate to hold", driver.of));
}

}  // namespace

Body body_from(const Json& json, Draft& draft) {
  const JsonFields fields(json, "body",
                          {"name", "kind", "mass", "at", "orientation", "angle", "velocity",
                           "angular-velocity", "length", "com", "inertia", "points"});
  const bool planar = draft.model.is_planar;
  Body body;
  body.name = name_from(fields, "body", draft);
  const std::string kind = fields.text("kind");
  body.mass = fields.number("mass");
  body.placement.at = fields.vector("at", Vec3::Zero());
  body.free = true;
  if (fields.has("velocity")) body.velocity = fields.vector("velocity");
  if (fields.has("angular-velocity")) body.angular_velocity = fields.vector("angular-velocity");
  if (planar) {
    body.angle = fields.number("angle", 0);
    body.placement.axes = Eigen::AngleAxisd(body.angle, Vec3::UnitZ()).toRotationMatrix();
  } else if (fields.has("orientation")) {
    const std::vector<double> q = fields.numbers("orientation");
    if (q.size() != 4 || Eigen::Vector4d(q[0], q[1], q[2], q[3]).norm() == 0)
      fields.refuse("orientation", "a quaternion [w, x, y, z]");
    body.placement.axes = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
  }
  if (kind == "rod") {
    body.kind = Body::Kind::rod;
    body.length = fields.number("length");
    body.com = Vec3(body.length / 2, 0, 0);
    const double inertia = body.mass * body.length * body.length / 12;
    body.inertia = Vec3(0, planar ? 0 : inertia, inertia).asDiagonal();
  } else if (kind == "point-mass") {
    body.kind = Body::Kind::point_mass;
  } else if (kind == "rigid") {
    body.com = fields.vector("com", Vec3::Zero());
    body.inertia = inertia_from(fields, planar);
  } else {
    fields.refuse("kind", "rigid, rod or point-mass");
  }
  if (fields.has("points")) {
    const Json& points = fields.need("points");
    if (!points.is_object()) fields.refuse("points", "names and places");
    std::vector<std::string> names;
    for (const auto& [name, at] : points.items()) names.push_back(name);
    const JsonFields own(points, "points", names);
    for (const std::string& name : names) {
      if (!model::is_identifier(name) || name == "com")
        fields.refuse("points", "names of letters, digits and _");
      body.points[name] = own.vector(name);
    }
  }
  return body;
}

Force force_from(const Json& json, Draft& draft) {
  const JsonFields fields(json, "force", {"name",        "kind",
                                          "a",           "b",
                                          "stiffness",   "length",
                                          "damping",     "preload",
                                          "law",         "joint",
                                          "free",        "coulomb",
                                          "viscous",     "transition",
                                          "at",          "components",
                                          "body-fixed",  "body",
                                          "joints",      "ratio",
                                          "capacity",    "static",
                                          "turns",       "coefficients",
                                          "coefficient", "static-coefficient",
                                          "radius",      "flank-angle"});
  Force force;
  const mechanism::ForceInfo* kind = mechanism::find_force_kind(fields.text("kind"));
  if (kind == nullptr || kind->fields.empty()) refuse_force(fields);
  force.name = name_from(fields, kind->kind == mechanism::ForceKind::spring ? "spring" : "force", draft);
  switch (kind->kind) {
    case mechanism::ForceKind::joint_spring:
      force.law = joint_spring_from(fields, draft);
      break;
    case mechanism::ForceKind::spring:
      force.law = spring_from(fields, draft);
      break;
    case mechanism::ForceKind::tendon:
      force.law = tendon_from(fields, draft);
      break;
    case mechanism::ForceKind::friction: {
      const std::string joint = fields.text("joint");
      need_joint(draft, joint);
      force.law = JointFriction{joint, fields.number("coulomb", 0), fields.number("viscous", 0),
                                fields.number("transition", JointFriction().transition)};
      break;
    }
    case mechanism::ForceKind::dry_friction:
    case mechanism::ForceKind::clutch:
    case mechanism::ForceKind::one_way_clutch:
      force.law = dry_friction_from(fields, kind->kind, draft);
      break;
    case mechanism::ForceKind::bushing:
      force.law = bushing_from(fields, draft);
      break;
    case mechanism::ForceKind::motor: {
      const std::string joint = fields.text("joint");
      need_joint(draft, joint);
      const Joint* of = draft.model.joint(joint);
      const bool turns = fields.flag("turns", mechanism::has_angle(draft.model, *of));
      force.law = Motor{joint, turns, formula_of(fields.need("law"))};
      break;
    }
    case mechanism::ForceKind::force:
      force.law = AppliedForce{marker_from(fields.need("at"), draft), fields.texts("components"),
                               fields.flag("body-fixed", false)};
      break;
    case mechanism::ForceKind::torque:
      force.law =
          AppliedTorque{fields.text("body"), fields.texts("components"), fields.flag("body-fixed", false)};
      break;
    case mechanism::ForceKind::belt:
      throw std::invalid_argument(
          "force: a belt cannot be added to a run; its pulleys are told in model files");
    case mechanism::ForceKind::user:
      break;  // refused above: it has no fields
  }
  return force;
}

Driver driver_from(const Json& json, Draft& draft) {
  const JsonFields fields(json, "driver", {"name", "kind", "of", "markers", "equals", "of-speed", "hold"});
  Driver driver;
  driver.name = name_from(fields, "driver", draft);
  const std::string kind = fields.text("kind");
  if (kind == "joint" || kind == "body-angle") {
    driver.kind = kind == "joint" ? Driver::Kind::joint : Driver::Kind::body_angle;
    driver.of = fields.text("of");
    if (kind == "joint") need_joint(draft, driver.of);
    driver.of_speed = fields.flag("of-speed", false);
  } else if (kind == "distance" || kind == "position") {
    driver.kind = kind == "distance" ? Driver::Kind::distance : Driver::Kind::position;
    const Json& list = fields.need("markers");
    const std::size_t count = kind == "distance" ? 2 : 1;
    if (!list.is_array() || list.size() != count)
      fields.refuse("markers", count == 2 ? "two places" : "one place");
    for (const Json& one : list) driver.markers.push_back(marker_from(one, draft));
  } else {
    fields.refuse("kind", "joint, body-angle, distance or position");
  }
  driver.equals = fields.flag("hold", false) ? held(driver, draft) : fields.texts("equals");
  const std::size_t wanted = kind != "position" ? 1 : draft.model.is_planar ? 2 : 3;
  if (driver.equals.size() != wanted)
    throw std::invalid_argument(
        fmt::format("driver: equals: expected {} expression{}", wanted, wanted == 1 ? "" : "s"));
  return driver;
}

}  // namespace trammel::live
