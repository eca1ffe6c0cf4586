// A State of a mechanism for programs: where bodies are, what joints transmit.
#pragma once

#include <nlohmann/json.hpp>

#include "trammel/simulation.h"

namespace trammel::results {

// By name: x, y and angle in the plane; x, y, z and the quaternion q = [w, x, y, z] in space. Centres of
// mass.
nlohmann::ordered_json bodies_json(const Mechanism& mechanism, const std::vector<Pose>& poses);
// By joint and driver: the force and torque on each body, the effort, components that are not unique. Of a
// State that has its accelerations and multipliers.
nlohmann::ordered_json reactions_json(const Simulation& simulation, const State& state);

}  // namespace trammel::results
