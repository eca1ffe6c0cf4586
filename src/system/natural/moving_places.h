// Where a MovingPlace is, and its axes.
#pragma once

#include <Eigen/Geometry>

#include "mechanism/belts.h"
#include "system/natural/parts.h"

namespace trammel::system {

template <int D>
Frame moving_frame(const NaturalParts<D>& parts, const MovingPlace<D>& place, const Elements<D>& x) {
  using Kind = typename MovingPlace<D>::Kind;
  const Vec3 z = D == 2 ? Vec3(Vec3::UnitZ()) : Vec3(math::widen<D>(place.axis(x)).normalized());
  const Vec3 centre = math::widen<D>(place.centre(x));
  Vec3 at = centre, along = Vec3::UnitX();
  if (place.kind == Kind::teeth) {
    at = math::widen<D>(place.at(x));
    along = at - centre;
  } else if (place.kind == Kind::belt) {
    const mechanism::BeltTangent span =
        mechanism::belt_tangent(centre, math::widen<D>(place.at(x)), z, place.pulleys);
    at = span.leaves;
    along = span.along;
  } else {
    const auto contact = parts.measures[static_cast<std::size_t>(place.gap)].contact(x);
    at = centre + math::widen<D>(contact.at);
    along = math::widen<D>(contact.normal);
  }
  Mat3 axes;
  axes.col(2) = z;
  axes.col(1) = z.cross(along).normalized();
  axes.col(0) = axes.col(1).cross(z);
  return {at, axes};
}

}  // namespace trammel::system
