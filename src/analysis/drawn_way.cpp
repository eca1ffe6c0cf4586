#include "analysis/drawn_way.h"

#include <Eigen/LU>
#include <algorithm>

namespace trammel::analysis {
namespace {

// Directions that joints hold differ from the drawn ones by nothing or by half a turn; assemblies are closed
// to 1e-9.
constexpr double kSameDirection = 1e-3;

// Axes of a marker in the world, bodies placed as given.
Mat3 axes_of(const Mechanism& mechanism, const std::vector<Pose>& poses, const Marker& marker) {
  const auto body = std::ranges::find(mechanism.bodies, marker.body, &Body::name);
  if (body == mechanism.bodies.end()) return marker.frame.axes;  // ground
  return poses[static_cast<std::size_t>(body - mechanism.bodies.begin())].axes * marker.frame.axes;
}

bool has_axes(const Mechanism& mechanism, const Marker& marker) {
  const auto body = std::ranges::find(mechanism.bodies, marker.body, &Body::name);
  return body == mechanism.bodies.end() || body->kind == Body::Kind::rigid;
}

// Whether a joint holds the directions of its bodies as in the drawing.
bool holds_as_drawn(const Mechanism& mechanism, const Joint& joint, const std::vector<Pose>& drawn,
                    const std::vector<Pose>& poses) {
  const bool locks = joint.kind == Joint::Kind::fixed || joint.kind == Joint::Kind::prismatic;
  const bool has_axis =
      !mechanism.is_planar && (joint.kind == Joint::Kind::revolute ||
                               joint.kind == Joint::Kind::cylindrical || joint.kind == Joint::Kind::planar);
  if (!locks && !has_axis) return true;
  for (std::size_t k = 1; k < joint.markers.size(); ++k) {
    const Marker &a = joint.markers[0], &b = joint.markers[k];
    if (!has_axes(mechanism, a) || !has_axes(mechanism, b)) continue;
    const Mat3 was = axes_of(mechanism, drawn, a).transpose() * axes_of(mechanism, drawn, b),
               is = axes_of(mechanism, poses, a).transpose() * axes_of(mechanism, poses, b);
    if (locks ? (is - was).norm() > kSameDirection : is(2, 2) * was(2, 2) < 0) return false;
  }
  return true;
}

}  // namespace

bool stands_as_drawn(const Mechanism& mechanism, const std::vector<Pose>& drawn,
                     const std::vector<Pose>& poses) {
  for (std::size_t b = 0; b < poses.size(); ++b)
    if (mechanism.bodies[b].kind == Body::Kind::rigid && !(poses[b].axes.determinant() > 0)) return false;
  return std::ranges::all_of(
      mechanism.joints, [&](const Joint& joint) { return holds_as_drawn(mechanism, joint, drawn, poses); });
}

}  // namespace trammel::analysis
