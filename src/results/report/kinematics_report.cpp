#include "results/report/kinematics_report.h"

#include <fmt/format.h>

#include <array>

#include "results/report/motion_json.h"

namespace trammel::results {

nlohmann::ordered_json kinematics_json(const analysis::Kinematics& found) {
  nlohmann::ordered_json json = motion_json(found.motion), singular = nlohmann::ordered_json::array();
  for (const analysis::SingularPosition& one : found.singular)
    singular.push_back({{"t", one.t},
                        {"joint", one.joint},
                        {"kind", one.turns_back ? "dead position" : "crossing"},
                        {"turns_back", one.turns_back},
                        {"smallest_singular_value", one.smallest}});
  json["singular"] = std::move(singular);
  json["held"] = found.held;
  json["returned"] = found.returned;
  json["violation"] = found.violation;
  return json;
}

std::string kinematics_text(const analysis::Kinematics& found) {
  constexpr std::array kShown = {"angle",      "displacement",      "rate",
                                 "angle_rate", "displacement_rate", "acceleration",
                                 "ratio",      "curvature",         "transmission_angle"};
  const Trajectory& motion = found.motion;
  std::string text = fmt::format("{} rows to t = {:.6g} s, joints closed to {:.1e}\n", motion.rows(),
                                 motion.rows() > 0 ? motion.row(motion.rows() - 1)[0] : 0.0, found.violation);
  for (const std::string& held : found.held) text += fmt::format("Held: {}\n", held);
  text += fmt::format("{:<36} {:>12} {:>10} {:>12} {:>10}\n", "column", "least", "at t [s]", "largest",
                      "at t [s]");
  for (std::size_t c = 1; c < motion.channels.size(); ++c) {
    const Channel& channel = motion.channels[c];
    if (std::ranges::find(kShown, channel.dataset) == kShown.end() || channel.group.starts_with("bodies/") ||
        channel.group == "violation")
      continue;
    const ColumnRange range = column_range(motion, c);
    const std::string unit = channel.unit.empty() ? "" : fmt::format(" [{}]", channel.unit);
    text += fmt::format("{:<36} {:>12.6g} {:>10.4g} {:>12.6g} {:>10.4g}\n", channel.name + unit, range.least,
                        range.at_least, range.largest, range.at_largest);
  }
  for (const analysis::SingularPosition& one : found.singular)
    text +=
        one.turns_back
            ? fmt::format(
                  "Dead position at t = {:.9g} s: the speed of '{}' grows without bound. The drivers cannot "
                  "go on; the rows that follow go back in time, in another assembly branch.\n",
                  one.t, one.joint)
            : fmt::format(
                  "Singular position at t = {:.9g} s: motions cross, and the drivers leave the speed of '{}' "
                  "undetermined. The rows go on smoothly.\n",
                  one.t, one.joint);
  if (found.singular.empty()) text += "No singular position was met.\n";
  if (found.returned) text += "The curve of positions came back to the time of the start, and ends there.\n";
  return text;
}

}  // namespace trammel::results
