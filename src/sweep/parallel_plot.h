// Parallel coordinates (Inselberg 1985): one vertical axis for each parameter and observation, one line for
// each run.
#pragma once

#include <string>

#include "trammel/sweep.h"

namespace trammel::sweep {

// As inline SVG, with at most so many runs, evenly chosen.
std::string parallel_coordinates(const SweepTable& table, std::size_t most_runs);

}  // namespace trammel::sweep
