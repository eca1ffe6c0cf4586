// A table of a motion for programs: times, names of the columns with their units, rows; and where columns are
// largest, for a person.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "results/report/analysis_record.h"
#include "trammel/trajectory.h"

namespace trammel::results {

// times, columns, units and rows; the time is no column of the rows. A missing value is null.
nlohmann::ordered_json motion_json(const Trajectory& motion);

// Of one column: the least and the largest value, and when.
struct ColumnRange {
  double least = 0, largest = 0, at_least = 0, at_largest = 0, mean_square = 0;
};
ColumnRange column_range(const Trajectory& motion, std::size_t column);

// "crank.x [m]"
std::string name_with_unit(const Channel& channel);
double last_time(const Trajectory& motion);
// "to t = 2 s"
std::string way_in_time(const Trajectory& motion);
// How many rows and where they lead, how well the joints are closed, what is held; the first in a page's
// figures too.
std::string motion_text(const Trajectory& motion, const std::string& way, double violation,
                        const std::vector<std::string>& held);
std::vector<PageFigure> motion_figures(const Trajectory& motion, const std::string& way, double violation,
                                       const std::vector<std::string>& held);
PageFigure held_figure(const std::vector<std::string>& held);

}  // namespace trammel::results
