// Yardsticks of mechanisms of any length: rows of four-bars and the open chain; null for any other problem.
#pragma once

#include "yardsticks/yardstick.h"

namespace trammel::bench {

std::unique_ptr<Yardstick> make_four_bar_row(const State& start);
std::unique_ptr<Yardstick> make_chain(const State& start);

}  // namespace trammel::bench
