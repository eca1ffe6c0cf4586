// A path of equilibria over a parameter: words, JSON, and a plot of the parameter over a displacement.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "model/parameter_units.h"
#include "results/plot/svg_plot.h"
#include "results/report/analysis_record.h"
#include "results/report/html_page.h"
#include "results/report/motion_json.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

// The position that changes most.
std::string most_moved(const Trajectory& table) {
  std::string most = table.channels.front().name;
  double range = -1;
  for (std::size_t c = 1; c < table.channels.size(); ++c) {
    if (table.channels[c].dataset != "position" && table.channels[c].unit != "rad") continue;
    const ColumnRange of = column_range(table, c);
    if (of.largest - of.least > range) range = of.largest - of.least, most = table.channels[c].name;
  }
  return most;
}

using Point = EquilibriumPath::Point;

bool is_marked(const Point& point) { return point.is_limit || point.is_change; }

std::string equilibria_count(std::size_t n) {
  return n == 1 ? "1 equilibrium" : fmt::format("{} equilibria", n);
}

// Whether no column but the parameter's changes along the path, beyond rounding of its size or, of what is
// zero, of the forces that cancel there.
bool changes_nothing(const EquilibriumPath& path) {
  constexpr double kOfSize = 1e-9, kOfZero = 1e-12;  // the second in SI units
  if (path.points.size() < 2) return false;
  for (std::size_t c = 1; c < path.table.channels.size(); ++c) {
    const ColumnRange of = column_range(path.table, c);
    const double size = std::max(std::abs(of.least), std::abs(of.largest));
    if (of.largest - of.least > std::max(kOfSize * size, kOfZero)) return false;
  }
  return true;
}

// " N" after a value of the parameter; empty: it has no unit.
std::string unit_of(const EquilibriumPath& path) {
  const std::string& unit = path.table.channels.front().unit;
  return unit.empty() ? "" : " " + unit;
}

std::string path_text(const EquilibriumPath& path) {
  const std::string &parameter = path.parameter, unit = unit_of(path);
  const std::vector<Point>& points = path.points;
  std::string text = fmt::format("{} from {} = {:.6g} to {:.6g}{}\n", equilibria_count(points.size()),
                                 parameter, points.front().value, points.back().value, unit);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Point& point = points[k];
    if (point.is_limit)
      text += fmt::format("  limit point at {} = {:.9g}{}: it turns back\n", parameter, point.value, unit);
    else if (point.is_change)
      text += fmt::format("  the stability changes at {} = {:.9g}{}\n", parameter, point.value, unit);
    else if (k == 0)
      text += fmt::format("  {} from {} = {:.6g}{}\n", to_string(point.kind), parameter, point.value, unit);
    else if (is_marked(points[k - 1]))
      text += fmt::format("  {} after it\n", to_string(point.kind));
    else if (point.kind != points[k - 1].kind)
      text += fmt::format("  {} from {} = {:.6g}{}, or from a value between it and {:.6g}{}\n",
                          to_string(point.kind), parameter, point.value, unit, points[k - 1].value, unit);
  }
  if (changes_nothing(path))
    text += fmt::format("  nothing depends on {}: every point is the same equilibrium\n", parameter);
  return text;
}

std::string in_one_line(std::string text) {
  for (std::size_t at = text.find("\n  "); at != std::string::npos; at = text.find("\n  ", at))
    text.replace(at, 3, "; ");
  return text;
}

PlotPoint plot_point(double x, double y, const std::string& column, const std::string& parameter,
                     const Point& point) {
  return {x, y,
          fmt::format("{} = {:.6g}, {} = {:.6g}: {}", column, x, parameter, point.value,
                      point.is_limit    ? "limit point"
                      : point.is_change ? "change of stability"
                                        : to_string(point.kind))};
}

// Stretches of one kind as lines, dashed where the equilibrium is not stable; markers where the kind changes.
std::vector<PlotCurve> stretches(const EquilibriumPath& path, const std::vector<PlotPoint>& at) {
  std::set<std::size_t> named;  // kinds
  std::vector<PlotCurve> curves;
  PlotCurve limits{"limit point", {}, true, false, 5, 0},
      changes{"change of stability", {}, true, false, 6, 0};
  for (std::size_t k = 0; k < at.size(); ++k) {
    const Point& point = path.points[k];
    if (point.is_limit) limits.points.push_back(at[k]);
    if (point.is_change) changes.points.push_back(at[k]);
    if (k == 0) continue;
    // A stretch has the kind of the point in it that is not marked.
    const auto kind = static_cast<std::size_t>((is_marked(point) ? path.points[k - 1] : point).kind);
    const bool goes_on = !curves.empty() && curves.back().style == kind && !is_marked(path.points[k - 1]);
    if (!goes_on) {
      const bool is_new = named.insert(kind).second;
      const std::string name = is_new ? to_string(static_cast<EquilibriumKind>(kind)) : "";
      curves.push_back({name, {at[k - 1]}, false, true, kind, kind == 0 ? 0UL : 1UL});
    }
    curves.back().points.push_back(at[k]);
  }
  for (PlotCurve* curve : {&limits, &changes})
    if (!curve->points.empty()) curves.push_back(std::move(*curve));
  return curves;
}

