// What 'trammel solve equilibrium' tells.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "results/report/analysis_record.h"
#include "results/report/html_page.h"
#include "results/report/state_json.h"
#include "results/report/words.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

std::string kink_remark(const EquilibriumPosition& one) {
  const std::string forces = one.kinks.empty() ? "A force has"
                             : one.kinks.size() == 1
                                 ? fmt::format("The force '{}' has", one.kinks.front())
                                 : fmt::format("The forces '{}' have", fmt::join(one.kinks, "', '"));
  return fmt::format(
      "  {} a kink or a jump exactly here: there is no stiffness. {}\n", forces,
      one.kind == EquilibriumKind::undecided
          ? "To learn whether the position is stable, move it off the kink or smooth the force."
          : "The kind is that of the forces on both sides.");
}

std::string equilibrium_remarks(const EquilibriumPosition& one) {
  std::string text;
  if (one.kind == EquilibriumKind::locked)
    text +=
        "  A singular position: the joints allow a velocity here, but no motion. 'trammel check' explains "
        "it.\n";
  else if (one.singular)
    text +=
        "  A singular position: motions cross here. It is called stable if it is so along each of them.\n";
  if (one.kinked) text += kink_remark(one);
  if (!one.stiffness.empty() && !one.symmetric)
    text += fmt::format(
        "  Some forces have no potential: {} is said of small motions without damping, which may change it. "
        "'trammel solve modes' counts damping in.\n",
        to_string(one.kind));
  if (!one.passed_stops.empty())
    text += fmt::format("  Beyond the limit of: {}. Statics leaves end-stops out.\n",
                        fmt::join(one.passed_stops, ", "));
  return text;
}

// Of all of them together.
std::string search_remarks(const Equilibria& found) {
  std::string text;
  if (found.starts > 0)
    text += fmt::format("Forces came to balance from {} of {}. There may be other equilibria.\n",
                        found.converged, plural(found.starts, "random position"));
  if (!found.no_potential.empty())
    text += fmt::format(
        "The potential energy is that of gravity, linear springs and bushings; it leaves out '{}'.\n",
        fmt::join(found.no_potential, "', '"));
  return text;
}

std::string equilibrium_text(const Mechanism& mechanism, const Equilibria& found) {
  std::string text;
  for (std::size_t k = 0; k < found.found.size(); ++k) {
    const EquilibriumPosition& one = found.found[k];
    text += fmt::format("{}Equilibrium {}: {}, potential energy {:.6g} J, forces balance to {:.1e}\n",
                        k > 0 ? "\n" : "", k + 1, to_string(one.kind), one.potential, one.residual);
    text += places_text(mechanism, one.poses) + equilibrium_remarks(one);
  }
  const std::string remarks = search_remarks(found);
  return remarks.empty() ? text : text + "\n" + remarks;
}

// Without columns that are empty, or that only space has.
std::string without_empty(const std::vector<std::string>& head,
                          const std::vector<std::vector<std::string>>& rows, bool is_planar) {
  std::vector<std::string> short_head;
  std::vector<std::vector<std::string>> short_rows(rows.size());
  std::vector<std::size_t> left;
  for (std::size_t c = 0; c < head.size(); ++c) {
    const bool in_space = c == 4 || c == 5 || c == 6;  // force z, torque x and y
    const auto filled = [&](const std::vector<std::string>& row) { return !row[c].empty(); };
    if ((is_planar && in_space) || std::ranges::none_of(rows, filled)) continue;
    if (c < 2 || c == 9) left.push_back(short_head.size());
    short_head.push_back(head[c]);
    for (std::size_t r = 0; r < rows.size(); ++r) short_rows[r].push_back(rows[r][c]);
  }
  return html_table(short_head, short_rows, left);
}

