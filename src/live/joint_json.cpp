// Joints from JSON: two places, and frames there as each kind needs them.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <stdexcept>

#include "live/part_json.h"
#include "mechanism/joint_kinds.h"
#include "model/reader/context.h"

namespace trammel::live {
namespace {

// Right-handed, with the given axis in one column; z stays z in the plane.
Mat3 frame_with(int axis, const Vec3& direction, bool is_planar) {
  Mat3 axes;
  const int next = (axis + 1) % 3, last = (axis + 2) % 3;
  axes.col(axis) = direction;
  if (is_planar && axis != 2) {
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

// Frames with the given z axes and a common x axis.
std::pair<Mat3, Mat3> frames_along_z(const Vec3& first, const Vec3& second) {
  Vec3 x = first.cross(second);
  // parallel to rounding: any perpendicular will do
  x = x.norm() > 1e-9 ? x.normalized() : Vec3(first.unitOrthogonal());
  const auto frame = [&](const Vec3& z) {
    const Vec3 own = (x - x.dot(z) * z).normalized();
    Mat3 axes;
    axes << own, z.cross(own), z;
    return axes;
  };
  return {frame(first), frame(second)};
}

// The frames of both markers, in the world now.
std::pair<Mat3, Mat3> world_axes(mechanism::JointFrames frames, bool planar, const JointAxes& given) {
  const Vec3 usual = planar ? Vec3::UnitX() : Vec3::UnitZ();
  const Vec3 first = given.first.value_or(given.second.value_or(usual)),
             second = given.second.value_or(first);
  const Mat3 one = Mat3::Identity();
  switch (frames) {
    case mechanism::JointFrames::own:
    case mechanism::JointFrames::world:
      return {one, one};
    case mechanism::JointFrames::along:
      if (planar) return {frame_with(0, first, true), frame_with(0, second, true)};
      return frames_along_z(first, second);
    case mechanism::JointFrames::crossed:
      return frames_along_z(first, given.second.value_or(first.unitOrthogonal()));
    case mechanism::JointFrames::shafts:
      return frames_along_z(first, second);
    case mechanism::JointFrames::second:
      return {one, frame_with(planar ? 0 : 2, second, planar)};
    case mechanism::JointFrames::edge: {
      const Mat3 edge = frame_with(0, given.first.value_or(given.second.value_or(Vec3::UnitX())), planar);
      return {edge, edge};
    }
    case mechanism::JointFrames::wheel:
      return {one, frame_with(planar ? 1 : 2, given.second.value_or(planar ? Vec3::UnitY() : Vec3::UnitZ()),
                              planar)};
    case mechanism::JointFrames::disk:
      return {frame_with(2, given.first.value_or(Vec3::UnitY()), false),
              frame_with(2, given.second.value_or(Vec3::UnitZ()), false)};
  }
  return {one, one};
}

struct GivenPlace {
  Marker marker;
  std::optional<Vec3> axis;  // world
};

GivenPlace place_from(const Json& json, const Draft& draft) {
  const JsonFields fields(json, "marker", {"body", "at", "axis", "world"});
  GivenPlace place;
  place.marker.body = fields.text("body");
  const Frame body = draft.frame(place.marker.body);
  const bool world = fields.flag("world", false);
  const Vec3 at = fields.vector("at", world ? body.at : Vec3::Zero());
  place.marker.frame.at = world ? Vec3(body.axes.transpose() * (at - body.at)) : at;
  if (fields.has("axis")) {
    const Vec3 axis = fields.vector("axis");
    if (axis.norm() == 0) fields.refuse("axis", "a direction");
    place.axis = (world ? axis : Vec3(body.axes * axis)).normalized();
  }
  return place;
}

}  // namespace

Joint::Kind joint_kind(const std::string& name) {
  if (const mechanism::JointInfo* found = mechanism::find_joint_kind(name)) return found->kind;
  std::string all;
  for (const mechanism::JointInfo& info : mechanism::joint_kinds())
    all += (all.empty() ? "" : ", ") + std::string(info.name);
  throw std::invalid_argument(fmt::format("there is no joint '{}'; there are: {}", name, all));
}

void orient(Joint& joint, const JointAxes& axes, const Draft& draft) {
  if (joint.markers.size() != 2) return;
  const bool planar = draft.model.is_planar;
  const mechanism::JointFrames frames = mechanism::about(joint.kind).frames.in(planar);
  if (frames == mechanism::JointFrames::own) {
    for (Marker& m : joint.markers) m.frame.axes = Mat3::Identity();
    return;
  }
  const auto [first, second] = world_axes(frames, planar, axes);
  joint.markers[0].frame.axes = draft.frame(joint.markers[0].body).axes.transpose() * first;
  joint.markers[1].frame.axes = draft.frame(joint.markers[1].body).axes.transpose() * second;
}

Joint joint_from(const Json& json, Draft& draft) {
  const JsonFields fields(json, "joint", {"name", "kind", "markers", "of", "law", "value", "armature"});
  Joint joint;
  joint.kind = joint_kind(fields.text("kind"));
  joint.name = fields.has("name") ? fields.text("name") : draft.free_name("joint");
  if (!model::is_identifier(joint.name)) fields.refuse("name", "letters, digits and _, a letter first");
  draft.name = joint.name;
  if (fields.has("of")) joint.of = fields.texts("of");
  if (fields.has("law")) joint.law = fields.texts("law");
  const mechanism::JointInfo& kind = mechanism::about(joint.kind);
  if (!kind.has_markers()) {
    if (kind.value.key != nullptr) joint.value = fields.number("value");
    return joint;
  }
  const Json& list = fields.need("markers");
  if (!list.is_array() || list.size() != 2) fields.refuse("markers", "two places");
  const GivenPlace first = place_from(list[0], draft), second = place_from(list[1], draft);
  joint.markers = {first.marker, second.marker};
  if (joint.markers[0].body == joint.markers[1].body)
    throw std::invalid_argument(
        fmt::format("joint: it would connect '{}' to itself; name two bodies", joint.markers[0].body));
  orient(joint, {first.axis, second.axis}, draft);
  joint.value = fields.number("value", 0);
  joint.armature = fields.number("armature", 0);
  if (joint.kind == Joint::Kind::distance && !fields.has("value"))
    joint.value = (draft.world(joint.markers[0]) - draft.world(joint.markers[1])).norm();
  return joint;
}

}  // namespace trammel::live
