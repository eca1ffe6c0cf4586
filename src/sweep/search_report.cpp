#include "sweep/search_report.h"

#include <fmt/format.h>

#include <cmath>

#include "results/plot/markup.h"
#include "results/plot/svg_plot.h"
#include "results/report/html_page.h"

namespace trammel::sweep {
namespace {

using results::Plot;
using results::PlotCurve;

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

Plot plot_over_time(const FitColumn& column, const std::string& what) {
  Plot plot;
  plot.description = what + " of " + column.name;
  plot.x.label = "t [s]";
  plot.y.label = with_unit(column.name, column.unit);
  plot.height = 360;
  return plot;
}

std::string column_part(const FitColumn& column) {
  PlotCurve measured{"measured", {}, true, false}, fitted{"model", {}, false},
      residual{"measured − model", {}, true, false};
  measured.small_markers = residual.small_markers = true;
  fitted.style = 1;
  for (std::size_t k = 0; k < column.t.size(); ++k) {
    measured.points.push_back({column.t[k], column.measured[k], ""});
    fitted.points.push_back({column.t[k], column.fitted[k], ""});
    residual.points.push_back({column.t[k], column.measured[k] - column.fitted[k], ""});
  }
  Plot both = plot_over_time(column, "Measured and fitted values"),
       left = plot_over_time(column, "Residuals");
  both.curves = {measured, fitted};
  left.curves = {residual};
  left.height = 240;
  return fmt::format(
             "<h2>{}</h2>\n<p>Standard deviation of the measurements from the model: {:.4g} {}.</p>\n",
             results::escaped(column.name), column.deviation, results::escaped(column.unit)) +
         results::svg(both) + results::svg(left);
}

std::string confidence_of(const FitResult& found) {
  return fmt::format("{:.4g} % confidence{}", 100 * found.confidence,
                     found.joint ? " for all together" : " for each");
}

std::vector<std::vector<std::string>> parameter_rows(const FitResult& found) {
  std::vector<std::vector<std::string>> rows;
  for (const FittedParameter& one : found.parameters)
    rows.push_back(
        {with_unit(one.name, one.unit), fmt::format("{:.6g}", one.start), fmt::format("{:.6g}", one.value),
         std::isfinite(one.error) ? fmt::format("{:.6g} … {:.6g}", one.low, one.high) : "not determined",
         one.at_bound ? "at its bound" : ""});
  return rows;
}

}  // namespace

std::string fit_text(const FitResult& found) {
  std::string text =
      fmt::format("  {:<24}{:>12}{:>14}   {}\n", "parameter", "start", "value", confidence_of(found));
  for (const std::vector<std::string>& row : parameter_rows(found))
    text += fmt::format("  {:<24}{:>12}{:>14}   {} {}\n", row[0], row[1], row[2], row[3], row[4]);
  for (const FitColumn& column : found.columns)
    text += fmt::format("  {:<24}measurements deviate by {:.4g} {}\n", column.name, column.deviation,
                        column.unit);
  return text + fmt::format("  {} measurements, {} runs{}\n", found.measurements, found.runs,
                            found.resumed > 0 ? fmt::format(" and {} from before", found.resumed) : "");
}

std::string fit_page(const std::string& model, const FitResult& found) {
  std::string body =
      fmt::format("<p>{} measurements, {} runs.</p>\n", found.measurements, found.runs + found.resumed) +
      results::html_paragraphs(found.message) +
      results::html_table({"parameter", "start", "value", confidence_of(found), ""}, parameter_rows(found),
                          {0, 4});
  std::vector<std::string> head = {""};
  std::vector<std::vector<std::string>> rows;
  const std::size_t n = found.parameters.size();
  for (std::size_t i = 0; i < n; ++i) {
    head.push_back(found.parameters[i].name);
    rows.push_back({found.parameters[i].name});
    for (std::size_t j = 0; j < n; ++j)
      rows.back().push_back(std::isnan(found.correlation[i * n + j])
                                ? ""
                                : fmt::format("{:.3f}", found.correlation[i * n + j]));
  }
  body += "<h2>Correlation of the estimates</h2>\n" + results::html_table(head, rows, {0});
  for (const FitColumn& column : found.columns) body += column_part(column);
  return results::html_page(model + ": fit", body);
}

std::string optimum_text(const OptimizeSpec& spec, const OptimizeResult& found) {
  std::string text = fmt::format(
      "  {:<32}{:.9g}\n", spec.minimize.empty() ? "largest " + spec.maximize : "least " + spec.minimize,
      found.objective);
  for (std::size_t k = 0; k < found.names.size(); ++k)
    text += fmt::format("  {:<32}{:.9g}\n", found.names[k], found.values[k]);
  return text + fmt::format("  {} runs{}{}\n", found.runs,
                            found.resumed > 0 ? fmt::format(" and {} from before", found.resumed) : "",
                            found.failed > 0 ? fmt::format(", {} failed", found.failed) : "");
}

std::string optimum_page(const std::string& model, const OptimizeSpec& spec, const OptimizeResult& found) {
  PlotCurve best{"best so far", {}, false};
  for (std::size_t k = 0; k < found.history.size(); ++k)
    best.points.push_back({static_cast<double>(k + 1), found.history[k], ""});
  Plot plot;
  plot.description = "The best value after each run";
  plot.x.label = "runs", plot.y.label = spec.minimize.empty() ? spec.maximize : spec.minimize;
  plot.height = 360;
  plot.curves = {best};
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < found.names.size(); ++k)
    rows.push_back({found.names[k], fmt::format("{:.9g}", found.values[k]), spec.over[k]});
  return results::html_page(model + ": optimum",
                            results::html_paragraphs(optimum_text(spec, found)) +
                                results::html_table({"parameter", "value", "within"}, rows, {0, 2}) +
                                results::svg(plot));
}

}  // namespace trammel::sweep
