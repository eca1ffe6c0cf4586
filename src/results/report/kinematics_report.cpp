// What 'trammel solve kinematics' tells.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

#include "results/plot/markup.h"
#include "results/plot/svg_plot.h"
#include "results/report/analysis_record.h"
#include "results/report/html_page.h"
#include "results/report/motion_json.h"
#include "results/report/words.h"

namespace trammel::results {
namespace {

// What has a place in the table for a person: the joints, ratios and curves.
bool is_told(const Channel& channel) {
  constexpr std::array kShown = {"angle",      "displacement",      "rate",
                                 "angle_rate", "displacement_rate", "acceleration",
                                 "ratio",      "curvature",         "transmission_angle"};
  return std::ranges::find(kShown, channel.dataset) != kShown.end() &&
         !channel.group.starts_with("bodies/") && channel.group != "violation";
}

// Where no joint has a coordinate, as in a platform on driven distances: the bodies.
bool is_told_of_bodies(const Channel& channel) {
  return channel.group.starts_with("bodies/") && channel.dataset != "orientation";
}

// What the rows go over: time, or the coordinate that is swept.
struct Course {
  const DriverSweep* sweep = nullptr;
  std::string unit = "s";

  Course(const Mechanism& mechanism, const Kinematics& found) {
    if (!found.drive) return;
    sweep = &*found.drive;
    unit = sweeps_angle(mechanism, *sweep) ? "rad" : "m";
  }
  double at(double t) const { return sweep != nullptr ? sweep->at(t) : t; }
  std::string name() const { return sweep != nullptr ? sweep->name : "t"; }
  std::string place(double t, int digits) const {
    return fmt::format("{} = {:.{}g} {}", name(), at(t), digits, unit);
  }
  // Of a column of a table.
  std::string heading() const { return fmt::format("at {} [{}]", name(), unit); }
};

std::string singular_text(const Course& course, const SingularPosition& one) {
  const std::string place = course.place(one.t, 9);
  return one.turns_back
             ? fmt::format(
                   "Dead position at {}: the speed of '{}' grows without bound. The drivers cannot "
                   "go on; the rows that follow go back{}, in another assembly branch.\n",
                   place, one.joint, course.sweep != nullptr ? "" : " in time")
             : fmt::format(
                   "Singular position at {}: motions cross, and the drivers leave the speed of "
                   "'{}' "
                   "undetermined. The rows go on smoothly.\n",
                   place, one.joint);
}

// Of rows that are all equal: which coordinate could be swept.
std::string still_text(const Mechanism& mechanism, const Kinematics& found) {
  if (!found.still) return "";
  std::vector<std::string> names;
  for (const std::string& one : found.held) names.push_back(one.substr(0, one.find('.')));
  for (const Driver& driver : mechanism.drivers) names.push_back(driver.name);
  std::string text = "Nothing moves, and all rows are equal: no driver depends on time.";
  for (const std::string& name : names) {
    try {
      const bool turns = sweeps_angle(mechanism, {.name = name});
      text += fmt::format(" To sweep a coordinate, use --drive {}={}.", name, turns ? "0:360deg" : "FROM:TO");
      break;
    } catch (const std::invalid_argument&) {
      // It has no single coordinate.
    }
  }
  return text + "\n";
}

// Singular positions and what else a person must know of the rows.
std::string remarks(const Mechanism& mechanism, const Kinematics& found, const Course& course) {
  std::string text = still_text(mechanism, found);
  for (const SingularPosition& one : found.singular) text += singular_text(course, one);
  if (found.singular.empty() && found.undecided.empty() && found.report.accepted())
    text += "No singular position was met.\n";
  for (const double t : found.undecided)
    text += fmt::format(
        "Near {} motions come so close to each other that the search could not tell whether they cross, and "
        "the rows may go on with another one; give more rows there.\n",
        course.place(t, 6));
  if (!found.doubtful.empty())
    text += fmt::format(
        "{} next to a singular position: speeds and accelerations there are not known to 1e-6, at {}{}\n",
        plural(static_cast<long>(found.doubtful.size()), "row"), course.place(found.doubtful.front(), 6),
        found.doubtful.size() > 1 ? " and later." : ".");
  if (found.returned)
    text += fmt::format("The curve of positions came back to the {} of the start, and ends there.\n",
                        course.sweep != nullptr ? "value" : "time");
  return text;
}

// How time and the swept coordinate belong together.
std::string sweep_text(const Course& course) {
  if (course.sweep == nullptr) return "";
  return fmt::format("Sweeps {} from {:.6g} to {:.6g} {}; speeds are derivatives with respect to it\n",
                     course.sweep->name, course.sweep->from, course.sweep->to, course.unit);
}

// Where the rows lead: after a dead position they go back.
std::string way_of(const Kinematics& found, const Course& course) {
  std::string way;
  for (const SingularPosition& one : found.singular)
    if (one.turns_back)
      way += fmt::format("{} the dead position at {}", way.empty() ? "to" : ", to", course.place(one.t, 6));
  const std::string end = course.place(last_time(found.motion), 6);
  return way.empty() ? "to " + end : fmt::format("{} and from there to {}", way, end);
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

bool has_value(const Trajectory& motion, std::size_t column) {
  for (std::size_t r = 0; r < motion.rows(); ++r)
    if (std::isfinite(motion.row(r)[column])) return true;
  return false;
}

// Beside the largest value of the same unit.
constexpr double kRoundingOfUnit = 1e-12;

// Where the columns that are told are least and largest.
std::vector<std::vector<std::string>> range_rows(const Kinematics& found, const Course& course) {
  std::vector<std::vector<std::string>> rows;
  const bool has_joints = std::ranges::any_of(found.motion.channels, [](const Channel& channel) {
    return channel.group.starts_with("joints/") && is_told(channel);
  });
  std::map<std::string, double> largest;  // by unit
  for (std::size_t c = 1; c < found.motion.channels.size(); ++c) {
    const ColumnRange range = column_range(found.motion, c);
    double& most = largest[found.motion.channels[c].unit];
    most = std::max({most, std::abs(range.least), std::abs(range.largest)});
  }
  for (std::size_t c = 1; c < found.motion.channels.size(); ++c) {
    const Channel& channel = found.motion.channels[c];
    if (!is_told(channel) && (has_joints || !is_told_of_bodies(channel))) continue;
    if (!has_value(found.motion, c)) {
      rows.push_back({name_with_unit(channel), "no value", "", "no value", ""});
      continue;
    }
    ColumnRange range = column_range(found.motion, c);
    if (std::max(std::abs(range.least), std::abs(range.largest)) < kRoundingOfUnit * largest[channel.unit])
      range = {};
    rows.push_back({name_with_unit(channel), fmt::format("{:.6g}", range.least),
                    fmt::format("{:.4g}", course.at(range.at_least)), fmt::format("{:.6g}", range.largest),
                    fmt::format("{:.4g}", course.at(range.at_largest))});
  }
  return rows;
}

std::string kinematics_text(const Mechanism& mechanism, const Kinematics& found, const Course& course) {
  std::string text = sweep_text(course);
  text += motion_text(found.motion, way_of(found, course), found.violation, found.held);
  const std::string at = course.heading();
  const int width = std::max(10, static_cast<int>(at.size()));
  text +=
      fmt::format("{:<36} {:>12} {:>{}} {:>12} {:>{}}\n", "column", "least", at, width, "largest", at, width);
  for (const std::vector<std::string>& row : range_rows(found, course))
    text += fmt::format("{:<36} {:>12} {:>{}} {:>12} {:>{}}\n", row[0], row[1], row[2], width, row[3], row[4],
                        width);
  return text + remarks(mechanism, found, course);
}

}  // namespace

AnalysisRecord record_of(const Mechanism& mechanism, const Kinematics& found) {
  AnalysisRecord record;
  record.beside.analysis = "kinematics";
  record.title = "Kinematics of " + mechanism.name;
  const Course course(mechanism, found);
  record.text = kinematics_text(mechanism, found, course);
  record.tables = motion_json(found.motion);
  nlohmann::ordered_json singular = nlohmann::ordered_json::array();
  for (const SingularPosition& one : found.singular) {
    singular.push_back({{"t", one.t},
                        {"joint", one.joint},
                        {"kind", one.turns_back ? "dead position" : "crossing"},
                        {"turns_back", one.turns_back},
                        {"smallest_singular_value", one.smallest}});
    if (found.drive) singular.back()["driven_value"] = found.drive->at(one.t);
  }
  record.summary = {{"singular", std::move(singular)}, {"held", found.held},
                    {"doubtful", found.doubtful},      {"undecided", found.undecided},
                    {"returned", found.returned},      {"violation", found.violation}};
  record.table = found.motion;
  record.figures = motion_figures(found.motion, way_of(found, course), found.violation, found.held);
  record.figures.push_back({"Singular positions", std::to_string(found.singular.size()), ""});
  if (course.sweep != nullptr) record.swept = {course.sweep->name, course.unit, course.sweep->from};
  if (course.sweep != nullptr && course.sweep->to < course.sweep->from)
    record.swept = {"way of " + course.sweep->name, course.unit, 0};
  record.plots = html_paragraphs(sweep_text(course) + remarks(mechanism, found, course)) +
                 curve_plots(found, mechanism.is_planar);
  record.details = "<h2>Least and largest values</h2>\n" +
                   html_table({"column", "least", course.heading(), "largest", course.heading()},
                              range_rows(found, course), {0});
  return record;
}

}  // namespace trammel::results
