#include "results/report/inverse_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "results/report/motion_json.h"

namespace trammel::results {

nlohmann::ordered_json inverse_json(const analysis::InverseDynamics& found) {
  nlohmann::ordered_json json = motion_json(found.motion);
  json["held"] = found.held;
  json["shared_efforts"] = found.shared;
  json["not_unique"] = found.reactions.not_unique;
  json["examined"] = found.reactions.examined;
  json["doubtful"] = found.doubtful;
  json["violation"] = found.violation;
  return json;
}

std::string inverse_text(const analysis::InverseDynamics& found) {
  const Trajectory& motion = found.motion;
  std::string text = fmt::format("{} rows to t = {:.6g} s, joints closed to {:.1e}\n", motion.rows(),
                                 motion.rows() > 0 ? motion.row(motion.rows() - 1)[0] : 0.0, found.violation);
  for (const std::string& held : found.held) text += fmt::format("Held: {}\n", held);
  text += fmt::format("{:<28} {:>12} {:>10} {:>12} {:>10} {:>12}\n", "effort", "least", "at t [s]", "largest",
                      "at t [s]", "rms");
  for (std::size_t c = 1; c < motion.channels.size(); ++c) {
    const Channel& channel = motion.channels[c];
    if (channel.dataset != "effort") continue;
    const ColumnRange range = column_range(motion, c);
    text += fmt::format("{:<28} {:>12.6g} {:>10.4g} {:>12.6g} {:>10.4g} {:>12.6g}\n",
                        fmt::format("{} [{}]", channel.name, channel.unit), range.least, range.at_least,
                        range.largest, range.at_largest, std::sqrt(range.mean_square));
  }
  if (found.shared)
    text +=
        "More drivers act than there are freedoms: efforts are those of least weighted squares (--weight, "
        "--idle).\n";
  if (!found.doubtful.empty())
    text += fmt::format(
        "In {} rows, the first at t = {:.6g} s, rounding decides on reactions: a singular position is "
        "near.\n",
        found.doubtful.size(), found.doubtful.front());
  if (!found.reactions.examined)
    text += "Which reactions are unique was not examined: there are too many constraints.\n";
  if (!found.reactions.not_unique.empty())
    text += fmt::format("Not unique, one choice of many: {}\n", fmt::join(found.reactions.not_unique, ", "));
  return text;
}

}  // namespace trammel::results
