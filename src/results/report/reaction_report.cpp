#include "results/report/reaction_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "mechanism/joint_kinds.h"
#include "results/report/words.h"
#include "simulation/error_estimate.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

// Which of the reactions that belong to one motion are written.
constexpr const char* kReactionRule =
    "the multipliers with the least sum of compliance times square, and where joints share a place the least "
    "sum of "
    "squares of their forces there";

Json reactions_unique(const ReactionSummary& reactions) {
  if (!reactions.not_unique.empty()) return false;
  return reactions.examined ? Json(true) : Json(nullptr);
}

std::string reactions_text(const ReactionSummary& reactions) {
  if (!reactions.not_unique.empty())
    return fmt::format("{} not unique, such as {}: one choice of many (docs/results.md)",
                       plural(static_cast<long>(reactions.not_unique.size()), "component"),
                       reactions.not_unique.front());
  return reactions.examined ? "unique" : "not examined for uniqueness (too many constraints)";
}

// The element whose reactions have the force between the teeth, where there is one.
std::string pair_with_force(Joint::Kind kind) {
  if (kind == Joint::Kind::gear) return ", which a gear-pair has";
  return kind == Joint::Kind::rack ? ", which a rack-pair has" : "";
}

// A coupler of joint coordinates: its equation has torques and forces on these, but no force on the bearings.
bool couples_bearings(const Joint& joint) {
  return mechanism::about(joint.kind).of == mechanism::JointOf::joints && joint.of.size() > 1;
}

const Joint* find_joint(const Mechanism& mechanism, const std::string& name) {
  const auto at = std::ranges::find(mechanism.joints, name, &Joint::name);
  return at == mechanism.joints.end() ? nullptr : &*at;
}

// The bodies that would press on each other, such as two gears. A body of all coupled joints is their frame,
// in which these forces are internal.
std::set<std::string> coupled_bodies(const Mechanism& mechanism, const Joint& coupler) {
  std::map<std::string, std::size_t> joints_of;
  for (const std::string& name : coupler.of) {
    std::set<std::string> bodies;
    if (const Joint* joint = find_joint(mechanism, name))
      for (const Marker& marker : joint->markers) bodies.insert(marker.body);
    for (const std::string& body : bodies) ++joints_of[body];
  }
  std::set<std::string> all;
  for (const auto& [body, count] : joints_of)
    if (body != kGround && count < coupler.of.size()) all.insert(body);
  return all;
}

}  // namespace

std::vector<std::string> not_in_reactions(const Mechanism& mechanism) {
  std::vector<std::string> all;
  for (const Joint& joint : mechanism.joints)
    if (couples_bearings(joint))
      all.push_back(fmt::format("the force of {} '{}' on its bearings{}",
                                mechanism::about(joint.kind).title(), joint.name,
                                pair_with_force(joint.kind)));
  for (const Force& force : mechanism.forces)
    if (const auto* torque = std::get_if<AppliedTorque>(&force.law))
      all.push_back(
          fmt::format("the counter-torque of '{}', which acts on '{}' alone", force.name, torque->body));
  return all;
}

std::string lacking_in(const Mechanism& mechanism, const std::string& name) {
  const Joint* joint = find_joint(mechanism, name);
  bool teeth = false, other = false;
  for (const Joint& coupler : mechanism.joints) {
    if (!couples_bearings(coupler)) continue;
    const std::set<std::string> bodies = coupled_bodies(mechanism, coupler);
    const bool at_a_body = joint != nullptr && std::ranges::any_of(joint->markers, [&](const Marker& m) {
                             return bodies.contains(m.body);
                           });
    if (std::ranges::count(coupler.of, name) == 0 && !at_a_body) continue;
    (pair_with_force(coupler.kind).empty() ? other : teeth) = true;
  }
  if (teeth) return other ? "tooth forces and forces of couplers" : "tooth forces";
  return other ? "forces of couplers" : "";
}

std::string lacking_line(const Mechanism& mechanism) {
  const std::vector<std::string> without = not_in_reactions(mechanism);
  if (without.empty()) return {};
  return summary_line(
      "reactions lack",
      fmt::format("{}{}", without.front(),
                  without.size() == 1 ? "" : fmt::format(", and {} more", without.size() - 1)));
}

namespace {

Json peak_known(const RunSummary::Peak& peak) {
  if (std::isnan(peak.error)) return nullptr;
  return peak.error <= simulation::kPeakKnown * peak.force;
}

std::string peak_text(const RunSummary& s, const Mechanism& mechanism) {
  const RunSummary::Peak& peak = s.peak_reaction;
  const std::string lacking = lacking_in(mechanism, peak.joint);
  const std::string where =
      fmt::format("{}at '{}', t = {:.4g} s", lacking.empty() ? "" : fmt::format("(without {}) ", lacking),
                  peak.joint, peak.t);
  if (peak.error > simulation::kPeakKnown * peak.force)
    return fmt::format(
        "not known: {:.2g} N {}, with an error of {:.2g} N; look at the curves, or compute more exactly",
        peak.force, where, peak.error);
  const bool unique =
      std::none_of(s.reactions.not_unique.begin(), s.reactions.not_unique.end(),
                   [&](const std::string& component) { return component.starts_with(peak.joint + "."); });
  const ErrorEstimate::Kind* reactions = s.error.find("reaction");
  const bool error_known = reactions == nullptr || !std::isnan(reactions->largest);
  return fmt::format("{:.4g} N {}, of the rows written{}{}{}", peak.force, where,
                     s.marked_steps.empty() ? "" : ", away from marked steps",
                     unique ? "" : "; not unique: joints may share the load otherwise",
                     error_known ? "" : "; its error is not known");
}

}  // namespace

Json peak_json(const RunSummary::Peak& peak, const Mechanism& mechanism) {
  const std::string lacking = lacking_in(mechanism, peak.joint);
  return {{"force", peak.force},
          {"without", lacking.empty() ? Json(nullptr) : Json(lacking)},
          {"joint", peak.joint},
          {"t", peak.t},
          {"error", std::isfinite(peak.error) ? Json(peak.error) : Json(nullptr)},
          {"converged", peak_known(peak)}};
}

Json reactions_json(const ReactionSummary& reactions, const Mechanism& mechanism) {
  return {{"unique", reactions_unique(reactions)},
          {"rule", kReactionRule},
          {"not_unique", reactions.not_unique},
          {"without", not_in_reactions(mechanism)}};
}

std::string reaction_lines(const RunSummary& summary, const Mechanism& mechanism) {
  std::string text;
  if (!summary.peak_reaction.joint.empty())
    text += summary_line("peak reaction", peak_text(summary, mechanism));
  if (!mechanism.joints.empty() || !mechanism.drivers.empty() || mechanism.generalized)
    text += summary_line("reactions", reactions_text(summary.reactions));
  return text + lacking_line(mechanism);
}

}  // namespace trammel::results
