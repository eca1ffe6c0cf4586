// What a stability analysis tells: as JSON with stable keys for programs, and as a table for a person.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/stability.h"

namespace trammel::results {

// One entry for each step size.
nlohmann::ordered_json stability_json(const ResolvedPlan& plan,
                                      const std::vector<analysis::Stability>& results);
std::string stability_text(const ResolvedPlan& plan, const std::vector<analysis::Stability>& results);
// Why there is no result.
std::string stability_failure(const analysis::Stability& result);

}  // namespace trammel::results
