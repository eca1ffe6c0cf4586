// Yardsticks of the mechanisms with few unknowns; null for any other problem.
#pragma once

#include "yardsticks/yardstick.h"

namespace trammel::bench {

std::unique_ptr<Yardstick> make_small_yardstick(const std::string& problem, const State& start);

}  // namespace trammel::bench