// Where the bodies are in each equilibrium, and how stiff it is.
std::string equilibria_table(const Mechanism& mechanism, const Equilibria& found) {
  if (mechanism.bodies.empty()) return "";
  std::vector<std::string> head = place_head(mechanism);
  head.insert(head.begin(), "equilibrium");
  head.insert(head.end(), {"kind", "least stiffness over mass [1/s²]"});
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < found.found.size(); ++k)
    for (std::size_t b = 0; b < mechanism.bodies.size(); ++b) {
      const EquilibriumPosition& one = found.found[k];
      std::vector<std::string>& row = rows.emplace_back(place_cells(mechanism, b, one.poses[b]));
      row.insert(row.begin(), b == 0 ? std::to_string(k + 1) : "");
      row.emplace_back(b == 0 ? to_string(one.kind) : "");
      row.push_back(b == 0 && !one.stiffness.empty() ? fmt::format("{:.6g}", one.stiffness.front()) : "");
    }
  return "<h2>Places of the centres of mass</h2>\n" + html_table(head, rows, {1, 5});
}

double largest_reaction(const EquilibriumPosition& one) {
  double largest = 0;
  for (const auto& [name, reaction] : one.reactions)
    for (const JointReaction::Load& load : reaction.loads)
      largest =
          std::max({largest, load.force.lpNorm<Eigen::Infinity>(), load.torque.lpNorm<Eigen::Infinity>()});
  return largest;
}

// Forces and torques of joints, and efforts of drivers.
std::string reactions_table(const EquilibriumPosition& one, bool is_planar) {
  // Forces balance to this part of the largest.
  const double nothing = std::max(1e-12, 1e-11 * largest_reaction(one));
  std::vector<std::vector<std::string>> rows;
  const auto number = [&](double x) { return fmt::format("{:.6g}", std::abs(x) < nothing ? 0 : x); };
  for (const auto& [name, reaction] : one.reactions) {
    const std::string effort = std::isnan(reaction.effort) ? "" : number(reaction.effort);
    const std::string open = fmt::format("{}", fmt::join(reaction.not_unique, ", "));
    if (reaction.loads.empty()) rows.push_back({name, "", "", "", "", "", "", "", effort, open});
    for (const JointReaction::Load& load : reaction.loads)
      rows.push_back({name, load.body, number(load.force.x()), number(load.force.y()), number(load.force.z()),
                      number(load.torque.x()), number(load.torque.y()), number(load.torque.z()), effort,
                      open});
  }
  return without_empty(
      {"joint or driver", "on body", "force x [N]", "force y [N]", "force z [N]", "torque x [N.m]",
       "torque y [N.m]", "torque z [N.m]", "effort [N or N.m]", "not unique"},
      rows, is_planar);
}

}  // namespace

AnalysisRecord record_of(const Mechanism& mechanism, const Equilibria& found) {
  AnalysisRecord record;
  record.beside.analysis = "equilibrium";
  record.title = "Equilibria of " + mechanism.name;
  record.text = equilibrium_text(mechanism, found);
  Json all = Json::array();
  for (const EquilibriumPosition& one : found.found)
    all.push_back({{"stable", one.kind == EquilibriumKind::stable},
                   {"kind", to_string(one.kind)},
                   {"residual", one.residual},
                   {"bodies", bodies_json(mechanism, one.poses)},
                   {"reactions", reactions_json(one.reactions)},
                   {"potential", one.potential},
                   {"stiffness", one.stiffness},
                   {"symmetric", one.symmetric},
                   {"singular", one.singular},
                   {"kinked", one.kinked},
                   {"kinks", one.kinks},
                   {"passed_stops", one.passed_stops}});
  record.tables = {{"equilibria", std::move(all)}};
  record.tables["no_potential"] = found.no_potential;
  record.summary = Json::object();
  if (found.starts > 0) record.summary = {{"starts", found.starts}, {"converged", found.converged}};
  record.table = found.table;
  record.row_name = "equilibrium";
  record.details = equilibria_table(mechanism, found);
  for (std::size_t k = 0; k < found.found.size(); ++k) {
    const EquilibriumPosition& one = found.found[k];
    record.figures.push_back(
        {fmt::format("Equilibrium {}", k + 1), to_string(one.kind),
         fmt::format("potential energy {:.6g} J, forces balance to {:.1e}", one.potential, one.residual)});
    record.details += fmt::format("<h2>Reactions in equilibrium {}</h2>\n", k + 1) +
                      reactions_table(one, mechanism.is_planar) + html_paragraphs(equilibrium_remarks(one));
  }
  record.details += html_paragraphs(search_remarks(found));
  return record;
}

}  // namespace trammel::results