Plot path_plot(const EquilibriumPath& path, const std::string& column) {
  const std::vector<double> x = path.table.column(column);
  const Channel& channel = path.table.channels[static_cast<std::size_t>(path.table.find(column))];
  std::vector<PlotPoint> at;
  for (std::size_t k = 0; k < path.points.size(); ++k)
    at.push_back(plot_point(x[k], path.points[k].value, column, path.parameter, path.points[k]));
  return {path.parameter + " over " + column,
          {name_with_unit(channel)},
          {name_with_unit(path.table.channels.front())},
          stretches(path, at),
          {}};
}

Plot least_plot(const EquilibriumPath& path) {
  std::vector<PlotPoint> at;
  for (const Point& point : path.points)
    at.push_back(plot_point(point.value, point.least, path.parameter, path.parameter, point));
  return {"Least stiffness over " + path.parameter,
          {name_with_unit(path.table.channels.front())},
          {"least stiffness over mass [1/s²]"},
          stretches(path, at),
          {{0, "below: unstable"}}};
}

// The column that the plot is over: the given one, or the one that moves most; empty where nothing moves.
std::string plotted_column(const EquilibriumPath& path, const std::string& over) {
  constexpr double kMoves = 1e-9;  // m or rad
  if (!over.empty()) return over;
  const std::string most = most_moved(path.table);
  const ColumnRange range = column_range(path.table, static_cast<std::size_t>(path.table.find(most)));
  return range.largest - range.least > kMoves ? most : "";
}

std::string path_plots(const EquilibriumPath& path, const std::string& over) {
  const std::string column = plotted_column(path, over), least = "Least stiffness over " + path.parameter;
  std::string html =
      column.empty() ? html_paragraphs("The mechanism does not move along this path.")
                     : "<h2>" + path.parameter + " over " + column + "</h2>\n" + svg(path_plot(path, column));
  html += "<h2>" + least + "</h2>\n" + svg(least_plot(path));
  return html + html_paragraphs(in_one_line(path_text(path)));
}

}  // namespace

AnalysisRecord record_of(const Mechanism& mechanism, const EquilibriumPath& given, const std::string& over) {
  EquilibriumPath found = given;
  found.table.channels.front().unit = model::parameter_unit(mechanism, found.parameter);
  if (!over.empty() && found.table.find(over) < 0)
    throw std::invalid_argument(fmt::format("there is no column '{}'; results.csv shows their names", over));
  AnalysisRecord record;
  record.beside.analysis = "equilibrium path";
  record.title = "Equilibria of " + mechanism.name + " over " + found.parameter;
  record.text = path_text(found);
  record.table = found.table;
  record.row_name = "point";
  const Trajectory& table = found.table;
  Json columns = Json::array(), units = Json::array(), rows = Json::array(), kinds = Json::array(),
       limits = Json::array(), changes = Json::array();
  for (const Channel& channel : table.channels)
    columns.push_back(channel.name), units.push_back(channel.unit);
  for (std::size_t r = 0; r < table.rows(); ++r) {
    rows.push_back(std::vector<double>(table.row(r).begin(), table.row(r).end()));
    kinds.push_back(to_string(found.points[r].kind));
    if (found.points[r].is_limit) limits.push_back(found.points[r].value);
    if (found.points[r].is_change) changes.push_back(found.points[r].value);
  }
  record.figures = {{"Equilibria", std::to_string(found.points.size()),
                     fmt::format("{} from {:.6g} to {:.6g}{}", found.parameter, found.points.front().value,
                                 found.points.back().value, unit_of(found))},
                    {"Limit points", std::to_string(limits.size()), ""}};
  for (const Json& limit : limits)
    record.figures.push_back(
        {"Limit point", fmt::format("{} = {:.6g}{}", found.parameter, limit.get<double>(), unit_of(found)),
         "it turns back"});
  for (std::size_t k = 0; k < found.points.size(); ++k)
    if (found.points[k].is_change)
      record.figures.push_back(
          {"Change of stability",
           fmt::format("{} = {:.6g}{}", found.parameter, found.points[k].value, unit_of(found)),
           k + 1 < found.points.size() ? fmt::format("{} after it", to_string(found.points[k + 1].kind))
                                       : ""});
  record.tables = {{"path",
                    {{"parameter", found.parameter},
                     {"complete", found.report.accepted()},
                     {"limits", limits},
                     {"changes", changes},
                     {"kinds", std::move(kinds)},
                     {"columns", std::move(columns)},
                     {"units", std::move(units)},
                     {"rows", std::move(rows)}}}};
  record.summary = {
      {"parameter", found.parameter}, {"limits", std::move(limits)}, {"changes", std::move(changes)}};
  record.plots = path_plots(found, over);
  return record;
}

}  // namespace trammel::results
