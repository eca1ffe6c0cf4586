#include "sweep/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "expressions/units.h"
#include "results/plot/markup.h"
#include "results/plot/svg_plot.h"
#include "results/report/html_page.h"
#include "results/report/summary.h"
#include "sweep/parallel_plot.h"
#include "sweep/parts.h"
#include "sweep/sensitivity.h"

namespace trammel::sweep {
namespace {

using results::escaped;
using results::Plot;
using results::PlotCurve;

constexpr std::size_t kPoints = 1500;  // of a scatter plot: more are a blot
constexpr std::size_t kLarge = 200;    // with more, points are small
constexpr std::size_t kFailedShown = 20;
constexpr std::size_t kObservationsShown = 12, kParametersShown = 12;
constexpr double kBands[] = {0.05, 0.25, 0.5, 0.75, 0.95};

std::string label(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

// Evenly chosen runs.
std::vector<std::size_t> shown_runs(std::size_t runs) {
  std::vector<std::size_t> shown;
  const std::size_t stride = runs / kPoints + 1;
  for (std::size_t k = 0; k < runs; k += stride) shown.push_back(k);
  return shown;
}

std::string histogram(const SweepColumn& column, const std::vector<double>& values) {
  std::vector<double> known;
  std::ranges::copy_if(values, std::back_inserter(known), [](double x) { return std::isfinite(x); });
  if (known.empty()) return "<p>No run has a value.</p>\n";
  const auto [low, high] = std::ranges::minmax(known);
  const std::size_t bins =
      low == high ? 1
                  : std::clamp<std::size_t>(
                        static_cast<std::size_t>(std::sqrt(static_cast<double>(known.size()))), 5, 60);
  const double width =
      low == high ? std::max(1e-12, std::abs(low)) : (high - low) / static_cast<double>(bins);
  std::vector<double> count(bins);
  for (const double x : known) ++count[std::min(bins - 1, static_cast<std::size_t>((x - low) / width))];
  PlotCurve outline{"runs", {{low, 0, ""}}, false};
  for (std::size_t k = 0; k < bins; ++k) {
    const double from = low + static_cast<double>(k) * width;
    outline.points.push_back({from, count[k], ""});
    outline.points.push_back({from + width, count[k], ""});
  }
  outline.points.push_back({low + static_cast<double>(bins) * width, 0, ""});
  Plot plot;
  plot.description = "Histogram of " + column.name;
  plot.x.label = label(column.name, column.unit);
  plot.y.label = "runs";
  plot.curves = {outline};
  plot.height = 300;
  return results::svg(plot);
}

std::string scatter(const SweepColumn& column, const std::vector<double>& y, const std::string& name,
                    const std::string& unit, const std::vector<double>& x) {
  PlotCurve points{"runs", {}, true, false};
  points.small_markers = x.size() > kLarge;
  for (const std::size_t run : shown_runs(x.size()))
    points.points.push_back(
        {x[run], y[run], fmt::format("run {}: {} = {:.6g}, {:.6g}", run, name, x[run], y[run])});
  Plot plot;
  plot.description = fmt::format("{} over {}", column.name, name);
  plot.x.label = label(name, unit);
  plot.y.label = label(column.name, column.unit);
  plot.curves = {points};
  plot.height = 340;
  return results::svg(plot);
}

// Quantiles of groups of values, over x.
std::string bands(const std::string& description, const std::string& x_label, const std::string& y_label,
                  const std::map<double, std::vector<double>>& groups) {
  Plot plot;
  plot.description = description;
  plot.x.label = x_label, plot.y.label = y_label;
  plot.height = 380;
  for (const double part : kBands) {
    PlotCurve curve{part == 0.5 ? "median" : fmt::format("{:.0f} %", 100 * part), {}, groups.size() <= 60};
    curve.small_markers = true;
    curve.style = part == 0.5 ? 1 : 0;
    curve.dashes = part == 0.5 ? 0 : part == 0.25 || part == 0.75 ? 1 : 2;
    for (const auto& [x, values] : groups) curve.points.push_back({x, quantile(values, part), ""});
    plot.curves.push_back(std::move(curve));
  }
  return results::svg(plot);
}

// How an observation answers to an axis of the grid: quantiles of all runs with the same value.
std::string response(const SweepColumn& column, const std::vector<double>& y, const std::string& name,
                     const std::string& unit, const std::vector<double>& x) {
  std::map<double, std::vector<double>> groups;
  for (std::size_t run = 0; run < x.size(); ++run) groups[x[run]].push_back(y[run]);
  return bands(fmt::format("{} over {}, quantiles", column.name, name), label(name, unit),
               label(column.name, column.unit), groups);
}

std::string curve_bands(const SweepColumn& column, const std::vector<double>& values) {
  std::map<double, std::vector<double>> groups;
  const std::size_t points = column.size();
  for (const std::size_t run : shown_runs(values.size() / points))
    for (std::size_t k = 0; k < points; ++k) groups[column.points[k]].push_back(values[run * points + k]);
  return bands(column.name + ", quantiles of the runs",
               column.point_unit == "Hz" ? "frequency [Hz]" : "t [s]", label(column.name, column.unit),
               groups);
}

std::string index_text(const SensitivityIndex& index) {
  return fmt::format("{:.3f} ({:.3f} … {:.3f})", index.value, index.low, index.high);
}

std::string sensitivities(const Sweep& sweep, const SweepTable& table, std::size_t observation) {
  const RunPlan& plan = *sweep.parts().plan;
  const std::vector<double>& values = table.observation_values[observation];
  std::vector<std::vector<std::string>> rows;
  if (plan.design() == Design::saltelli && plan.points() == 1) {
    const Sensitivity found = sobol_indices(values, plan.sampled().size(), sweep.spec().seed);
    if (found.first.empty())
      return "<p>No block of runs is complete: there are no sensitivity indices.</p>\n";
    for (std::size_t k = 0; k < plan.sampled().size(); ++k)
      rows.push_back({plan.sampled()[k].name, index_text(found.first[k]), index_text(found.total[k])});
    return fmt::format(
               "<p>Sobol' indices with 95 % confidence, from {} blocks of runs: the part of the variance "
               "that a parameter "
               "causes alone (first order), and with all others (total).</p>\n",
               found.blocks) +
           results::html_table({"parameter", "first order", "total"}, rows, {0});
  }
  for (std::size_t k = 0; k < table.parameters.size(); ++k)
    rows.push_back(
        {table.parameters[k], fmt::format("{:.3f}", rank_correlation(table.parameter_values[k], values))});
  return "<p>Rank correlation (Spearman). For sensitivity indices choose <code>--design "
         "saltelli</code>.</p>\n" +
         results::html_table({"parameter", "correlation"}, rows, {0});
}

// The command that runs it alone; numbers to the last bit.
std::string run_command(const Sweep& sweep, std::uint64_t run) {
  std::string command = fmt::format("trammel run MODEL --out run-{}", run);
  const std::vector<double> values = sweep.values(run);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::string& name = sweep.parameters()[k];
    command += fmt::format(" --set {}{}={}", name.find('.') == std::string::npos ? "parameters." : "", name,
                           values[k]);
  }
  return command;
}

std::string run_cell(std::uint64_t run, const std::vector<std::uint64_t>& reports) {
  return std::ranges::count(reports, run) > 0
             ? fmt::format("<a href=\"runs/{0}/report.html\">run {0}</a>", run)
             : fmt::format("run {}", run);
}

std::string extremes(const Sweep& sweep, const SweepTable& table, const std::vector<std::uint64_t>& reports) {
  std::string rows;
  for (std::size_t k = 0; k < table.observations.size(); ++k) {
    if (!table.observations[k].points.empty()) continue;
    const std::vector<double>& values = table.observation_values[k];
    std::vector<std::uint64_t> order;
    for (std::uint64_t run = 0; run < values.size(); ++run)
      if (!std::isnan(values[run])) order.push_back(run);
    if (order.empty()) continue;
    const auto [least, largest] =
        std::ranges::minmax_element(order, {}, [&](std::uint64_t run) { return values[run]; });
    for (const auto& [word, run] : {std::pair{"largest", *largest}, std::pair{"least", *least}})
      rows += fmt::format(
          "<tr><td class=\"left\">{} {}</td><td>{:.6g}</td><td class=\"left\">{}</td><td "
          "class=\"left\"><code>{}</code></td></tr>\n",
          word, escaped(table.observations[k].name), values[run], run_cell(run, reports),
          escaped(run_command(sweep, run)));
  }
  return "<div class=\"wide\"><table>\n<tr><th class=\"left\">observation</th><th>value</th><th "
         "class=\"left\">its report</th><th class=\"left\">to run it alone</th></tr>\n" +
         rows + "</table></div>\n";
}

std::string failures(const Sweep& sweep, const SweepTable& table) {
  std::vector<std::vector<std::string>> rows;
  std::size_t all = 0;
  for (std::size_t run = 0; run < table.runs(); ++run) {
    if (table.status[run] != RunStatus::failed) continue;
    if (++all <= kFailedShown)
      rows.push_back({fmt::format("{}", run), table.messages[run], run_command(sweep, run)});
  }
  if (all == 0) return {};
  return fmt::format("<h2>Failed runs: {}</h2>\n", all) +
         results::html_table({"run", "reason", "to run it alone"}, rows, {1, 2});
}

std::string summary(const Sweep& sweep, const SweepTable& table) {
  std::map<std::string, std::size_t> count;
  for (const RunStatus status : table.status) ++count[results::to_string(status)];
  std::string states;
  for (const auto& [word, number] : count)
    states += fmt::format("{}{} {}", states.empty() ? "" : ", ", number, word);
  std::string text = fmt::format("<p>{} runs: {}. Parameters that differ: ", table.runs(), states);
  const SweepSpec& spec = sweep.spec();
  std::vector<std::string> plan = spec.vary;
  if (!spec.table.empty()) plan.push_back(spec.table);
  plan.insert(plan.end(), spec.sample.begin(), spec.sample.end());
  for (std::size_t k = 0; k < plan.size(); ++k)
    text += (k > 0 ? ", <code>" : "<code>") + escaped(plan[k]) + "</code>";
  if (!spec.sample.empty()) text += fmt::format("; design {}, seed {}", spec.design, spec.seed);
  text += ".</p>\n";
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < table.observations.size(); ++k) {
    const SweepColumn& column = table.observations[k];
    if (!column.points.empty()) continue;
    const std::vector<double>& values = table.observation_values[k];
    std::vector<double> known;
    std::ranges::copy_if(values, std::back_inserter(known), [](double x) { return !std::isnan(x); });
    const auto n = static_cast<double>(known.size());
    const double mean = std::accumulate(known.begin(), known.end(), 0.0) / n;
    double square = 0;
    for (const double x : known) square += (x - mean) * (x - mean) / (n - 1);
    std::vector<std::string> row = {label(column.name, column.unit),
                                    fmt::format("{}", values.size() - known.size()),
                                    fmt::format("{:.6g}", mean), fmt::format("{:.4g}", std::sqrt(square))};
    for (const double part : {0.0, 0.05, 0.5, 0.95, 1.0})
      row.push_back(fmt::format("{:.6g}", quantile(known, part)));
    rows.push_back(std::move(row));
  }
  return text + results::html_table({"observation", "missing", "mean", "deviation", "least", "5 %", "median",
                                     "95 %", "largest"},
                                    rows, {0});
}

std::string observation_part(const Sweep& sweep, const SweepTable& table, std::size_t k) {
  const SweepColumn& column = table.observations[k];
  const std::vector<double>& values = table.observation_values[k];
  std::string part = fmt::format("<h2>{}</h2>\n", escaped(column.name));
  if (column.name != column.text) part += fmt::format("<p><code>{}</code></p>\n", escaped(column.text));
  if (!column.points.empty()) return part + curve_bands(column, values);
  part += histogram(column, values) + sensitivities(sweep, table, k);
  const RunPlan& plan = *sweep.parts().plan;
  const ParameterUnits units = sweep.parts().variants.units();
  for (std::size_t p = 0; p < std::min(kParametersShown, table.parameters.size()); ++p) {
    const bool of_grid = p < table.parameters.size() - plan.sampled().size();
    const std::string& name = table.parameters[p];
    const std::string unit = units.contains(name) ? expressions::to_string(units.at(name)) : "";
    part += of_grid && plan.runs() > plan.axes().front().points()
                ? response(column, values, name, unit, table.parameter_values[p])
                : scatter(column, values, name, unit, table.parameter_values[p]);
  }
  return part;
}

}  // namespace

