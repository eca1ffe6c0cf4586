#include "results/report/mobility_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "results/report/assembly_report.h"
#include "results/report/reaction_report.h"
#include "results/report/words.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

std::string dotted(const simulation::ReactionCheck::Entry& entry) {
  return entry.component.empty() ? entry.joint : entry.joint + "." + entry.component;
}

// "hinge (force.x, force.z), slide": the components of each joint that are unique, or those that are not.
std::string listed(const simulation::ReactionCheck& reactions, bool unique) {
  std::vector<std::pair<std::string, std::vector<std::string>>> joints;
  for (const auto& entry : reactions.entries) {
    if (entry.unique != unique) continue;
    if (joints.empty() || joints.back().first != entry.joint) joints.push_back({entry.joint, {}});
    if (!entry.component.empty()) joints.back().second.push_back(entry.component);
  }
  std::vector<std::string> words;
  for (const auto& [joint, components] : joints)
    words.push_back(components.empty() ? joint : fmt::format("{} ({})", joint, fmt::join(components, ", ")));
  return fmt::format("{}", fmt::join(words, ", "));
}

// Where a redundancy holds: in every position near this one, or in this one alone.
std::string where_text(const analysis::Mobility& m, const analysis::Mobility::DependentSet& set) {
  if (set.redundant_here == set.redundant) return ", only in this position";
  if (set.redundant_here > 0) return fmt::format(", {} of them only in this position", set.redundant_here);
  return m.locked ? "" : ", everywhere near";
}

std::string check_text(const simulation::ReactionCheck& reactions) {
  if (!reactions.examined)
    return summary_line("reactions", "not examined for uniqueness (too many constraints)");
  if (reactions.entries.empty()) return {};
  const std::string undetermined = listed(reactions, false);
  if (undetermined.empty()) return summary_line("reactions", "all determined");
  const std::string determined = listed(reactions, true);
  return summary_line("undetermined", undetermined) +
         (determined.empty() ? "" : summary_line("determined", determined));
}

}  // namespace

Json mobility_json(const analysis::MobilityCheck& check, const simulation::ReactionCheck& reactions) {
  const analysis::Mobility& m = check.mobility;
  Json j;
  j["unknowns"] = m.unknowns;
  j["constraints"] = m.constraints;
  j["velocity_constraints"] = m.velocity_constraints;
  j["rank"] = m.rank;
  j["degrees_of_freedom"] = m.degrees_of_freedom;
  j["position_freedom"] = m.position_freedom;
  j["freedom_in_this_position_only"] = m.redundant_here;
  j["joint_equations"] = m.joint_equations;
  j["redundant_constraints"] = m.redundant_constraints;
  j["redundant_in_this_position_only"] = m.redundant_here;
  j["dependent_sets"] = Json::array();
  for (const auto& set : m.dependent_sets) j["dependent_sets"].push_back(set.joints);
  j["redundancies"] = Json::array();
  for (const auto& set : m.dependent_sets)
    j["redundancies"].push_back({{"joints", set.joints},
                                 {"redundant", set.redundant},
                                 {"in_this_position_only", set.redundant_here}});
  j["only_in_this_position"] = m.only_here;
  j["closed_stops"] = m.closed_stops;
  j["locked"] = m.locked;
  j["rank_known"] = m.known;
  add_details(check, j);
  j["undetermined_reactions"] = reactions.examined ? Json::array() : Json(nullptr);
  for (const auto& entry : reactions.entries)
    if (!entry.unique) j["undetermined_reactions"].push_back(dotted(entry));
  j["errors"] = Json::array();
  return j;
}

std::string mobility_text(const Mechanism& mechanism, const analysis::MobilityCheck& check,
                          const simulation::ReactionCheck& reactions, const AssemblyReport& assembly) {
  const analysis::Mobility& m = check.mobility;
  std::string text = fmt::format("{}\n", mechanism.name) + assembly_lines(assembly);
  text += summary_line("unknowns", std::to_string(m.unknowns));
  text += summary_line("constraints", std::to_string(m.constraints));
  if (m.velocity_constraints > 0)
    text += summary_line("of velocities alone", std::to_string(m.velocity_constraints));
  if (!m.known) {
    text +=
        summary_line("rank", "not computed: too many constraints; the figures below count equations only");
  } else {
    text += summary_line("rank", std::to_string(m.rank));
  }
  std::string freedom = std::to_string(m.degrees_of_freedom);
  if (m.position_freedom != m.degrees_of_freedom)
    freedom += fmt::format(" of velocities, {} of positions", m.position_freedom);
  freedom = freedom_text(mechanism, freedom);
  if (!m.closed_stops.empty())
    freedom += fmt::format(", with the closed end-stop{} '{}' as a joint that holds",
                           m.closed_stops.size() == 1 ? "" : "s", fmt::join(m.closed_stops, "', '"));
  if (m.redundant_here > 0)
    freedom += fmt::format(", {} of them {}", m.redundant_here,
                           m.locked ? "of first order only" : "only in this position");
  text += summary_line("degrees of freedom", freedom);
  text += summary_line("equations of joints", std::to_string(m.joint_equations));
  text += summary_line("redundant constraints", std::to_string(m.redundant_constraints));
  for (const auto& set : m.dependent_sets)
    text += summary_line("dependent set", fmt::format("{} ({} too many{})", fmt::join(set.joints, ", "),
                                                      set.redundant, where_text(m, set)));
  text += details_text(check);
  text += check_text(reactions) + lacking_line(mechanism);
  const bool undetermined = std::ranges::any_of(reactions.entries, [](const auto& e) { return !e.unique; });
  if (m.locked && m.degrees_of_freedom == 0)
    text +=
        "  The joints hold every body, some of them more than once: nothing can move. The forces among the "
        "joints\n"
        "  of a set are not unique, unless one of them is given more freedom.\n";
  else if (m.locked)
    text +=
        "  The joints allow no other position nearby: the mechanism is locked here. The degrees of freedom "
        "count\n"
        "  directions in which only the second order resists; a run cannot start from such a position.\n";
  else if (m.only_here)
    text += "  Only in this position: it is singular, and the mechanism can leave it in several ways.\n";
  else if (m.redundant_constraints > 0)
    text +=
        "  In nearby positions too: the joints of a set say the same thing twice. The motion is unique; the "
        "forces\n"
        "  among them are not, unless one of them is given more freedom.\n";
  else if (undetermined)
    text +=
        "  These joints hold a body more than once. The motion is unique; the forces among them are not, "
        "unless "
        "one\n"
        "  of them is given more freedom (a revolute made cylindrical, universal or spherical).\n";
  return text;
}

}  // namespace trammel::results
