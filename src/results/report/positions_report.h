// What 'trammel solve positions' tells: JSON with stable keys for programs, a table for a person.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/assembly_branches.h"

namespace trammel::results {

struct PositionsResult {
  std::vector<std::string> held;
  double largest_move = 0;  // m, of a point, from where the model places it
  analysis::BranchSearch search;
};

nlohmann::ordered_json positions_json(const Mechanism& mechanism, const PositionsResult& found);
std::string positions_text(const Mechanism& mechanism, const PositionsResult& found);

}  // namespace trammel::results
