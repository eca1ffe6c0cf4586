// A State of a mechanism for programs: where bodies are, what joints transmit.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "trammel/motion.h"

namespace trammel::results {

// By name: x, y and angle in the plane; x, y, z and the quaternion q = [w, x, y, z] in space. Centres of
// mass.
nlohmann::ordered_json bodies_json(const Mechanism& mechanism, const std::vector<Pose>& poses);
// The same for a person, a line for each body.
std::string places_text(const Mechanism& mechanism, const std::vector<Pose>& poses);
// For a table: names and units of the columns, and the cells of a body.
std::vector<std::string> place_head(const Mechanism& mechanism);
std::vector<std::string> place_cells(const Mechanism& mechanism, std::size_t body, const Pose& pose);
// By joint and driver: the force and torque on each body, the effort, components that are not unique.
nlohmann::ordered_json reactions_json(const std::map<std::string, JointReaction>& reactions);

}  // namespace trammel::results
