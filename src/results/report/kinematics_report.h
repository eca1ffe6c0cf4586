// What 'trammel solve kinematics' tells: JSON with stable keys for programs, a table for a person.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/kinematics.h"

namespace trammel::results {

nlohmann::ordered_json kinematics_json(const analysis::Kinematics& found);
std::string kinematics_text(const analysis::Kinematics& found);

}  // namespace trammel::results
