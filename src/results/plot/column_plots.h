// Plots of columns of results: a panel for each unit, errors as bands.
#pragma once

#include <string>
#include <vector>

#include "results/plot/svg_plot.h"
#include "trammel/trajectory.h"

namespace trammel::results {

// The columns that words name: "crank.angle" itself, "A.force" for A.force.x and A.force.y. Throws
// std::invalid_argument for a word that names none, with the nearest names.
std::vector<std::size_t> named_columns(const Trajectory& rows, const std::vector<std::string>& words);

struct ColumnPlots {
  std::vector<std::size_t> columns;
  std::size_t over = 0;   // the column of the horizontal axis
  bool one_each = false;  // a panel for each column, not for each unit
  double width = 1040, height = 320;
};

// errors: none where it has no rows. Of long runs the largest and the smallest value of neighbouring rows are
// drawn, so that no peak is lost.
std::vector<Plot> column_plots(const Trajectory& rows, const Trajectory& errors, const ColumnPlots& wanted);

}  // namespace trammel::results
