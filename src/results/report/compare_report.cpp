#include "results/report/compare_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "results/plot/markup.h"
#include "results/plot/svg_plot.h"
#include "results/report/html_page.h"
#include "results/report/summary.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

std::string cell(const std::string& text) { return "<td>" + escaped(text) + "</td>"; }
std::string left(const std::string& text) { return "<td class=\"left\">" + escaped(text) + "</td>"; }
std::string status_cell(const std::string& status) {
  return fmt::format("<td class=\"left {}\">{}</td>", status, status);
}
std::string milliseconds(double seconds) { return seconds > 0 ? fmt::format("{:.3g}", 1e3 * seconds) : "–"; }

std::string setting_text(const analysis::WorkPrecisionPoint& p) {
  return p.tolerance > 0 ? fmt::format("tolerance {:.0e}", p.tolerance)
                         : fmt::format("step {:.3g} s", p.step);
}

// The unit of differences: a model in its own coordinates has those of its coordinates.
bool has_own_coordinates(const Plan& plan) {
  return simulation::resolve(plan).coordinates == CoordinatesKind::generalized;
}
std::string unit(const Plan& plan) { return has_own_coordinates(plan) ? "coordinates' units" : "m"; }

// What is below the reference's own exactness is not known.
std::string difference_text(const analysis::Comparison& c, const analysis::Reference& reference) {
  if (c.steps == 0 || !c.max_difference) return "-";
  const bool known = *c.max_difference > reference.agreement;
  return fmt::format("{}{:.1e}", known ? "" : "<", known ? *c.max_difference : reference.agreement);
}

// By which step or tolerance a row ran.
std::string steps_text(const Plan& plan) {
  return simulation::controls_error(plan)
             ? fmt::format("tolerance {:.0e}", simulation::step_tolerance(simulation::resolve(plan)))
             : fmt::format("step {:.4g} s", plan.step);
}

std::string plan_text(const Mechanism& mechanism, const Plan& plan) {
  const std::string parts =
      has_own_coordinates(plan)
          ? ""
          : fmt::format("; {} bodies, {} joints", mechanism.bodies.size(), mechanism.joints.size());
  return fmt::format("Plan of the model: {:.4g} s, {}, {} coordinates, {} with {}{}.", plan.duration,
                     steps_text(plan), plan.coordinates, plan.formulation,
                     simulation::is_own_rule(plan.formulation) ? "its own rule" : plan.integrator, parts);
}

// The least time among rows that ran to the end.
double fastest(const analysis::WorkPrecision& measured) {
  double least = 0;
  for (const analysis::WorkPrecisionCurve& c : measured.curves)
    if (c.as_is && c.as_is->status != "failed" && c.as_is->seconds > 0 &&
        (least == 0 || c.as_is->seconds < least))
      least = c.as_is->seconds;
  return least;
}

std::string row_html(const analysis::Comparison& row, const analysis::WorkPrecisionCurve& curve,
                     double least) {
  std::string out = "<tr>" + left(row.formulation) + left(row.integrator) + left(steps_text(row.plan));
  const bool ran = row.steps > 0 && curve.as_is;
  out += status_cell(row.status);
  if (!ran) {
    for (int k = 0; k < 9; ++k) out += cell("–");
    return out + "</tr>\n";
  }
  out += cell(curve.as_is->error ? scientific(*curve.as_is->error) : "–");
  for (const double x :
       {row.violation.position, row.violation.velocity, row.violation.acceleration, row.energy_drift})
    out += cell(scientific(x));
  out += cell(std::to_string(row.steps)) + cell(std::to_string(row.iterations));
  const bool whole = curve.as_is->status != "failed" && least > 0;
  out += cell(whole ? fmt::format("{:.3g}", curve.as_is->seconds / least) : "–");
  return out + cell(milliseconds(curve.as_is->seconds)) + "</tr>\n";
}

std::string table(const Plan& plan, const std::vector<analysis::Comparison>& rows,
                  const analysis::WorkPrecision& measured) {
  std::string out = fmt::format(
      "<div class=\"wide\"><table>\n<tr><th class=\"left\">formulation</th><th class=\"left\">integrator</th>"
      "<th class=\"left\">by</th><th "
      "class=\"left\">status</th><th>difference<br>[{}]</th><th>|Φ|</th><th>|Φ′|</th><th>|Φ″|</th>"
      "<th>energy drift<br>[J]</th><th>steps</th><th>iterations</th><th>time,<br>fastest = 1</th>"
      "<th>time<br>[ms]</th></tr>\n",
      escaped(unit(plan)));
  for (std::size_t i = 0; i < rows.size(); ++i)
    out += row_html(rows[i], measured.curves[i], fastest(measured));
  out += "</table></div>\n";
  std::string reasons;
  for (const analysis::Comparison& row : rows)
    if (!row.reason.empty())
      reasons += fmt::format("<li><b>{}, {}</b>: {}</li>\n", escaped(row.formulation),
                             escaped(row.integrator), escaped(row.reason));
  return reasons.empty() ? out : out + "<ul class=\"small\">\n" + reasons + "</ul>\n";
}

