// Held freedoms: coordinates that, held, leave a mechanism no motion but that of its drivers.
//
// Of the velocities R that the constraints allow, Φ_v R = 0, coordinates are chosen one after the other: the
// first in the order of the model that moves well while those before it rest. Joints on ground come first,
// then the others, then angles of bodies in the plane, then components of centres of mass and named points:
// so a person finds them again. Places on the axes of bodies come last.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "system/system.h"

namespace trammel::analysis {

struct HeldFreedom {
  std::string name;     // "hinge.angle"
  std::string freedom;  // what a person would drive: the same, or "the rotation of body"
  double value = 0;     // rad or m, where it is held
  std::string unit;
  Driver driver;  // which holds it there; it has the same name
};

// At an assembled State. Constraints of velocities hold no positions: they do not count.
std::vector<HeldFreedom> undriven_freedoms(const system::System& system, const Mechanism& mechanism,
                                           const State& state);

// The mechanism with these drivers.
Mechanism with_held(Mechanism mechanism, const std::vector<HeldFreedom>& held);

// Velocities that the constraints of positions allow, as columns: orthonormal in units of what counts as one.
Eigen::MatrixXd allowed_velocities(const system::System& system, const State& state);

}  // namespace trammel::analysis
