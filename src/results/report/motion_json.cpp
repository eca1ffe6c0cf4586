#include "results/report/motion_json.h"

#include <cmath>
#include <limits>

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json motion_json(const Trajectory& motion) {
  Json times = Json::array(), columns = Json::array(), units = Json::array(), rows = Json::array();
  for (std::size_t c = 1; c < motion.channels.size(); ++c) {
    columns.push_back(motion.channels[c].name);
    units.push_back(motion.channels[c].unit);
  }
  for (std::size_t r = 0; r < motion.rows(); ++r) {
    const std::span<const double> row = motion.row(r);
    times.push_back(row[0]);
    rows.push_back(std::vector<double>(row.begin() + 1, row.end()));
  }
  return {{"times", std::move(times)},
          {"columns", std::move(columns)},
          {"units", std::move(units)},
          {"rows", std::move(rows)}};
}

ColumnRange column_range(const Trajectory& motion, std::size_t column) {
  ColumnRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), 0, 0,
                    0};
  std::size_t count = 0;
  for (std::size_t r = 0; r < motion.rows(); ++r) {
    const double t = motion.row(r)[0], value = motion.row(r)[column];
    if (!std::isfinite(value)) continue;
    if (value < range.least) range.least = value, range.at_least = t;
    if (value > range.largest) range.largest = value, range.at_largest = t;
    range.mean_square += value * value;
    ++count;
  }
  if (count == 0) return {};
  range.mean_square /= static_cast<double>(count);
  return range;
}

}  // namespace trammel::results
