// What follows from the teeth of two gears (Joint::Teeth). A second radius that is infinite means a rack,
// along the second marker's x axis.
#pragma once

#include <cmath>

#include "trammel/mechanism.h"

namespace trammel::mechanism {

// The pressure angle in planes across the axis: tan α = tan αₙ/cos β.
inline double transverse_pressure_angle(const Joint::Teeth& teeth) {
  return std::atan(std::tan(teeth.pressure_angle) / std::cos(teeth.helix_angle));
}

// A rack's pinion lies on the side of the rack's y axis, 1, or on the other, −1, where the model places it.
inline double rack_side(const Mechanism& mechanism, const Joint& joint) {
  const Marker &pinion = joint.markers.at(0), &rack = joint.markers.at(1);
  const Frame first = mechanism.placement(pinion.body), second = mechanism.placement(rack.body);
  const Vec3 from_rack = first.at + first.axes * pinion.frame.at - second.at - second.axes * rack.frame.at;
  return std::copysign(1.0, from_rack.dot(Vec3(second.axes * rack.frame.axes.col(1))));
}

}  // namespace trammel::mechanism
