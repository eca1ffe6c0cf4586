#include "sweep/parallel_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/plot/markup.h"

namespace trammel::sweep {
namespace {

constexpr double kWidth = 1040, kHeight = 376, kTop = 50, kBottom = 24, kSide = 70;
// Names of axes that are nearer than this stand in two rows.
constexpr double kNear = 160;

struct Axis {
  std::string name;
  const std::vector<double>* values;
  double low, high;

  double y(double value) const {
    const double part = high > low ? (value - low) / (high - low) : 0.5;
    return kHeight - kBottom - part * (kHeight - kTop - kBottom);
  }
};

std::vector<Axis> axes_of(const SweepTable& table) {
  std::vector<Axis> axes;
  const auto add = [&](const std::string& name, const std::vector<double>& values) {
    double low = INFINITY, high = -INFINITY;
    for (const double x : values)
      if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
    if (low <= high) axes.push_back({name, &values, low, high});
  };
  for (std::size_t k = 0; k < table.parameters.size(); ++k)
    add(table.parameters[k], table.parameter_values[k]);
  for (std::size_t k = 0; k < table.observations.size(); ++k)
    if (table.observations[k].points.empty()) add(table.observations[k].name, table.observation_values[k]);
  return axes;
}

// From blue to orange.
std::string colour(double part) {
  const auto mix = [part](double from, double to) { return static_cast<int>(from + part * (to - from)); };
  return fmt::format("rgb({},{},{})", mix(0, 213), mix(114, 94), mix(178, 0));
}

}  // namespace

std::string parallel_coordinates(const SweepTable& table, std::size_t most_runs) {
  const std::vector<Axis> axes = axes_of(table);
  if (axes.size() < 2) return "<p>There is one axis only.</p>\n";
  const double gap = (kWidth - 2 * kSide) / static_cast<double>(axes.size() - 1);
  const auto x = [&](std::size_t k) { return kSide + static_cast<double>(k) * gap; };
  // The first observation decides on colours.
  const std::size_t parameters = std::min(table.parameters.size(), axes.size() - 1);
  std::string out = fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Parallel coordinates\">\n", kWidth,
      kHeight);
  const std::size_t stride = table.runs() / most_runs + 1;
  for (std::size_t run = 0; run < table.runs(); run += stride) {
    std::string points;
    for (std::size_t k = 0; k < axes.size(); ++k)
      if (const double value = (*axes[k].values)[run]; std::isfinite(value))
        points += fmt::format("{:.1f},{:.1f} ", x(k), axes[k].y(value));
    const Axis& key = axes[parameters];
    const double value = (*key.values)[run],
                 part = key.high > key.low ? (value - key.low) / (key.high - key.low) : 0.5;
    out += fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-opacity=\"0.35\"><title>run "
        "{}</title></polyline>\n",
        points, std::isfinite(part) ? colour(part) : "gray", run);
  }
  for (std::size_t k = 0; k < axes.size(); ++k) {
    out += fmt::format("<line class=\"frame\" x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\"/>\n", x(k),
                       kTop, kHeight - kBottom);
    out += fmt::format("<text class=\"middle halo\" x=\"{:.1f}\" y=\"{}\">{}</text>\n", x(k),
                       k % 2 == 0 || gap > kNear ? 12 : 26, results::escaped(axes[k].name));
    out += fmt::format("<text class=\"tick middle halo\" x=\"{:.1f}\" y=\"{}\">{:.4g}</text>\n", x(k),
                       kHeight - 6, axes[k].low);
    out += fmt::format("<text class=\"tick middle halo\" x=\"{:.1f}\" y=\"{}\">{:.4g}</text>\n", x(k),
                       kTop - 7, axes[k].high);
  }
  return out + "</svg>\n";
}

}  // namespace trammel::sweep