PointMark mark_of(const std::string& status) {
  // How far a limited run is known is where its point lies.
  if (status == "ok" || status == "limited") return PointMark::full;
  return status == "failed" || status == "refused" ? PointMark::crossed : PointMark::hollow;
}

// Colour and marker tell the formulation, dashes the integrator, each in order of appearance.
class Styles {
 public:
  void apply(const analysis::Comparison& row, PlotCurve& curve) {
    curve.style = place(formulations_, row.formulation);
    if (!simulation::is_own_rule(row.formulation)) curve.dashes = place(integrators_, row.integrator);
  }

 private:
  static std::size_t place(std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    names.push_back(name);
    return names.size() - 1;
  }
  std::vector<std::string> formulations_, integrators_;
};

Plot make_plot(const Plan& plan, const std::vector<analysis::Comparison>& rows,
               const analysis::WorkPrecision& measured) {
  Plot plot;
  plot.description = "Error against computing time, both logarithmic, one curve per method";
  plot.x = {"computing time [s]", true};
  plot.y = {fmt::format("largest difference from the reference [{}]", unit(plan)), true};
  Styles styles;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    PlotCurve curve;
    styles.apply(rows[i], curve);
    curve.name = fmt::format("{}, {}", rows[i].formulation, rows[i].integrator);
    for (const analysis::WorkPrecisionPoint& p : measured.curves[i].points) {
      if (!p.error || p.seconds <= 0) continue;
      std::string title = fmt::format("{}\n{}\ndifference {} {}, {} ms", curve.name, setting_text(p),
                                      scientific(*p.error), unit(plan), milliseconds(p.seconds));
      if (p.status != "ok") title += fmt::format("\n{}: {}", p.status, p.reason);
      curve.points.push_back({p.seconds, *p.error, title, mark_of(p.status)});
    }
    if (!curve.points.empty()) plot.curves.push_back(std::move(curve));
  }
  if (measured.reference.agreement > 0)
    plot.levels.push_back({measured.reference.agreement, "the references agree to this"});
  return plot;
}

std::string points_table(const Plan& plan, const std::vector<analysis::Comparison>& rows,
                         const analysis::WorkPrecision& measured) {
  std::string out = fmt::format(
      "<details><summary>The points in figures</summary>\n<div class=\"wide\"><table>\n<tr><th "
      "class=\"left\">formulation</th><th class=\"left\">integrator</th><th class=\"left\">setting</th>"
      "<th>difference [{}]</th><th>time [ms]</th><th class=\"left\">status</th></tr>\n",
      escaped(unit(plan)));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const analysis::WorkPrecisionPoint& p : measured.curves[i].points)
      out += "<tr>" + left(rows[i].formulation) + left(rows[i].integrator) + left(setting_text(p)) +
             cell(p.error ? scientific(*p.error) : "–") + cell(milliseconds(p.seconds)) +
             status_cell(p.status) + "</tr>\n";
  return out + "</table></div></details>\n";
}

// Why points are not full, one line for each method and reason.
std::string doubts(const std::vector<analysis::Comparison>& rows, const analysis::WorkPrecision& measured) {
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const analysis::WorkPrecisionPoint& p : measured.curves[i].points)
      if (mark_of(p.status) != PointMark::full)
        out += fmt::format("<li>{}, {}, {}: <b>{}</b>; {}</li>\n", escaped(rows[i].formulation),
                           escaped(rows[i].integrator), setting_text(p), p.status, escaped(p.reason));
  if (out.empty()) return out;
  return "<details><summary>Points that are hollow or crossed</summary>\n<ul class=\"small\">\n" + out +
         "</ul></details>\n";
}

std::string precision_section(const Plan& plan, const std::vector<analysis::Comparison>& rows,
                              const analysis::WorkPrecision& measured) {
  std::string out = "<h2>Work and precision</h2>\n";
  const analysis::Reference& r = measured.reference;
  if (!r.problem.empty()) {
    out += "<p>Errors cannot be told: " + escaped(r.problem) + ".</p>\n";
    return out + points_table(plan, rows, measured);
  }
  out += svg(make_plot(plan, rows, measured));
  out += fmt::format(
      "<p>Each curve is one method with several steps (4, 2, 1, ½, ¼ of the plan's) or, where a tolerance "
      "chooses the "
      "steps, tolerances from 10⁻⁴ to 10⁻¹⁰. Left and low is better. Rest the pointer on a point for its "
      "setting. Hollow: the motion is doubtful or another one (a wrong branch, or an error as large as a "
      "tenth of "
      "the motion), or it is the plan's and not as exact as asked. Crossed: the run failed; its difference "
      "is as far as it went.</p>\n"
      "<p>Reference: {}. It differs from {} by {} {}: errors below that dotted line are not known.</p>\n",
      escaped(r.first), escaped(r.second), scientific(r.agreement), escaped(unit(plan)));
  return out + doubts(rows, measured) + points_table(plan, rows, measured);
}

}  // namespace

