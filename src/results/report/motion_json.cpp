#include "results/report/motion_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "results/report/words.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kRounding = 1e-10;

}  // namespace

double last_time(const Trajectory& motion) {
  return motion.rows() > 0 ? motion.row(motion.rows() - 1)[0] : 0;
}

std::string way_in_time(const Trajectory& motion) {
  return fmt::format("to t = {:.6g} s", last_time(motion));
}

std::string name_with_unit(const Channel& channel) {
  if (channel.unit.empty()) return channel.name;
  std::string unit = channel.unit;
  if (unit.ends_with("s2")) unit.replace(unit.size() - 1, 1, "²");
  return fmt::format("{} [{}]", channel.name, unit);
}

std::string motion_text(const Trajectory& motion, const std::string& way, double violation,
                        const std::vector<std::string>& held) {
  std::string text = fmt::format("{} {}, joints closed to {:.1e}\n",
                                 plural(static_cast<long>(motion.rows()), "row"), way, violation);
  for (const std::string& one : held) text += fmt::format("Held: {}\n", one);
  return text;
}

std::vector<PageFigure> motion_figures(const Trajectory& motion, const std::string& way, double violation,
                                       const std::vector<std::string>& held) {
  std::vector<PageFigure> figures = {
      {"Rows", std::to_string(motion.rows()), way},
      {"Joints closed to", fmt::format("{:.1e}", violation), "lengths scaled to one"}};
  if (!held.empty()) figures.push_back(held_figure(held));
  return figures;
}

PageFigure held_figure(const std::vector<std::string>& held) {
  return {"Held", fmt::format("{}", fmt::join(held, ", ")),
          "freedoms that nothing drives, at their start values"};
}

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
  // Rounding beside the largest value is none.
  const double rounding = kRounding * std::max(std::abs(range.least), std::abs(range.largest));
  for (double* one : {&range.least, &range.largest})
    if (std::abs(*one) < rounding) *one = 0;
  return range;
}

}  // namespace trammel::results
