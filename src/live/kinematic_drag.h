// Kinematic drag: a point of a body follows a target as far as the joints allow.
//
//   min |x(q) − target|²   with Φ(q, t) = 0
//
// Gauss–Newton within the velocities that the constraints allow: with R their basis and J = ∂x/∂v,
// δ = R y, y = argmin |J R y − (target − x)|² + μ|y|², then the joints are closed by projection.
#pragma once

#include "system/system.h"
#include "trammel/state.h"

namespace trammel::live {

struct Dragged {
  State state;
  double distance = 0;  // m, of the point from the target
};

// From an assembled State; its velocities are projected onto the constraints at the new place. Throws
// std::invalid_argument where these coordinates cannot do it, or the mechanism is too large.
Dragged drag(const system::System& system, const State& from, const system::Place& point, const Vec3& target);

}  // namespace trammel::live
