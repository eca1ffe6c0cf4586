// One column of results, read at any state: a run writes the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trammel/simulation.h"

namespace trammel::simulation {

// Nothing if there is no such column; then their names are added to `known`. What costs less than a row of
// results is looked at first. Throws std::invalid_argument for `iterations` and `marked`, which no state has.
std::optional<double> column_value(const Simulation& simulation, const State& state, const std::string& name,
                                   std::vector<std::string>& known);

// The names of all that column_value() reads.
std::vector<std::string> column_names(const Simulation& simulation, const State& state);

}  // namespace trammel::simulation
