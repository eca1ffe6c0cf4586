// Joints of velocities: knife edges, rolling contacts, pursuits, sums of speeds.
#include <fmt/format.h>

#include <Eigen/Geometry>

#include "model/reader/fields.h"
#include "model/reader/joints.h"
#include "model/reader/places.h"
#include "model/reader/values.h"

namespace trammel::model {
namespace {

// A right-handed frame with one axis given; in the plane its z axis is the plane's.
Mat3 frame_with(int axis, const Vec3& direction, bool is_planar) {
  Mat3 axes;
  axes.col(axis) = direction;
  const int next = (axis + 1) % 3, last = (axis + 2) % 3;
  if (is_planar) {
    axes.col(2) = Vec3::UnitZ();
    if (axis == 0)
      axes.col(1) = axes.col(2).cross(direction);
    else
      axes.col(0) = direction.cross(axes.col(2));
    return axes;
  }
  axes.col(next) = direction.unitOrthogonal();
  axes.col(last) = direction.cross(axes.col(next));
  return axes;
}

class VelocityReader {
 public:
  VelocityReader(ModelContext& context, const YamlNode& key, const YamlNode& value,
                 const mechanism::JointInfo& kind)
      : context_(context),
        fields_(context, key, value, kind.title()),
        kind_(kind),
        own_(*value.find(kind.name)),
        is_planar_(context.mechanism.is_planar) {}

  void read(Joint& joint) {
    switch (kind_.kind) {
      case Joint::Kind::knife_edge:
        return read_knife_edge(joint);
      case Joint::Kind::rolling:
        return read_rolling(joint);
      case Joint::Kind::pursuit:
        return read_pursuit(joint);
      default:
        return read_sum(joint);
    }
  }

 private:
  // The body that is held, and the one it is held by.
  std::optional<BodyPair> read_bodies(const std::string& joint) {
    const YamlNode* on = fields_.find("on");
    const auto first = read_word(context_, own_, kind_.name);
    const auto second = on == nullptr ? std::optional<std::string>(kGround) : read_word(context_, *on, "on");
    const bool first_known = first && context_.find_body(own_, *first);
    const bool second_known = second && (on == nullptr || context_.find_body(*on, *second));
    if (!first_known || !second_known) return std::nullopt;
    if (*first == *second) {
      context_.error(own_, fmt::format("joint '{}' connects '{}' to itself", joint, *first),
                     *first == kGround ? "name a moving body" : "name another body, or leave `on:` out");
      return std::nullopt;
    }
    return BodyPair{*first, *second};
  }

  std::optional<Vec3> direction(const std::string& key) {
    const YamlNode* node = fields_.find(key);
    return node == nullptr ? std::nullopt : read_world_direction(context_, *node, key);
  }

  // Exactly one of two keys.
  bool has_one_of(const Joint& joint, const std::string& one, const std::string& other) {
    if (fields_.has(one) && fields_.has(other)) {
      fields_.refuse(other, fmt::format("'{}' has `{}:` too", joint.name, one), "leave one of them out");
      return false;
    }
    return fields_.has(other) || fields_.need(one, fmt::format("give `{}:` or `{}:`", one, other)) != nullptr;
  }

  Marker marker(const std::string& body, const Vec3& local, const Mat3& world_axes) const {
    return {body, {local, context_.placement(body).axes.transpose() * world_axes}};
  }

  void read_knife_edge(Joint& joint) {
    const auto bodies = read_bodies(joint.name);
    const YamlNode* at = fields_.need("at", "say where: a place or a point of the body");
    if (!has_one_of(joint, "along", "across") || !bodies || at == nullptr) return;
    const bool is_along = fields_.has("along");
    const auto edge = direction(is_along ? "along" : "across");
    if (!edge) return;
    joint.kind = is_along && !is_planar_ ? Joint::Kind::velocity_along : Joint::Kind::knife_edge;
    const PlacePair places = read_joint_place(context_, at, "at", *bodies);
    const Mat3 axes = frame_with(is_along ? 0 : 1, *edge, is_planar_);
    joint.markers = {marker(bodies->first, places.first, axes), marker(bodies->second, places.second, axes)};
  }

