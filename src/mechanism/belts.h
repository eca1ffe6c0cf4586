// Spans of belts: what joints (inextensible) and forces (elastic) have in common.
//
// A span runs from pulley 1 to pulley 2 along the common tangent u of their circles. With signed radii R,
// positive where the belt runs counterclockwise about the pulley's z axis, and d from centre to centre,
//
//   u at the angle asin(ρ/|d|) from d,  ρ = R₁ − R₂,   L = √(|d|² − ρ²),   it touches at c + R (u × z)
//
// The belt does not slip. Between two marks on the pulleys lies, up to a constant, the length
//
//   S = L + ρ asin(ρ/|d|) + R₁ φ₁ − R₂ φ₂
//
// φ the angle of d in the frame of each pulley: its changes are the span's stretch.
#pragma once

#include <string>
#include <vector>

#include "mechanism/kind_fields.h"
#include "trammel/mechanism.h"

namespace trammel::mechanism {

// Keys of a belt's path, in joints and forces alike.
std::vector<KindField> belt_path_fields();

struct BeltTangent {
  Vec3 along = Vec3::UnitX();                        // u
  Vec3 leaves = Vec3::Zero(), comes = Vec3::Zero();  // where it touches the pulleys
  double length = 0;                                 // L; NaN where one circle lies within the other
};
// Between circles about the centres; axis: z of both, unit.
BeltTangent belt_tangent(const Vec3& first, const Vec3& second, const Vec3& axis,
                         const Joint::Pulleys& radii);

// The stretch of a span and its rate, as texts of the signals NAME.first, .second and .tangent.
std::string stretch_text(const std::string& name, const Joint::Pulleys& radii, bool rate);

}  // namespace trammel::mechanism
