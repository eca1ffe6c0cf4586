#include "results/plot/column_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#include "expressions/nearest_name.h"

namespace trammel::results {
namespace {

// Pieces of the horizontal axis, each drawn by its smallest and largest value: about one for each pixel.
constexpr std::size_t kPieces = 1000;

std::string labelled(const Channel& channel) {
  return channel.unit.empty() ? channel.name : fmt::format("{} [{}]", channel.name, channel.unit);
}

// Rows of which a curve consists: all, or of each piece the ones with the smallest and the largest value.
std::vector<std::size_t> drawn_rows(const Trajectory& rows, std::size_t column, bool in_order) {
  std::vector<std::size_t> drawn;
  const std::size_t count = rows.rows(), piece = count / kPieces + 1;
  for (std::size_t first = 0; first < count; first += piece) {
    const std::size_t last = std::min(first + piece, count);
    if (!in_order || piece < 3) {
      for (std::size_t i = first; i < last; ++i) drawn.push_back(i);
      continue;
    }
    std::size_t low = first, high = first;
    for (std::size_t i = first; i < last; ++i) {
      const double value = rows.row(i)[column];
      if (std::isnan(rows.row(low)[column]) || value < rows.row(low)[column]) low = i;
      if (std::isnan(rows.row(high)[column]) || value > rows.row(high)[column]) high = i;
    }
    drawn.push_back(std::min(low, high));
    if (low != high) drawn.push_back(std::max(low, high));
  }
  return drawn;
}

PlotBand band_of(const Trajectory& rows, const Trajectory& errors, std::size_t over, std::size_t column,
                 std::span<const std::size_t> drawn) {
  PlotBand band;
  for (const std::size_t i : drawn) {
    const double value = rows.row(i)[column], error = errors.row(i)[column];
    band.x.push_back(rows.row(i)[over]);
    band.low.push_back(value - error);
    band.high.push_back(value + error);
  }
  return band;
}

bool has_known_errors(const PlotBand& band) {
  return std::ranges::any_of(band.low, [](double low) { return std::isfinite(low); });
}

}  // namespace

std::vector<std::size_t> named_columns(const Trajectory& rows, const std::vector<std::string>& words) {
  std::vector<std::size_t> columns;
  const auto add = [&](std::size_t c) {
    if (std::ranges::find(columns, c) == columns.end()) columns.push_back(c);
  };
  std::vector<std::string> names;
  for (const Channel& channel : rows.channels) names.push_back(channel.name);
  for (const std::string& word : words) {
    bool found = false;
    for (std::size_t c = 0; c < names.size(); ++c) {
      if (names[c] != word && !names[c].starts_with(word + ".")) continue;
      add(c);
      found = true;
    }
    if (!found)
      throw std::invalid_argument(
          fmt::format("there is no column '{}'; {}", word, expressions::name_advice(word, names)));
  }
  return columns;
}

std::vector<Plot> column_plots(const Trajectory& rows, const Trajectory& errors, const ColumnPlots& wanted) {
  std::vector<Plot> plots;
  std::vector<std::string> units;
  for (const std::size_t column : wanted.columns) {
    const Channel& channel = rows.channels[column];
    const auto known = std::ranges::find(units, channel.unit);
    const bool is_new = wanted.one_each || known == units.end();
    if (is_new) {
      units.push_back(channel.unit);
      plots.push_back({.description = "",
                       .x = {.label = labelled(rows.channels[wanted.over])},
                       .y = {.label = channel.unit.empty() ? "" : fmt::format("[{}]", channel.unit)},
                       .curves = {},
                       .levels = {},
                       .bands = {},
                       .width = wanted.width,
                       .height = wanted.height});
    }
    Plot& plot = is_new ? plots.back() : plots[static_cast<std::size_t>(known - units.begin())];
    const std::vector<std::size_t> drawn = drawn_rows(rows, column, wanted.over == 0);
    PlotCurve curve{.name = channel.name,
                    .points = {},
                    .has_markers = false,
                    .style = plot.curves.size(),
                    .dashes = plot.curves.size() / 8};
    for (const std::size_t i : drawn)
      curve.points.push_back({.x = rows.row(i)[wanted.over], .y = rows.row(i)[column], .title = ""});
    if (errors.rows() == rows.rows()) {
      PlotBand band = band_of(rows, errors, wanted.over, column, drawn);
      band.style = curve.style;
      if (has_known_errors(band)) plot.bands.push_back(std::move(band));
    }
    plot.description += (plot.description.empty() ? "" : ", ") + channel.name;
    plot.curves.push_back(std::move(curve));
  }
  // One curve is named by its axis.
  for (Plot& plot : plots)
    if (plot.curves.size() == 1) {
      plot.y.label = plot.curves[0].name + (plot.y.label.empty() ? "" : " " + plot.y.label);
      plot.curves[0].name.clear();
    }
  return plots;
}

}  // namespace trammel::results
