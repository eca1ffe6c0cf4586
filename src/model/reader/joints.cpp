// Joints between two bodies, and points held at a distance, on a line or on a plane.
//
// In space the axis is the markers' z axis. Both markers come from one world frame at the start, so that a
// coordinate reads zero there; with an axis on each body their x axes are the common normal. In the plane a
// sliding direction is the markers' x axis; a revolute joint has the bodies' own axes, so that its angle is
// the difference of the bodies' angles.
#include "model/reader/joints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechanism/joint_kinds.h"
#include "mechanism/signals.h"
#include "model/reader/belts.h"
#include "model/reader/bodies.h"
#include "model/reader/curves.h"
#include "model/reader/entries.h"
#include "model/reader/fields.h"
#include "model/reader/places.h"
#include "model/reader/teeth.h"
#include "model/reader/values.h"

namespace trammel::model {
namespace {

// Universal joints: how far from perpendicular the axes may be at the start; assembly does the rest.
constexpr double kMaxSkew = 10 * std::numbers::pi / 180;

const mechanism::JointInfo* kind_of(const YamlNode& value) {
  const auto& all = mechanism::joint_kinds();
  const auto found = std::ranges::find_if(
      all, [&](const mechanism::JointInfo& k) { return !k.fields.empty() && value.find(k.name) != nullptr; });
  return found == all.end() ? nullptr : &*found;
}

Mat3 frame_along_x(const Vec3& x) {
  Mat3 axes;
  axes << x, Vec3::UnitZ().cross(x), Vec3::UnitZ();
  return axes;
}

class JointReader {
 public:
  JointReader(ModelContext& context, const YamlNode& key, const YamlNode& value,
              const mechanism::JointInfo& kind)
      : context_(context),
        fields_(context, key, value, kind.title()),
        own_(*value.find(kind.name)),
        kind_(kind),
        is_planar_(context.mechanism.is_planar) {}

  void read(Joint& joint) {
    switch (kind_.kind) {
      case Joint::Kind::distance:
        return read_distance(joint);
      case Joint::Kind::point_on_line:
        return read_point_on(joint, "along");
      case Joint::Kind::point_on_plane:
        return read_point_on(joint, "normal");
      case Joint::Kind::point_on_curve:
        return read_point_on_curve(context_, fields_, own_, joint);
      case Joint::Kind::gear_pair:
      case Joint::Kind::rack_pair:
      case Joint::Kind::bevel_pair:
      case Joint::Kind::worm_pair:
        return read_toothed_pair(context_, fields_, own_, joint);
      case Joint::Kind::cam:
        return read_cam(context_, fields_, own_, joint);
      default:
        return read_two_bodies(joint);
    }
  }

 private:
  void read_two_bodies(Joint& joint) {
    const auto names = read_words(context_, own_, kind_.name, 2);
    if (!names) return;
    const bool first_known = context_.find_body(own_.children[0], (*names)[0]);
    const bool second_known = context_.find_body(own_.children[1], (*names)[1]);
    if (!first_known || !second_known) return;
    const BodyPair bodies{(*names)[0], (*names)[1]};
    if (bodies.first == bodies.second) {
      context_.error(own_, fmt::format("joint '{}' connects '{}' to itself", joint.name, bodies.first),
                     "name two different bodies");
      return;
    }
    const YamlNode* at = needs("at")
                             ? fields_.need("at", "say where: a place, a point, or one point on each body")
                             : fields_.find("at");
    const PlacePair places = read_joint_place(context_, at, "at", bodies);
    const auto [first, second] = read_axes(bodies);
    joint.markers = {{bodies.first, {places.first, first}}, {bodies.second, {places.second, second}}};
    read_coordinate(joint);
    read_numbers(joint);
    if (at != nullptr) note_shared_point(*at, bodies);
  }

  // A joint that holds two bodies together at a point they share stands for the pin there.
  void note_shared_point(const YamlNode& at, const BodyPair& bodies) {
    const auto found = at.is_scalar() ? context_.points.find(at.text) : context_.points.end();
    if (!kind_.is_pin || found == context_.points.end()) return;
    const auto& on = context_.mechanism.points[found->second].on;
    const auto carries = [&](const std::string& body) {
      return std::any_of(on.begin(), on.end(), [&](const Marker& marker) { return marker.body == body; });
    };
    if (carries(bodies.first) && carries(bodies.second)) {
      context_.joined_at[at.text].emplace_back(bodies.first, bodies.second);
    }
  }

