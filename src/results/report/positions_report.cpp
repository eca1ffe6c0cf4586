// What 'trammel solve positions' tells.
#include <fmt/format.h>

#include <algorithm>

#include "results/report/analysis_record.h"
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
      "chance "
      "of about {:.2g}. That there are no others is not guaranteed.\n",
      count == 1 ? "1 branch" : fmt::format("{} branches", count), plural(found.starts, "random start"),
      found.closed, plural(rarest(found), "hit"), found.unseen);
}

std::string positions_text(const Mechanism& mechanism, const Positions& found) {
  std::string text;
  for (const std::string& held : found.held) text += fmt::format("Held: {}\n", held);
  for (std::size_t k = 0; k < found.branches.size(); ++k) {
    const Positions::Branch& one = found.branches[k];
    text += fmt::format("Branch {}{}: joints closed to {:.1e}", k + 1,
                        k == 0 ? " (of the model's places)" : "", one.residual);
    text += found.starts > 0 ? fmt::format(", {}\n", plural(one.hits, "hit")) : "\n";
    text += places_text(mechanism, one.poses);
  }
  return found.starts > 0 ? text + branches_found(found) : text;
}

}  // namespace

AnalysisRecord record_of(const Mechanism& mechanism, const Positions& found) {
  AnalysisRecord record;
  record.beside.analysis = "positions";
  record.title = "Positions of " + mechanism.name;
  record.text = positions_text(mechanism, found);
  nlohmann::ordered_json branches = nlohmann::ordered_json::array();
  for (const Positions::Branch& one : found.branches)
    branches.push_back(
        {{"bodies", bodies_json(mechanism, one.poses)}, {"residual", one.residual}, {"hits", one.hits}});
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
  return record;
}

}  // namespace trammel::results
