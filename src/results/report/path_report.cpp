#include "results/report/path_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulations/index3/augmented_lagrangian_index3.h"
#include "results/plot/markup.h"
#include "results/plot/svg_plot.h"
#include "simulation/recorder.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;
using analysis::Equilibrium;

const char* kind_of(const analysis::PathPoint& point) {
  return point.at.kind == Equilibrium::Kind::stable     ? "stable"
         : point.at.kind == Equilibrium::Kind::unstable ? "unstable"
                                                        : "neutral";
}

// The position that changes most.
std::string most_moved(const Trajectory& table) {
  std::string most = table.channels.front().name;
  double range = -1;
  for (std::size_t c = 1; c < table.channels.size(); ++c) {
    if (table.channels[c].dataset != "position" && table.channels[c].unit != "rad") continue;
    double low = INFINITY, high = -INFINITY;
    for (std::size_t r = 0; r < table.rows(); ++r) {
      low = std::min(low, table.row(r)[c]);
      high = std::max(high, table.row(r)[c]);
    }
    if (high - low > range) range = high - low, most = table.channels[c].name;
  }
  return most;
}

std::string paragraphs(const std::string& text) {
  std::string out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    out += "<p>" + escaped(text.substr(from, to - from)) + "</p>\n";
    from = to + 1;
  }
  return out;
}

}  // namespace

Trajectory path_table(const Mechanism& mechanism, const std::string& parameter,
                      const analysis::EquilibriumPath& path) {
  Trajectory table;
  for (const analysis::PathPoint& point : path.points) {
    // Reactions are those of rest that the equilibrium has: solved anew they would be those of a motion.
    ResolvedPlan plan;
    plan.reactions = "projections";
    State state = point.at.state;
    state.remember(formulations::kProjectionMultipliers, 0) = state.lambda;
    simulation::StateReader reader(point.system, mechanism, plan);
    simulation::Recorder recorder(mechanism, ReactionAxes::world, reader, state);
    const std::span<const double> row = recorder.row(reader, state, {});
    if (table.channels.empty()) {
      table.channels = recorder.channels();
      table.channels.front() = {"", parameter, "", "", parameter};
    }
    table.values.insert(table.values.end(), row.begin(), row.end());
    table.values[table.values.size() - row.size()] = point.value;
  }
  return table;
}

Json path_json(const Trajectory& table, const analysis::EquilibriumPath& path) {
  Json columns = Json::array(), rows = Json::array(), kinds = Json::array(), limits = Json::array();
  for (const Channel& channel : table.channels) columns.push_back(channel.name);
  for (std::size_t r = 0; r < table.rows(); ++r) {
    rows.push_back(std::vector<double>(table.row(r).begin(), table.row(r).end()));
    kinds.push_back(kind_of(path.points[r]));
    if (path.points[r].is_limit) limits.push_back(path.points[r].value);
  }
  return {{"parameter", table.channels.front().name},
          {"complete", path.report.accepted()},
          {"limits", std::move(limits)},
          {"kinds", std::move(kinds)},
          {"columns", std::move(columns)},
          {"rows", std::move(rows)}};
}

std::string path_text(const Trajectory& table, const analysis::EquilibriumPath& path) {
  const std::string& parameter = table.channels.front().name;
  std::string text = fmt::format("{} equilibria from {} = {:.6g} to {:.6g}\n", path.points.size(), parameter,
                                 path.points.front().value, path.points.back().value);
  for (std::size_t k = 0; k < path.points.size(); ++k) {
    const analysis::PathPoint& point = path.points[k];
    if (point.is_limit)
      text += fmt::format("  limit point at {} = {:.9g}: it turns back\n", parameter, point.value);
    else if (k == 0 || (point.at.kind != path.points[k - 1].at.kind && !path.points[k - 1].is_limit))
      text += fmt::format("  {} from {} = {:.6g}\n", kind_of(point), parameter, point.value);
    else if (path.points[k - 1].is_limit)
      text += fmt::format("  {} after it\n", kind_of(point));
  }
  return text;
}

std::string path_page(const Mechanism& mechanism, const Trajectory& table,
                      const analysis::EquilibriumPath& path, std::string column) {
  if (column.empty()) column = most_moved(table);
  const std::vector<double> x = table.column(column);
  const std::string& parameter = table.channels.front().name;
  const std::string unit = table.channels[static_cast<std::size_t>(table.find(column))].unit;
  PlotCurve line{"path", {}, false, true, 0, 0}, stable{"stable", {}, true, false, 0, 0},
      unstable{"unstable", {}, true, false, 1, 0}, neutral{"neutral", {}, true, false, 2, 0},
      limits{"limit point", {}, true, false, 3, 0};
  for (std::size_t k = 0; k < path.points.size(); ++k) {
    const analysis::PathPoint& point = path.points[k];
    PlotPoint drawn{x[k], point.value,
                    fmt::format("{} = {:.6g}, {} = {:.6g}: {}", column, x[k], parameter, point.value,
                                point.is_limit ? "limit point" : kind_of(point))};
    line.points.push_back(drawn);
    (point.is_limit                                 ? limits
     : point.at.kind == Equilibrium::Kind::stable   ? stable
     : point.at.kind == Equilibrium::Kind::unstable ? unstable
                                                    : neutral)
        .points.push_back(drawn);
  }
  Plot plot{
      parameter + " over " + column, {unit.empty() ? column : column + ", " + unit}, {parameter}, {line}, {}};
  for (PlotCurve* curve : {&stable, &unstable, &neutral, &limits})
    if (!curve->points.empty()) plot.curves.push_back(std::move(*curve));
  const std::string title = escaped("Equilibria of " + mechanism.name + " over " + parameter);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
         title + "</title>\n<style>\n" + plot_style() +
         "body{font:16px/1.5 system-ui,sans-serif;max-width:1080px;margin:2rem auto;padding:0 1rem;"
         "background:var(--page);color:var(--ink)}svg{max-width:100%;height:auto}p{margin:.2rem 0}</"
         "style>\n"
         "</head>\n<body>\n<h1>" +
         title + "</h1>\n" + svg(plot) + paragraphs(path_text(table, path)) + "</body>\n</html>\n";
}

}  // namespace trammel::results