std::vector<std::uint64_t> extreme_runs(const SweepTable& table, std::size_t most) {
  std::vector<std::uint64_t> runs;
  for (std::size_t k = 0; k < table.observations.size() && runs.size() < most; ++k) {
    if (!table.observations[k].points.empty()) continue;
    const std::vector<double>& values = table.observation_values[k];
    for (const double sign : {1.0, -1.0}) {
      std::uint64_t best = values.size();
      for (std::uint64_t run = 0; run < values.size(); ++run)
        if (!std::isnan(values[run]) && (best == values.size() || sign * values[run] > sign * values[best]))
          best = run;
      if (best < values.size() && runs.size() < most && std::ranges::count(runs, best) == 0)
        runs.push_back(best);
    }
  }
  return runs;
}

std::string sweep_page(const Sweep& sweep, const SweepTable& table,
                       const std::vector<std::uint64_t>& reports) {
  std::string body = summary(sweep, table);
  body += "<h2>Extreme runs</h2>\n" + extremes(sweep, table, reports);
  body += failures(sweep, table);
  body +=
      "<h2>Parallel coordinates</h2>\n<p>Each line is a run; colours follow the first observation, from blue "
      "(least) to orange (largest).</p>\n" +
      parallel_coordinates(table, kPoints / 3);
  for (std::size_t k = 0; k < std::min(kObservationsShown, table.observations.size()); ++k)
    body += observation_part(sweep, table, k);
  if (table.observations.size() > kObservationsShown)
    body += fmt::format("<p>{} further observations are in sweep.h5.</p>\n",
                        table.observations.size() - kObservationsShown);
  return results::html_page(sweep.mechanism().name + ": sweep", body);
}

}  // namespace trammel::sweep
