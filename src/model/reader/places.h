// How the model file refers to points and directions: `P`, `arm.tip`, `arm.com`, `{body: arm, at: [1, 0]}`.
//
// A joint needs a place (and an axis) on each of its two bodies. One place in the world at the start gives
// both; a point known to one body gives the other by the placement at the start; a pair names one on each.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/reader/context.h"

namespace trammel::model {

// A point as the bodies that carry it know it, moving bodies before ground.
struct KnownPoint {
  std::vector<Marker> on;  // axes: the body's own
  Vec3 world;              // at the start
};

std::optional<KnownPoint> read_point(ModelContext&, const YamlNode&, const std::string& label);
// The same as a marker: on ground if ground carries it, else on the first body that does.
std::optional<Marker> read_point_marker(ModelContext&, const YamlNode&, const std::string& label);
// Two points, as of a spring.
std::optional<std::vector<Marker>> read_two_points(ModelContext&, const YamlNode&, const std::string& label);
// A place in the world at the start: a vector or a point.
std::optional<Vec3> read_place(ModelContext&, const YamlNode&, const std::string& label);
// A direction in the world at the start: a vector or a body's own (`arm.n`).
std::optional<Vec3> read_world_direction(ModelContext&, const YamlNode&, const std::string& label);

struct BodyPair {
  std::string first, second;
};

// The joint's place on each body, in the body's axes. No node: the origin of the first body that is not
// ground.
struct PlacePair {
  Vec3 first = Vec3::Zero(), second = Vec3::Zero();
};
PlacePair read_joint_place(ModelContext&, const YamlNode*, const std::string& label, const BodyPair&);

// The joint's axis on each body, in world axes at the start.
struct AxisPair {
  Vec3 first = Vec3::UnitZ(), second = Vec3::UnitZ();
};
AxisPair read_joint_axis(ModelContext&, const YamlNode&, const std::string& label, const BodyPair&);
// Frames with these z axes and a common x axis, perpendicular to both.
std::pair<Mat3, Mat3> frames_along_z(const AxisPair& z);

}  // namespace trammel::model
