// What a rigid body has besides its mass: inertia, orientation at the start, a rotor inside.
#pragma once

#include <optional>

#include "model/reader/context.h"

namespace trammel::model {

// About the centre of mass, body axes. Plane: a number. Space: [Ixx, Iyy, Izz], 3x3, or {xx:, …, xy:, …}.
std::optional<Mat3> read_inertia(ModelContext&, const YamlNode&);
// {axis:, angle:}, {euler-xyz:}, {quaternion:} or {x:, y:}
std::optional<Mat3> read_orientation(ModelContext&, const YamlNode&);
std::optional<Rotor> read_rotor(ModelContext&, const YamlNode&);

}  // namespace trammel::model
