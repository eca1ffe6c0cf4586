// Spring and damper of a ball joint, as expressions of the axes and angular velocities of its bodies.
//
//   T = k θ n + c ω,   with the rotation θ about n from the start and the relative angular velocity ω
//
// Let r_i be the child's axes as they would stand if the joint had not turned, and e_i those axes as they
// stand. Then s = ½ Σ r_i × e_i = n sin θ and cos θ = ½ (Σ r_i·e_i − 1). θ n = (θ/sin θ) s is smooth at θ =
// 0, but no formula with θ itself is, and a root or a quotient there looks like a kink. So the angle is
// halved:
//
//   θ/sin θ = φ/sin φ / Π cos(θ/2ᵏ),   φ = θ/2⁵,   cos(θ/2) = √((1 + cos θ)/2)
//   φ/sin φ = 1 + x/3 + 2x²/15 + 2x³/35 + 8x⁴/315 + 8x⁵/693 + …,   x = 1 − cos φ < 0.005
#pragma once

#include <array>
#include <string>

#include "model/import/robot_text.h"

namespace trammel::model {

// The three components of T in world axes, each a product or a name that a sign may stand before. Names are
// added to `define`.
std::array<std::string, 3> ball_torque(RobotText& text, int joint);

}  // namespace trammel::model