  bool needs(std::string_view key) const {
    return std::ranges::any_of(kind_.fields,
                               [&](const mechanism::KindField& f) { return f.required && key == f.key; });
  }

  // The markers' axes, each in its body's axes.
  std::pair<Mat3, Mat3> read_axes(const BodyPair& bodies) {
    const auto local = [&](const std::pair<Mat3, Mat3>& world) -> std::pair<Mat3, Mat3> {
      return {context_.placement(bodies.first).axes.transpose() * world.first,
              context_.placement(bodies.second).axes.transpose() * world.second};
    };
    switch (kind_.frames.in(is_planar_)) {
      case mechanism::JointFrames::along: {
        const AxisPair along = axis(kind_.kind == Joint::Kind::planar ? "normal" : "axis", bodies);
        if (is_planar_) return local({frame_along_x(along.first), frame_along_x(along.second)});
        return local(frames_along_z(along));
      }
      case mechanism::JointFrames::crossed:
        return local(frames_along_z(universal_axes(bodies)));
      case mechanism::JointFrames::shafts:
        return local(frames_along_z(shaft_axes(bodies)));
      case mechanism::JointFrames::world:
        return local({Mat3::Identity(), Mat3::Identity()});
      default:
        fields_.refuse("axis", "in the plane every revolute joint turns about z", "leave it out");
        return {Mat3::Identity(), Mat3::Identity()};
    }
  }

  AxisPair axis(const std::string& key, const BodyPair& bodies) {
    const YamlNode* node = fields_.need(key);
    return node == nullptr ? AxisPair{Vec3::UnitX(), Vec3::UnitX()}
                           : read_joint_axis(context_, *node, key, bodies);
  }

  // An axis on each body.
  std::optional<AxisPair> two_axes(const BodyPair& bodies) {
    const YamlNode* node = fields_.need("axes", "give the axis on the first body and the one on the second");
    if (node == nullptr) return std::nullopt;
    if (!node->is_sequence() || node->children.size() != 2) {
      context_.error(*node, fmt::format("axes: expected two directions, found {}", describe(*node)),
                     "write axes: [[1, 0, 0], [0, 1, 0]]: on the first body, on the second");
      return std::nullopt;
    }
    const std::size_t errors = context_.error_count();
    const AxisPair axes = read_joint_axis(context_, *node, "axes", bodies);
    return context_.error_count() > errors ? std::nullopt : std::optional(axes);
  }

  AxisPair shaft_axes(const BodyPair& bodies) {
    return two_axes(bodies).value_or(AxisPair{Vec3::UnitX(), Vec3::UnitX()});
  }

  AxisPair universal_axes(const BodyPair& bodies) {
    const std::optional<AxisPair> axes = two_axes(bodies);
    if (!axes) return {Vec3::UnitX(), Vec3::UnitY()};
    const double cosine = axes->first.dot(axes->second);
    if (std::abs(cosine) > std::sin(kMaxSkew)) {
      const double degrees = std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
      context_.error(*fields_.find("axes"),
                     fmt::format("axes: the axes of a universal joint stand at {:.0f} deg", degrees),
                     "make them perpendicular at the start, to about 10 deg");
      return {Vec3::UnitX(), Vec3::UnitY()};
    }
    return *axes;
  }

  void read_coordinate(Joint& joint) {
    const YamlNode* node = fields_.find("coordinate");
    if (node == nullptr) return;
    if (is_planar_ && kind_.kind == Joint::Kind::revolute) {
      fields_.refuse("coordinate", "in the plane a joint's angle is the difference of the bodies' angles",
                     "set `angle:` of the bodies instead");
      return;
    }
    joint.offset = fields_.number("coordinate", kind_.kind == Joint::Kind::prismatic ? "m" : "rad", 0);
  }

