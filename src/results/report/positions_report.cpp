// What 'trammel solve positions' tells.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/analysis_record.h"
#include "results/report/html_page.h"
#include "results/report/motion_json.h"
#include "results/report/state_json.h"
#include "results/report/words.h"

namespace trammel::results {
namespace {

long rarest(const Positions& found) {
  long hits = found.closed;
  for (const Positions::Branch& one : found.branches) hits = std::min(hits, one.hits);
  return hits;
}

std::string branches_found(const Positions& found) {
  const auto count = static_cast<long>(found.branches.size());
  return fmt::format(
      "{} from {}, of which {} closed; the rarest had {}. The next start finds an unseen branch with a "
      "chance {}. That there are no others is not guaranteed.\n",
      count == 1 ? "1 branch" : fmt::format("{} branches", count), plural(found.starts, "random start"),
      found.closed, plural(rarest(found), "hit"),
      found.unseen > 0 ? fmt::format("of about {:.2g}", found.unseen)
                       : fmt::format("below {:.2g}", 1.0 / static_cast<double>(std::max(1L, found.closed))));
}

std::string positions_text(const Mechanism& mechanism, const Positions& found) {
  std::string text;
  for (const std::string& held : found.held) text += fmt::format("Held: {}\n", held);
  for (std::size_t k = 0; k < found.branches.size(); ++k) {
    const Positions::Branch& one = found.branches[k];
    text += fmt::format(
        "Branch {} ({}): joints closed to {:.1e}", k + 1,
        k == 0 ? "of the model's places" : fmt::format("up to {:.3g} m from branch 1", one.distance),
        one.residual);
    text += found.starts > 0 ? fmt::format(", {}\n", plural(one.hits, "hit")) : "\n";
    text += places_text(mechanism, one.poses);
  }
  return found.starts > 0 ? text + branches_found(found) : text;
}

// The places of all bodies in every branch.
std::string branches_table(const Mechanism& mechanism, const Positions& found) {
  std::vector<std::string> head = place_head(mechanism);
  head.insert(head.begin(), "branch");
  if (found.starts > 0) head.insert(head.end(), {"distance [m]", "hits"});
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < found.branches.size(); ++k)
    for (std::size_t b = 0; b < mechanism.bodies.size(); ++b) {
      const Positions::Branch& one = found.branches[k];
      rows.push_back(place_cells(mechanism, b, one.poses[b]));
      rows.back().insert(rows.back().begin(), b == 0 ? std::to_string(k + 1) : "");
      if (found.starts > 0)
        rows.back().insert(rows.back().end(), {b == 0 ? fmt::format("{:.6g}", one.distance) : "",
                                               b == 0 ? std::to_string(one.hits) : ""});
    }
  return "<h2>Places of the centres of mass</h2>\n" + html_table(head, rows, {1});
}

}  // namespace

AnalysisRecord record_of(const Mechanism& mechanism, const Positions& found) {
  AnalysisRecord record;
  record.beside.analysis = "positions";
  record.title = "Positions of " + mechanism.name;
  record.text = positions_text(mechanism, found);
  nlohmann::ordered_json branches = nlohmann::ordered_json::array();
  for (const Positions::Branch& one : found.branches)
    branches.push_back({{"bodies", bodies_json(mechanism, one.poses)},
                        {"residual", one.residual},
                        {"hits", one.hits},
                        {"distance", one.distance}});
  record.tables = {{"branches", std::move(branches)}};
  record.summary = {{"held", found.held}, {"largest_move", found.largest_move}};
  if (found.starts > 0)
    record.summary["search"] = {{"starts", found.starts},
                                {"closed", found.closed},
                                {"rarest_hits", rarest(found)},
                                {"chance_of_unseen", found.unseen},
                                {"complete", false}};
  record.table = found.table;
  record.row_name = "branch";
  record.figures = {{"Assembly branches", std::to_string(found.branches.size()),
                     found.starts > 0 ? branches_found(found) : "that of the model's places; --all searches"},
                    {"Largest move", fmt::format("{:.3g} m", found.largest_move),
                     "of a point, from where the model places it"}};
  if (!found.held.empty()) record.figures.push_back(held_figure(found.held));
  record.details = branches_table(mechanism, found);
  return record;
}

}  // namespace trammel::results