Json work_precision_json(const analysis::WorkPrecisionCurve& curve) {
  Json all = Json::array();
  for (const analysis::WorkPrecisionPoint& p : curve.points) {
    Json j;
    if (p.tolerance > 0)
      j["tolerance"] = p.tolerance;
    else
      j["step"] = p.step;
    j["error"] = p.error ? Json(*p.error) : Json();
    j["seconds"] = p.seconds;
    j["status"] = p.status;
    j["reason"] = p.reason;
    all.push_back(std::move(j));
  }
  return all;
}

Json comparison_json(const analysis::Comparisons& compared, const analysis::WorkPrecision* measured) {
  Json all = Json::array();
  const analysis::Reference& r = compared.reference;
  for (std::size_t i = 0; i < compared.rows.size(); ++i) {
    const analysis::Comparison& c = compared.rows[i];
    all.push_back({{"coordinates", c.coordinates},
                   {"formulation", c.formulation},
                   {"integrator", c.integrator},
                   {"step", simulation::controls_error(c.plan) ? Json() : Json(c.plan.step)},
                   {"tolerance", simulation::controls_error(c.plan)
                                     ? Json(simulation::step_tolerance(simulation::resolve(c.plan)))
                                     : Json()},
                   {"status", c.status},
                   {"reason", c.reason},
                   {"max_difference", c.max_difference ? Json(*c.max_difference) : Json()},
                   {"violation", violation_json(c.violation)},
                   {"energy_drift", c.energy_drift},
                   {"steps", c.steps},
                   {"iterations", c.iterations},
                   {"wall_seconds", c.wall_seconds}});
    all.back()["reference"] = {
        {"runs", {r.first, r.second}}, {"agreement", r.agreement}, {"problem", r.problem}};
    if (measured != nullptr) all.back()["work_precision"] = work_precision_json(measured->curves[i]);
  }
  return all;
}

std::string comparison_text(const analysis::Comparisons& compared) {
  const std::vector<analysis::Comparison>& rows = compared.rows;
  const analysis::Reference& reference = compared.reference;
  constexpr const char* kRow = "{:<{}}{:<20}{:<17}{:<9}{:>11}{:>10}{:>10}{:>10}{:>11}{:>9}\n";
  std::size_t width = 28;
  for (const analysis::Comparison& c : rows) width = std::max(width, c.formulation.size() + 1);
  std::string text = fmt::format(kRow, "formulation", width, "integrator", "by", "status", "difference",
                                 "|Φ|", "|Φ'|", "|Φ''|", "energy", "time");
  std::string reasons;
  for (const analysis::Comparison& c : rows) {
    const bool ran = c.steps > 0;
    const auto figure = [&](double x) { return ran ? fmt::format("{:.1e}", x) : std::string("-"); };
    text += fmt::format(kRow, c.formulation, width, c.integrator, steps_text(c.plan), c.status,
                        difference_text(c, reference), figure(c.violation.position),
                        figure(c.violation.velocity), figure(c.violation.acceleration),
                        figure(c.energy_drift), ran ? fmt::format("{:.3f}", c.wall_seconds) : "-");
    if (!c.reason.empty()) reasons += fmt::format("{}: {}\n", c.formulation, c.reason);
  }
  text += reference.problem.empty()
              ? fmt::format("Difference in {} from {}, known to {:.1e}; energy in J, time in s.\n",
                            unit(compared.rows.front().plan), reference.first, reference.agreement)
              : fmt::format("Energy in J, time in s. Differences cannot be told: {}.\n", reference.problem);
  return text + reasons;
}

std::string comparison_page(const Mechanism& mechanism, const Plan& plan,
                            const std::vector<analysis::Comparison>& rows,
                            const analysis::WorkPrecision& measured) {
  std::string out = "<p class=\"plan\">" + escaped(plan_text(mechanism, plan)) + "</p>\n";
  out += "<h2>With the plan's step or tolerance</h2>\n" + table(plan, rows, measured);
  out +=
      "<p class=\"small\">Difference: the largest from the reference below, of points' coordinates, and of "
      "unit "
      "vectors times the mechanism's size. |Φ|, |Φ′|, |Φ″|: largest violations of the constraints and their "
      "derivatives, lengths scaled to one, marked steps left out. Times are those of the processor for the "
      "steps "
      "alone on the machine that made this page; only their ratios mean something elsewhere.</p>\n";
  return html_page("Formulations compared: " + mechanism.name, out + precision_section(plan, rows, measured));
}

}  // namespace trammel::results
