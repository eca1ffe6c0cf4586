// A path of equilibria over a parameter: words, JSON, and a plot of the parameter over a displacement.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

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

std::string path_text(const EquilibriumPath& path) {
  const std::string& parameter = path.parameter;
  std::string text = fmt::format("{} equilibria from {} = {:.6g} to {:.6g}\n", path.points.size(), parameter,
                                 path.points.front().value, path.points.back().value);
  for (std::size_t k = 0; k < path.points.size(); ++k) {
    const EquilibriumPath::Point& point = path.points[k];
    if (point.is_limit)
      text += fmt::format("  limit point at {} = {:.9g}: it turns back\n", parameter, point.value);
    else if (k == 0 || (point.kind != path.points[k - 1].kind && !path.points[k - 1].is_limit))
      text += fmt::format("  {} from {} = {:.6g}\n", to_string(point.kind), parameter, point.value);
    else if (path.points[k - 1].is_limit)
      text += fmt::format("  {} after it\n", to_string(point.kind));
  }
  return text;
}

std::string in_one_line(std::string text) {
  for (std::size_t at = text.find("\n  "); at != std::string::npos; at = text.find("\n  ", at))
    text.replace(at, 3, "; ");
  return text;
}

Plot path_plot(const EquilibriumPath& path, const std::string& column) {
  const std::vector<double> x = path.table.column(column);
  const Channel& channel = path.table.channels[static_cast<std::size_t>(path.table.find(column))];
  PlotCurve line{"path", {}, false, true, 0, 0}, limits{"limit point", {}, true, false, 3, 0};
  std::vector<PlotCurve> kinds;
  for (const EquilibriumKind kind :
       {EquilibriumKind::stable, EquilibriumKind::unstable, EquilibriumKind::neutral})
    kinds.push_back({to_string(kind), {}, true, false, kinds.size(), 0});
  for (std::size_t k = 0; k < path.points.size(); ++k) {
    const EquilibriumPath::Point& point = path.points[k];
    PlotPoint drawn{x[k], point.value,
                    fmt::format("{} = {:.6g}, {} = {:.6g}: {}", column, x[k], path.parameter, point.value,
                                point.is_limit ? "limit point" : to_string(point.kind))};
    line.points.push_back(drawn);
    (point.is_limit ? limits : kinds[static_cast<std::size_t>(point.kind)]).points.push_back(drawn);
  }
  Plot plot{path.parameter + " over " + column, {name_with_unit(channel)}, {path.parameter}, {line}, {}};
  kinds.push_back(std::move(limits));
  for (PlotCurve& curve : kinds)
    if (!curve.points.empty()) plot.curves.push_back(std::move(curve));
  return plot;
}

}  // namespace

AnalysisRecord record_of(const Mechanism& mechanism, const EquilibriumPath& found, const std::string& over) {
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
       limits = Json::array();
  for (const Channel& channel : table.channels)
    columns.push_back(channel.name), units.push_back(channel.unit);
  for (std::size_t r = 0; r < table.rows(); ++r) {
    rows.push_back(std::vector<double>(table.row(r).begin(), table.row(r).end()));
    kinds.push_back(to_string(found.points[r].kind));
    if (found.points[r].is_limit) limits.push_back(found.points[r].value);
  }
  record.figures = {{"Equilibria", std::to_string(found.points.size()),
                     fmt::format("{} from {:.6g} to {:.6g}", found.parameter, found.points.front().value,
                                 found.points.back().value)},
                    {"Limit points", std::to_string(limits.size()), ""}};
  for (const Json& limit : limits)
    record.figures.push_back(
        {"Limit point", fmt::format("{} = {:.6g}", found.parameter, limit.get<double>()), "it turns back"});
  record.tables = {{"path",
                    {{"parameter", found.parameter},
                     {"complete", found.report.accepted()},
                     {"limits", limits},
                     {"kinds", std::move(kinds)},
                     {"columns", std::move(columns)},
                     {"units", std::move(units)},
                     {"rows", std::move(rows)}}}};
  record.summary = {{"parameter", found.parameter}, {"limits", std::move(limits)}};
  const std::string column = over.empty() ? most_moved(table) : over;
  record.plots = "<h2>" + found.parameter + " over " + column + "</h2>\n" + svg(path_plot(found, column)) +
                 html_paragraphs(in_one_line(record.text));
  return record;
}

}  // namespace trammel::results
