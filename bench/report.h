// What the rows say: ratios, tables for a terminal, JSON, and the page docs/performance.md.
#pragma once

#include <vector>

#include "row.h"

namespace trammel::bench {

// Fills ratio_to_yardstick and ratio_to_best_peer: time by time at the same accuracy or number of bodies,
// instructions by instructions (time where they were not counted) at the same step.
void compare(std::vector<Row>& rows);

nlohmann::ordered_json json(const std::vector<Row>& rows);
std::string tables(const std::vector<Row>& rows);
std::string page(const std::vector<Row>& rows);

}  // namespace trammel::bench
