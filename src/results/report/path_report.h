// A path of equilibria over a parameter: a table of columns as of a run, JSON, words, and a plot of the
// parameter over a displacement.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/equilibrium_path.h"
#include "trammel/trajectory.h"

namespace trammel::results {

// Columns as of a run, with the parameter in place of the time.
Trajectory path_table(const Mechanism& mechanism, const std::string& parameter,
                      const analysis::EquilibriumPath& path);
nlohmann::ordered_json path_json(const Trajectory& table, const analysis::EquilibriumPath& path);
std::string path_text(const Trajectory& table, const analysis::EquilibriumPath& path);
// `column` is the horizontal axis; empty: the position that changes most. Throws std::invalid_argument where
// there is no such column.
std::string path_page(const Mechanism& mechanism, const Trajectory& table,
                      const analysis::EquilibriumPath& path, std::string column);

}  // namespace trammel::results