  // Keys that some of these kinds have.
  void read_numbers(Joint& joint) {
    if (has_key("armature"))
      joint.armature = fields_.number("armature", kind_.angle.in(is_planar_) ? "kg.m^2" : "kg", 0);
    if (kind_.kind == Joint::Kind::screw_pair) joint.value = fields_.need_number("pitch", "m");
  }
  bool has_key(std::string_view key) const {
    return std::ranges::any_of(kind_.fields, [&](const mechanism::KindField& f) { return key == f.key; });
  }

  void read_distance(Joint& joint) {
    const auto points = read_two_points(context_, own_, "distance");
    if (!points) return;
    joint.markers = *points;
    const double start = (world((*points)[0]) - world((*points)[1])).norm();
    joint.value = fields_.number("length", "m", start);
  }

  Vec3 world(const Marker& marker) const {
    const Frame place = context_.placement(marker.body);
    return place.at + place.axes * marker.frame.at;
  }

  // point-on-line and point-on-plane: the point, then the line or plane on the other body
  void read_point_on(Joint& joint, const std::string& direction_key) {
    const auto point = read_point_marker(context_, own_, kind_.name);
    const YamlNode* through_node = fields_.need("through");
    const YamlNode* direction_node = fields_.need(direction_key);
    const YamlNode* of = fields_.find("of");
    const auto body = of == nullptr ? std::optional<std::string>(kGround) : read_word(context_, *of, "of");
    const bool body_known = body && (of == nullptr || context_.find_body(*of, *body));
    const auto through =
        through_node == nullptr ? std::nullopt : read_place(context_, *through_node, "through");
    const auto direction = direction_node == nullptr
                               ? std::nullopt
                               : read_world_direction(context_, *direction_node, direction_key);
    if (!point || !through || !direction || !body_known) return;
    const bool along_x = is_planar_;
    const Mat3 axes = along_x ? frame_along_x(*direction) : frames_along_z({*direction, *direction}).first;
    joint.markers = {*point, context_.marker_at(*body, {*through, axes})};
  }

  ModelContext& context_;
  Fields fields_;
  const YamlNode& own_;
  const mechanism::JointInfo& kind_;
  bool is_planar_;
};

std::vector<std::string> kind_keys(bool is_planar) {
  std::vector<std::string> keys;
  for (const mechanism::JointInfo& kind : mechanism::joint_kinds())
    if (kind.exists.in(is_planar) && !kind.fields.empty()) keys.emplace_back(kind.name);
  return keys;
}

void read_joint(ModelContext& context, const YamlNode& key, const YamlNode& value, bool couplers) {
  const bool is_planar = context.mechanism.is_planar;
  const mechanism::JointInfo* kind = kind_of(value);
  if ((kind != nullptr && kind->of == mechanism::JointOf::joints) != couplers) return;
  if (!context.declare(key, key.text, "joint")) return;
  if (kind != nullptr && kind->kind == Joint::Kind::belt)
    return read_belt_joints(context, key, Fields(context, key, value, kind->title()));
  Joint joint;
  joint.name = key.text;
  joint.where = {key.line, key.column};
  if (kind == nullptr) {
    report_no_kind(context, key, value, "joint", kind_keys(is_planar));
  } else if (is_planar && !kind->exists.plane) {
    context.error(key, fmt::format("a {} joint does not exist in the plane", kind->name),
                  fmt::format("in the plane there are: {}", fmt::join(kind_keys(true), ", ")));
  } else {
    joint.kind = kind->kind;
    if (kind->of == mechanism::JointOf::joints) {
      read_coupler(context, key, value, *kind, joint);
    } else if (kind->has_speeds()) {
      read_velocity_joint(context, key, value, *kind, joint);
    } else {
      JointReader(context, key, value, *kind).read(joint);
    }
  }
  context.joints[joint.name] = context.mechanism.joints.size();
  context.mechanism.joints.push_back(std::move(joint));
}

}  // namespace

void read_joints(ModelContext& context, const YamlNode& root) {
  for (const bool couplers : {false, true}) {
    for_each_entry(context, root, "joints", [&](const YamlNode& key, const YamlNode& value) {
      read_joint(context, key, value, couplers);
    });
    if (!couplers) replace_pins(context);
  }
}

}  // namespace trammel::model
