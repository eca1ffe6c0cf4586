#include "mechanism/belts.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

namespace trammel::mechanism {
namespace {

constexpr const char* kPulleyNames = R"({"type": "array", "items": {"type": "string"}, "minItems": 2})";
constexpr const char* kPulleyRadii =
    R"({"type": "array", "items": {"$ref": "#/definitions/number"}, "minItems": 2})";
constexpr const char* kPulleyPlaces =
    R"({"type": "array", "items": {"anyOf": [{"$ref": "#/definitions/vector"}, {"$ref": "#/definitions/point reference"}]}, "minItems": 2})";

}  // namespace

std::vector<KindField> belt_path_fields() {
  return {{"belt", kPulleyNames,
           "The bodies of the pulleys in the order in which the belt runs over them. A body may come again.",
           true},
          {"radii", kPulleyRadii,
           "Of each pulley to the middle of the belt, m: positive where the belt runs counterclockwise about "
           "it, negative where it runs clockwise, as over an idler on its back or where it is crossed.",
           true},
          {"centers", kPulleyPlaces,
           "The centres of the pulleys at the start. Default: the bodies' centres of mass."},
          {"axis", "direction", "In space: the direction of all axes at the start."},
          {"closed", R"({"type": "boolean"})",
           "false: the belt has no span from the last pulley to the first, as a rope that is wound on two "
           "drums. Default: true."}};
}

BeltTangent belt_tangent(const Vec3& first, const Vec3& second, const Vec3& axis,
                         const Joint::Pulleys& radii) {
  Vec3 d = second - first;
  d -= d.dot(axis) * axis;
  const double distance = d.norm(), rho = radii[0] - radii[1];
  BeltTangent tangent;
  tangent.length = std::sqrt(distance * distance - rho * rho);
  // u = (L d̂ + ρ z × d̂)/|d|
  tangent.along = (tangent.length * d + rho * axis.cross(d)) / (distance * distance);
  const Vec3 right = tangent.along.cross(axis);
  tangent.leaves = first + radii[0] * right;
  tangent.comes = second + radii[1] * right;
  return tangent;
}

std::string stretch_text(const std::string& name, const Joint::Pulleys& radii, bool rate) {
  const char* tail = rate ? "_rate" : "";
  return fmt::format("({:.17g}*{}.first{} - ({:.17g})*{}.second{} + {}.tangent{})", radii[0], name, tail,
                     radii[1], name, tail, name, tail);
}

}  // namespace trammel::mechanism
