// What 'trammel solve inverse' tells.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "results/report/analysis_record.h"
#include "results/report/html_page.h"
#include "results/report/motion_json.h"
#include "results/report/words.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kEffortHead[] = {"effort", "least", "at t [s]", "largest", "at t [s]", "rms"};

std::vector<std::vector<std::string>> effort_rows(const Trajectory& motion) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t c = 1; c < motion.channels.size(); ++c) {
    if (motion.channels[c].dataset != "effort") continue;
    const ColumnRange range = column_range(motion, c);
    rows.push_back({name_with_unit(motion.channels[c]), fmt::format("{:.6g}", range.least),
                    fmt::format("{:.4g}", range.at_least), fmt::format("{:.6g}", range.largest),
                    fmt::format("{:.4g}", range.at_largest),
                    fmt::format("{:.6g}", std::sqrt(range.mean_square))});
  }
  return rows;
}

std::string inverse_remarks(const InverseDynamics& found) {
  std::string text;
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

std::string inverse_text(const InverseDynamics& found) {
  constexpr const char* kRow = "{:<28} {:>12} {:>10} {:>12} {:>10} {:>12}\n";
  const auto& h = kEffortHead;
  std::string text = motion_text(found.motion, found.violation, found.held) +
                     fmt::format(kRow, h[0], h[1], h[2], h[3], h[4], h[5]);
  for (const std::vector<std::string>& row : effort_rows(found.motion))
    text += fmt::format(kRow, row[0], row[1], row[2], row[3], row[4], row[5]);
  return text + inverse_remarks(found);
}

}  // namespace

AnalysisRecord record_of(const Mechanism& mechanism, const InverseDynamics& found) {
  AnalysisRecord record;
  record.beside.analysis = "inverse";
  record.title = "Inverse dynamics of " + mechanism.name;
  record.text = inverse_text(found);
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
  record.table = found.motion;
  record.figures = motion_figures(found.motion, found.violation, found.held);
  for (const std::vector<std::string>& row : effort_rows(found.motion))
    record.figures.push_back(
        {row[0], row[3], fmt::format("at t = {} s; least {}, rms {}", row[4], row[1], row[5])});
  record.plots = html_paragraphs(inverse_remarks(found));
  record.details =
      "<h2>Efforts of the drivers</h2>\n" +
      html_table({std::begin(kEffortHead), std::end(kEffortHead)}, effort_rows(found.motion), {0});
  return record;
}

}  // namespace trammel::results
