// Spring and damper of a ball joint, as expressions of the axes and angular velocities of its bodies.
//
//   T = k θ n + c ω,   with the rotation θ about n from the start and the relative angular velocity ω
//
// Let r_i be the child's axes as they would stand if the joint had not turned, and e_i those axes as they
// stand. Then s = ½ Σ r_i × e_i = n sin θ, 1 − cos θ = x = ½ (3 − Σ r_i·e_i), and θ/sin θ is a smooth
// function of x:
//
//   θ/sin θ = 2 asin √(y/2) / √(y (2 − y)),   y = √(x² + 10⁻²⁴), so that it is defined for x = 0
#pragma once

#include <array>
#include <string>

#include "model/import/robot_text.h"

namespace trammel::model {

// The three components of T in world axes, each a product or a name that a sign may stand before. Names are
// added to `define`.
std::array<std::string, 3> ball_torque(RobotText& text, int joint);

}  // namespace trammel::model
