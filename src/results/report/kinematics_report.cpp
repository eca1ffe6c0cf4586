// What 'trammel solve kinematics' tells.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "results/plot/markup.h"
#include "results/plot/svg_plot.h"
#include "results/report/analysis_record.h"
#include "results/report/html_page.h"
#include "results/report/motion_json.h"
#include "results/report/words.h"

namespace trammel::results {
namespace {

// What has a place in the table for a person.
bool is_told(const Channel& channel) {
  constexpr std::array kShown = {"angle",      "displacement",      "rate",
                                 "angle_rate", "displacement_rate", "acceleration",
                                 "ratio",      "curvature",         "transmission_angle"};
  return std::ranges::find(kShown, channel.dataset) != kShown.end() &&
         !channel.group.starts_with("bodies/") && channel.group != "violation";
}

// What a sweep has reached at a time: it moves by one unit a second.
double swept_value(const DriverSweep& sweep, double t) {
  return sweep.to > sweep.from ? sweep.from + t : sweep.from - t;
}

std::string singular_text(const Kinematics& found, const SingularPosition& one) {
  std::string place = fmt::format("t = {:.9g} s", one.t);
  if (found.drive)
    place = fmt::format("{} = {:.9g} ({})", found.drive->name, swept_value(*found.drive, one.t), place);
  return one.turns_back
             ? fmt::format(
                   "Dead position at {}: the speed of '{}' grows without bound. The drivers cannot "
                   "go on; the rows that follow go back in time, in another assembly branch.\n",
                   place, one.joint)
             : fmt::format(
                   "Singular position at {}: motions cross, and the drivers leave the speed of "
                   "'{}' "
                   "undetermined. The rows go on smoothly.\n",
                   place, one.joint);
}

// Singular positions and what else a person must know of the rows.
std::string remarks(const Kinematics& found) {
  std::string text;
  for (const SingularPosition& one : found.singular) text += singular_text(found, one);
  if (found.singular.empty()) text += "No singular position was met.\n";
  if (!found.doubtful.empty())
    text += fmt::format(
        "{} next to a singular position: speeds and accelerations there are not known to 1e-6, at t = {:.6g} "
        "s{}\n",
        plural(static_cast<long>(found.doubtful.size()), "row"), found.doubtful.front(),
        found.doubtful.size() > 1 ? " and later." : ".");
  if (found.returned) text += "The curve of positions came back to the time of the start, and ends there.\n";
  return text;
}

// How time and the swept coordinate belong together.
std::string sweep_text(const Kinematics& found) {
  if (!found.drive) return "";
  return fmt::format("Drives {} from {:.6g} to {:.6g}, by one rad or m a second from t = 0\n",
                     found.drive->name, found.drive->from, found.drive->to);
}

// The curves of --curve, each as it lies in the plane; in space seen along z, y and x.
std::string curve_plots(const Kinematics& found, bool is_planar) {
  const std::vector<std::pair<int, int>> views =
      is_planar ? std::vector<std::pair<int, int>>{{0, 1}}
                : std::vector<std::pair<int, int>>{{0, 1}, {0, 2}, {1, 2}};
  std::string html;
  for (const Channel& channel : found.motion.channels) {
    if (!channel.group.starts_with("curves/") || !channel.name.ends_with(".curve.x")) continue;
    const std::string point = channel.name.substr(0, channel.name.size() - std::string(".curve.x").size());
    html += fmt::format("<h2>Curve of {}</h2>\n", escaped(point));
    for (const auto& [across, up] : views) {
      Plot plot{fmt::format("Curve of {}", point),
                {fmt::format("{} [m]", "xyz"[across])},
                {fmt::format("{} [m]", "xyz"[up])},
                {},
                {}};
      plot.equal = true;
      PlotCurve curve{"", {}, false, true, 0, 0}, start{"first row", {}, true, false, 1, 0};
      const std::vector<double> x = found.motion.column(fmt::format("{}.curve.{}", point, "xyz"[across])),
                                y = found.motion.column(fmt::format("{}.curve.{}", point, "xyz"[up]));
      for (std::size_t k = 0; k < x.size(); ++k) curve.points.push_back({x[k], y[k], ""});
      if (!x.empty()) start.points.push_back({x[0], y[0], "first row"});
      plot.curves = {std::move(curve), std::move(start)};
      html += svg(plot);
    }
  }
  return html;
}

std::string kinematics_text(const Kinematics& found) {
  std::string text = sweep_text(found);
  text += motion_text(found.motion, found.violation, found.held);
  text += fmt::format("{:<36} {:>12} {:>10} {:>12} {:>10}\n", "column", "least", "at t [s]", "largest",
                      "at t [s]");
  for (std::size_t c = 1; c < found.motion.channels.size(); ++c) {
    const Channel& channel = found.motion.channels[c];
    if (!is_told(channel)) continue;
    const ColumnRange range = column_range(found.motion, c);
    text += fmt::format("{:<36} {:>12.6g} {:>10.4g} {:>12.6g} {:>10.4g}\n", name_with_unit(channel),
                        range.least, range.at_least, range.largest, range.at_largest);
  }
  return text + remarks(found);
}

}  // namespace

AnalysisRecord record_of(const Mechanism& mechanism, const Kinematics& found) {
  AnalysisRecord record;
  record.beside.analysis = "kinematics";
  record.title = "Kinematics of " + mechanism.name;
  record.text = kinematics_text(found);
  record.tables = motion_json(found.motion);
  nlohmann::ordered_json singular = nlohmann::ordered_json::array();
  for (const SingularPosition& one : found.singular) {
    singular.push_back({{"t", one.t},
                        {"joint", one.joint},
                        {"kind", one.turns_back ? "dead position" : "crossing"},
                        {"turns_back", one.turns_back},
                        {"smallest_singular_value", one.smallest}});
    if (found.drive) singular.back()["driven_value"] = swept_value(*found.drive, one.t);
  }
  record.summary = {{"singular", std::move(singular)},
                    {"held", found.held},
                    {"doubtful", found.doubtful},
                    {"returned", found.returned},
                    {"violation", found.violation}};
  record.table = found.motion;
  record.figures = motion_figures(found.motion, found.violation, found.held);
  record.figures.push_back({"Singular positions", std::to_string(found.singular.size()), ""});
  std::vector<std::vector<std::string>> ranges;
  for (std::size_t c = 1; c < found.motion.channels.size(); ++c) {
    if (!is_told(found.motion.channels[c])) continue;
    const ColumnRange range = column_range(found.motion, c);
    ranges.push_back({name_with_unit(found.motion.channels[c]), fmt::format("{:.6g}", range.least),
                      fmt::format("{:.4g}", range.at_least), fmt::format("{:.6g}", range.largest),
                      fmt::format("{:.4g}", range.at_largest)});
  }
  record.plots =
      html_paragraphs(sweep_text(found) + remarks(found)) + curve_plots(found, mechanism.is_planar);
  record.details = "<h2>Least and largest values</h2>\n" +
                   html_table({"column", "least", "at t [s]", "largest", "at t [s]"}, ranges, {0});
  return record;
}

}  // namespace trammel::results
