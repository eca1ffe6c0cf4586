// What 'trammel solve inverse' tells: JSON with stable keys for programs, a table for a person.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/inverse_dynamics.h"

namespace trammel::results {

nlohmann::ordered_json inverse_json(const analysis::InverseDynamics& found);
std::string inverse_text(const analysis::InverseDynamics& found);

}  // namespace trammel::results
