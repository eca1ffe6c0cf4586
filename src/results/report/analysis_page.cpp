#include "results/report/analysis_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/files/model_text.h"
#include "results/plot/markup.h"
#include "results/plot/svg_plot.h"
#include "results/report/html_page.h"
#include "results/report/page.h"
#include "results/report/report.h"
#include "trammel/version.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

// Without the viewer.
std::string plain_page(const AnalysisRecord& record) {
  std::vector<std::vector<std::string>> rows;
  for (const PageFigure& figure : record.figures) rows.push_back({figure.label, figure.value, figure.note});
  return html_page(record.title, html_table({"", "", ""}, rows, {0, 2}) + record.plots + record.details);
}

// Rows over which the page replays and draws curves: by time, counted on where drivers go back; else by
// number.
Trajectory replayed(const Mechanism& mechanism, const AnalysisRecord& record) {
  // A workspace has places of one point, and no bodies to draw.
  const bool places = std::ranges::any_of(record.table.channels, [](const Channel& channel) {
    return channel.group.starts_with("bodies/") && channel.dataset == "position";
  });
  if (!record.modes.is_null() || (!places && !mechanism.bodies.empty())) return {};
  Trajectory table = record.table;
  const std::size_t width = table.channels.size();
  const bool by_time = table.channels.front().name == "t";
  double way = 0, before = 0;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    double& first = table.values[r * width];
    const double value = first;
    way += r == 0 ? value + record.swept.from : std::abs(value - before);
    first = by_time ? way : static_cast<double>(r + 1);
    before = value;
  }
  if (!by_time) {
    // The value that was the first column stays one: a parameter.
    const Channel& own = record.table.channels.front();
    table.channels.front() = {"", "time", "", "", "t"};
    if (own.group != "parameters") return table;
    Trajectory wider;
    wider.channels = table.channels;
    wider.channels.push_back(own);
    for (std::size_t r = 0; r < table.rows(); ++r) {
      wider.values.insert(wider.values.end(), table.row(r).begin(), table.row(r).end());
      wider.values.push_back(record.table.row(r)[0]);
    }
    return wider;
  }
  return table;
}

Json head_json(const AnalysisRecord& record) {
  Json figures = Json::array();
  for (const PageFigure& figure : record.figures)
    figures.push_back({{"label", figure.label}, {"value", figure.value}, {"note", figure.note}});
  const bool goes_back = [&] {
    for (std::size_t r = 1; r < record.table.rows(); ++r)
      if (record.table.channels.front().name == "t" && record.table.row(r)[0] < record.table.row(r - 1)[0])
        return true;
    return false;
  }();
  return {{"name", record.beside.analysis},
          {"title", record.title},
          {"figures", std::move(figures)},
          {"plots", record.plots},
          {"details", record.details},
          {"style", plot_style()},
          {"rows", record.row_name},
          {"goes_back", goes_back},
          {"modes", record.modes},
          {"swept", record.swept.name},
          {"unit", record.swept.name.empty() ? "s" : record.swept.unit}};
}

}  // namespace

std::string analysis_page(const Mechanism& mechanism, const AnalysisRecord& record) {
  if (report_page().empty()) return plain_page(record);
  LogContents shown;
  shown.trajectory = replayed(mechanism, record);
  shown.header.model = model_text(mechanism);
  shown.header.version = TRAMMEL_VERSION;
  shown.header.plan = nlohmann::json::object();
  shown.header.creation = creation_now();
  return analysis_html(report_page(), record.title, mechanism, shown, head_json(record));
}

}  // namespace trammel::results
