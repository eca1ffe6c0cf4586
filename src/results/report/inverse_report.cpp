// What 'trammel solve inverse' tells.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "model/reader/parameters.h"
#include "results/report/analysis_record.h"
#include "results/report/html_page.h"
#include "results/report/motion_json.h"
#include "results/report/words.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kEffortHead[] = {"effort", "least", "at t [s]", "largest", "at t [s]", "rms"};

std::string owner_of(const Channel& channel) {
  constexpr std::string_view kGroup = "joints/";
  return channel.group.starts_with(kGroup) ? channel.group.substr(kGroup.size()) : "";
}

// "force" or "torque" of "link.force", where a joint has several bodies.
std::string_view without_body(std::string_view dataset) { return dataset.substr(dataset.rfind('.') + 1); }

// A component of a reaction in world axes.
bool is_of_reaction(const Channel& channel) {
  return !channel.component.empty() && (channel.unit == "N" || channel.unit == "N.m") &&
         !without_body(channel.dataset).starts_with("joint_");
}

// What drives: an effort, or a component of the force on a point that is driven or held, "tip.force.x".
bool is_effort(const Mechanism& mechanism, const Channel& channel) {
  if (channel.dataset == "effort") return true;
  const std::string owner = owner_of(channel);
  if (!is_of_reaction(channel) || channel.unit != "N" || owner.empty() || mechanism.joint(owner) != nullptr)
    return false;
  const auto driver = std::ranges::find(mechanism.drivers, owner, &Driver::name);
  if (driver != mechanism.drivers.end()) {
    const std::size_t axis = std::string_view("xyz").find(channel.component);
    return driver->kind == Driver::Kind::position && !driver->equals.at(axis).empty();
  }
  // A held coordinate of a point has the name of its axis: "b.x", "b.rotation.yx".
  return owner.ends_with("." + channel.component) ||
         owner.find(".rotation." + channel.component) != owner.npos;
}

std::vector<std::vector<std::string>> effort_rows(const Mechanism& mechanism, const Trajectory& motion) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t c = 1; c < motion.channels.size(); ++c) {
    if (!is_effort(mechanism, motion.channels[c])) continue;
    const ColumnRange range = column_range(motion, c);
    rows.push_back({name_with_unit(motion.channels[c]), fmt::format("{:.6g}", range.least),
                    fmt::format("{:.4g}", range.at_least), fmt::format("{:.6g}", range.largest),
                    fmt::format("{:.4g}", range.at_largest),
                    fmt::format("{:.6g}", std::sqrt(range.mean_square))});
  }
  return rows;
}

// The largest size of a vector whose components are these columns, and when.
struct Peak {
  std::vector<std::size_t> columns;
  double size = 0, t = 0;
};

// "A" or "A on link": the largest force and torque of each joint.
std::map<std::string, std::pair<Peak, Peak>> peaks(const Mechanism& mechanism, const Trajectory& motion) {
  std::map<std::string, std::pair<Peak, Peak>> all;
  for (std::size_t c = 1; c < motion.channels.size(); ++c) {
    const Channel& channel = motion.channels[c];
    const std::string joint = owner_of(channel);
    if (mechanism.joint(joint) == nullptr || !is_of_reaction(channel)) continue;
    const std::size_t dot = channel.dataset.rfind('.');
    auto& [force, torque] =
        all[dot == std::string::npos ? joint
                                     : fmt::format("{} on {}", joint, channel.dataset.substr(0, dot))];
    (channel.unit == "N" ? force : torque).columns.push_back(c);
  }
  for (auto& [name, both] : all)
    for (Peak* peak : {&both.first, &both.second})
      for (std::size_t r = 0; r < motion.rows(); ++r) {
        double square = 0;
        for (const std::size_t c : peak->columns) square += motion.row(r)[c] * motion.row(r)[c];
        if (std::sqrt(square) > peak->size) peak->size = std::sqrt(square), peak->t = motion.row(r)[0];
      }
  return all;
}

constexpr const char* kPeakHead[] = {"reaction", "force [N]", "at t [s]", "torque [N.m]", "at t [s]"};

std::vector<std::vector<std::string>> peak_rows(const Mechanism& mechanism, const Trajectory& motion) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, both] : peaks(mechanism, motion)) {
    const auto& [force, torque] = both;
    rows.push_back({name, fmt::format("{:.6g}", force.size), fmt::format("{:.4g}", force.t),
                    fmt::format("{:.6g}", torque.size), fmt::format("{:.4g}", torque.t)});
  }
  return rows;
}

// Names in the drivers' expressions, also in definitions that they use.
std::set<std::string> names_of_drivers(const Mechanism& mechanism) {
  std::set<std::string> names;
  const auto add = [&](const std::string& text) {
    for (std::string& name : model::names_in(text)) names.insert(std::move(name));
  };
  for (const Driver& driver : mechanism.drivers) std::ranges::for_each(driver.equals, add);
  for (std::size_t before = 0; before != names.size();) {
    before = names.size();
    for (const Definition& one : mechanism.definitions)
      if (names.contains(one.name)) add(one.text);
  }
  return names;
}

