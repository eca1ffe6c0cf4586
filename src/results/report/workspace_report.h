// What 'trammel solve workspace' tells: JSON with stable keys for programs, a summary for a person.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/workspace.h"

namespace trammel::results {

nlohmann::ordered_json workspace_json(const Mechanism& mechanism, const analysis::Workspace& found);
std::string workspace_text(const Mechanism& mechanism, const analysis::Workspace& found);

}  // namespace trammel::results
