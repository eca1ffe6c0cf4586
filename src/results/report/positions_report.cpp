#include "results/report/positions_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "results/report/state_json.h"

namespace trammel::results {
namespace {

long rarest(const analysis::BranchSearch& search) {
  long hits = search.closed;
  for (const analysis::AssemblyBranch& one : search.branches) hits = std::min(hits, one.hits);
  return hits;
}

}  // namespace

nlohmann::ordered_json positions_json(const Mechanism& mechanism, const PositionsResult& found) {
  nlohmann::ordered_json branches = nlohmann::ordered_json::array();
  for (const analysis::AssemblyBranch& one : found.search.branches)
    branches.push_back(
        {{"bodies", bodies_json(mechanism, one.poses)}, {"residual", one.residual}, {"hits", one.hits}});
  nlohmann::ordered_json json = {
      {"branches", std::move(branches)}, {"held", found.held}, {"largest_move", found.largest_move}};
  if (found.search.starts == 0) return json;
  json["search"] = {{"starts", found.search.starts},
                    {"closed", found.search.closed},
                    {"rarest_hits", rarest(found.search)},
                    {"chance_of_unseen", found.search.unseen},
                    {"complete", false}};
  return json;
}

std::string positions_text(const Mechanism& mechanism, const PositionsResult& found) {
  std::string text;
  for (const std::string& held : found.held) text += fmt::format("Held: {}\n", held);
  for (std::size_t k = 0; k < found.search.branches.size(); ++k) {
    const analysis::AssemblyBranch& one = found.search.branches[k];
    text += fmt::format("Branch {}{}: joints closed to {:.1e}", k + 1,
                        k == 0 ? " (of the model's places)" : "", one.residual);
    text += found.search.starts > 0 ? fmt::format(", {} hits\n", one.hits) : "\n";
    for (std::size_t b = 0; b < one.poses.size(); ++b) {
      const Vec3& at = one.poses[b].position;
      text += mechanism.is_planar
                  ? fmt::format("  {:<16} x {:>12.6g} m   y {:>12.6g} m   angle {:>12.6g} rad\n",
                                mechanism.bodies[b].name, at.x(), at.y(), one.poses[b].angle)
                  : fmt::format("  {:<16} x {:>12.6g} m   y {:>12.6g} m   z {:>12.6g} m\n",
                                mechanism.bodies[b].name, at.x(), at.y(), at.z());
    }
  }
  if (found.search.starts > 0)
    text += fmt::format(
        "{} branches from {} random starts, of which {} closed; the rarest had {} hits. The next start finds "
        "an "
        "unseen branch with a chance of about {:.2g}. That there are no others is not guaranteed.\n",
        found.search.branches.size(), found.search.starts, found.search.closed, rarest(found.search),
        found.search.unseen);
  return text;
}

}  // namespace trammel::results
