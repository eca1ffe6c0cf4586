// Growth: time of a step and memory as a mechanism gets longer, and the exponent of its power law.
#pragma once

#include "search.h"

namespace trammel::bench {

// Rows of the accuracy "growth": one for each problem, code and rule, and after each family one with the
// exponent.
std::vector<Row> growth(const std::vector<std::unique_ptr<Code>>& codes,
                        const std::vector<std::string>& wanted, bool quick,
                        const std::function<void(const std::string&)>& say);

}  // namespace trammel::bench