// Functions of the drivers whose samples were filtered: "swing" → "Butterworth 8 Hz, forwards and backwards".
std::map<std::string, std::string> filters_of(const Mechanism& mechanism) {
  std::map<std::string, std::string> filters;
  if (mechanism.source == nullptr) return filters;
  const std::set<std::string> used = names_of_drivers(mechanism);
  for (const TableFunction& function : mechanism.functions)
    if (const std::string cut_off = mechanism.source->filter_of(function);
        !cut_off.empty() && used.contains(function.name))
      filters[function.name] = fmt::format("Butterworth {}, forwards and backwards", cut_off);
  return filters;
}

std::string inverse_remarks(const Mechanism& mechanism, const InverseDynamics& found) {
  std::string text;
  for (const auto& [function, filter] : filters_of(mechanism))
    text += fmt::format("{}: {}\n", function, filter);
  for (const InverseDynamics::Jump& jump : found.jumps)
    text += fmt::format(
        "At t = {:.9g} s the speed that '{}' asks for jumps: an impulse acts, which no row has. 'trammel "
        "run' "
        "tells how large it is.\n",
        jump.t, jump.driver);
  if (found.shared)
    text +=
        "More drivers act than there are freedoms: efforts are those of least weighted squares (--weight, "
        "--idle).\n";
  if (!found.doubtful.empty())
    text += fmt::format(
        "In {}, the first at t = {:.6g} s, rounding decides on reactions: a singular position is near.\n",
        plural(static_cast<long>(found.doubtful.size()), "row"), found.doubtful.front());
  if (!found.reactions.examined)
    text += "Which reactions are unique was not examined: there are too many constraints.\n";
  if (!found.reactions.not_unique.empty())
    text += fmt::format("Not unique, one choice of many: {}\n", fmt::join(found.reactions.not_unique, ", "));
  return text;
}

std::string inverse_text(const Mechanism& mechanism, const InverseDynamics& found) {
  constexpr const char* kRow = "{:<28} {:>12} {:>10} {:>12} {:>10} {:>12}\n";
  constexpr const char* kPeak = "{:<28} {:>12} {:>10} {:>12} {:>10}\n";
  const auto& h = kEffortHead;
  std::string text = motion_text(found.motion, way_in_time(found.motion), found.violation, found.held) +
                     fmt::format(kRow, h[0], h[1], h[2], h[3], h[4], h[5]);
  for (const std::vector<std::string>& row : effort_rows(mechanism, found.motion))
    text += fmt::format(kRow, row[0], row[1], row[2], row[3], row[4], row[5]);
  const std::vector<std::vector<std::string>> largest = peak_rows(mechanism, found.motion);
  const auto& p = kPeakHead;
  if (!largest.empty()) text += fmt::format(kPeak, "largest " + std::string(p[0]), p[1], p[2], p[3], p[4]);
  for (const std::vector<std::string>& row : largest)
    text += fmt::format(kPeak, row[0], row[1], row[2], row[3], row[4]);
  return text + inverse_remarks(mechanism, found);
}

}  // namespace

AnalysisRecord record_of(const Mechanism& mechanism, const InverseDynamics& found) {
  AnalysisRecord record;
  record.beside.analysis = "inverse";
  record.title = "Inverse dynamics of " + mechanism.name;
  record.text = inverse_text(mechanism, found);
  record.tables = motion_json(found.motion);
  Json jumps = Json::array();
  for (const InverseDynamics::Jump& jump : found.jumps)
    jumps.push_back({{"t", jump.t}, {"driver", jump.driver}});
  record.summary = {{"held", found.held},
                    {"shared_efforts", found.shared},
                    {"not_unique", found.reactions.not_unique},
                    {"examined", found.reactions.examined},
                    {"doubtful", found.doubtful},
                    {"jumps", std::move(jumps)},
                    {"violation", found.violation}};
  if (const auto filters = filters_of(mechanism); !filters.empty()) record.summary["filters"] = filters;
  record.table = found.motion;
  record.figures = motion_figures(found.motion, way_in_time(found.motion), found.violation, found.held);
  for (const std::vector<std::string>& row : effort_rows(mechanism, found.motion))
    record.figures.push_back(
        {row[0], row[3], fmt::format("at t = {} s; least {}, rms {}", row[4], row[1], row[5])});
  record.plots = html_paragraphs(inverse_remarks(mechanism, found));
  record.details =
      "<h2>Efforts of the drivers</h2>\n" +
      html_table({std::begin(kEffortHead), std::end(kEffortHead)}, effort_rows(mechanism, found.motion),
                 {0}) +
      "<h2>Largest reactions</h2>\n" +
      html_table({std::begin(kPeakHead), std::end(kPeakHead)}, peak_rows(mechanism, found.motion), {0});
  return record;
}

}  // namespace trammel::results