  void read_rolling(Joint& joint) {
    const auto bodies = read_bodies(joint.name);
    joint.value = fields_.need_number("radius", "m");
    joint.keeps_contact = fields_.flag("contact", true);
    read_limits(joint);
    const auto normal = read_normal(joint);
    const auto axis = read_wheel_axis(joint);
    if (!bodies || !normal) return;
    const Frame wheel = context_.placement(bodies->first);
    const YamlNode* center_node = fields_.find("center");
    const Vec3 center = center_node != nullptr
                            ? read_joint_place(context_, center_node, "center", *bodies).first
                            : own_center(bodies->first);
    const Vec3 at = wheel.at + wheel.axes * center;
    const auto [through, up] = read_plane(at, *normal, axis, joint.value);
    const int out = is_planar_ ? 1 : 2;
    joint.markers = {
        marker(bodies->first, center, axis ? frame_with(2, *axis, false) : Mat3(Mat3::Identity())),
        context_.marker_at(bodies->second, {through, frame_with(out, up, is_planar_)})};
  }

  // What a real contact could bear, and what to do where it would need more.
  void read_limits(Joint& joint) {
    if (const YamlNode* node = fields_.find("friction")) {
      joint.friction = read_number(context_, *node, "friction", "1").value_or(0);
      if (*joint.friction < 0)
        context_.error(*node, fmt::format("friction: '{}' is negative", node->text), "give zero or more");
      if (!joint.keeps_contact)
        context_.error(*node, fmt::format("'{}' has no normal force, as contact is false", joint.name),
                       "leave friction out, or contact");
    }
    if (const YamlNode* node = fields_.find("when-lost")) {
      joint.ends_run = read_choice(context_, *node, "when-lost", {"continue", "stop"}) == "stop";
      if (!joint.friction)
        context_.error(*node, "when-lost needs to know what the contact could bear", "give friction: too");
    }
  }

  Vec3 own_center(const std::string& body) const {
    return body == kGround ? Vec3::Zero() : context_.mechanism.bodies[context_.bodies.at(body)].com;
  }

  std::optional<Vec3> read_normal(const Joint& joint) {
    if (!is_planar_) {
      fields_.refuse("along", "in space a wheel rolls on a plane", "give the plane's `normal:`");
      return fields_.need("normal") == nullptr ? std::nullopt : direction("normal");
    }
    if (!has_one_of(joint, "along", "normal")) return std::nullopt;
    if (fields_.has("normal")) return direction("normal");
    const auto along = direction("along");
    return along ? std::optional<Vec3>(Vec3::UnitZ().cross(*along)) : std::nullopt;
  }

  std::optional<Vec3> read_wheel_axis(Joint& joint) {
    if (is_planar_) {
      fields_.refuse("axis", "in the plane every wheel turns about z", "leave it out");
      return std::nullopt;
    }
    const auto axis = direction("axis");
    if (axis) joint.kind = Joint::Kind::rolling_disk;
    return axis;
  }

  // A place on the plane, and its normal on the wheel's side.
  std::pair<Vec3, Vec3> read_plane(const Vec3& center, const Vec3& normal, const std::optional<Vec3>& axis,
                                   double radius) {
    const YamlNode* node = fields_.find("through");
    const auto through = node == nullptr ? std::nullopt : read_place(context_, *node, "through");
    if (through) return {*through, normal.dot(center - *through) < 0 ? Vec3(-normal) : normal};
    // where it touches at the start
    const Vec3 down = axis ? Vec3(normal - normal.dot(*axis) * *axis).normalized() : normal;
    return {center - radius * down, normal};
  }

  void read_pursuit(Joint& joint) {
    if (const auto points = read_two_points(context_, own_, "pursuit")) joint.markers = *points;
  }

  void read_sum(Joint& joint) {
    if (!own_.is_map() || own_.entries() == 0) {
      context_.error(
          own_, fmt::format("velocity: expected speeds and their coefficients, found {}", describe(own_)),
          "write velocity: {hinge.rate: 2, slide.rate: 1}");
      return;
    }
    for (std::size_t k = 0; k < own_.entries(); ++k) {
      joint.of.push_back(own_.key(k).text);
      joint.law.push_back(
          read_expression(context_, own_.value(k), own_.key(k).text, "", mechanism::Scope::positions));
    }
    const YamlNode* equals = fields_.find("equals");
    joint.law.push_back(equals == nullptr
                            ? "0"
                            : read_expression(context_, *equals, "equals", "", mechanism::Scope::positions));
  }

  ModelContext& context_;
  Fields fields_;
  const mechanism::JointInfo& kind_;
  const YamlNode& own_;
  bool is_planar_;
};

}  // namespace

void read_velocity_joint(ModelContext& context, const YamlNode& key, const YamlNode& value,
                         const mechanism::JointInfo& kind, Joint& joint) {
  VelocityReader(context, key, value, kind).read(joint);
}

}  // namespace trammel::model
