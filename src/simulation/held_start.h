// Coordinates that `initial:` gives are met exactly: assembly finds the start of a mechanism in which drivers
// at rest hold them.
#pragma once

#include <optional>

#include "trammel/mechanism.h"

namespace trammel::simulation {

// That mechanism; none where the model gives no coordinate.
std::optional<Mechanism> held_start(const Mechanism& mechanism);

}  // namespace trammel::simulation
