#include "results/report/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechanism/joint_kinds.h"
#include "model/writer/plan_json.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

std::string plural(long n, const std::string& word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

// Label, then what is said of it.
std::string line(const std::string& label, const std::string& text) {
  return fmt::format("  {:<22}{}\n", label, text);
}

// "1 driver prescribes"; empty: there are none.
std::string prescribing(const Mechanism& mechanism) {
  const auto n = static_cast<long>(mechanism.drivers.size());
  return n == 0 ? "" : plural(n, "driver") + (n == 1 ? " prescribes" : " prescribe");
}

// The degrees of freedom, which do not count what drivers prescribe.
std::string freedom_text(const Mechanism& mechanism, const std::string& freedom) {
  const std::string drivers = prescribing(mechanism);
  if (drivers.empty()) return freedom;
  return freedom == "0" ? fmt::format("0: {} the whole motion", drivers)
                        : fmt::format("{}, beside what {}", freedom, drivers);
}

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

// What the joints of a machine carry beside the reactions written (docs/results.md).
std::vector<std::string> not_in_reactions(const Mechanism& mechanism) {
  std::vector<std::string> all;
  for (const Joint& joint : mechanism.joints)
    if (mechanism::about(joint.kind).of == mechanism::JointOf::joints && joint.of.size() > 1)
      all.push_back(fmt::format("the force of {} '{}' on its bearings", mechanism::about(joint.kind).title(),
                                joint.name));
  for (const Force& force : mechanism.forces)
    if (const auto* torque = std::get_if<AppliedTorque>(&force.law))
      all.push_back(
          fmt::format("the counter-torque of '{}', which acts on '{}' alone", force.name, torque->body));
  return all;
}

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

std::string check_text(const simulation::ReactionCheck& reactions) {
  if (!reactions.examined) return line("reactions", "not examined for uniqueness (too many constraints)");
  if (reactions.entries.empty()) return {};
  const std::string undetermined = listed(reactions, false);
  if (undetermined.empty()) return line("reactions", "all determined");
  return line("undetermined", undetermined) + line("determined", listed(reactions, true));
}

long marks(const RunSummary& s) { return static_cast<long>(s.marked_steps.size()); }
long marked_rows(const RunSummary& s) {
  return static_cast<long>(std::ranges::count(s.marked_steps, true, &MarkedStep::row));
}

std::string violation_text(const Violation& v) {
  return fmt::format("position {:.1e}, velocity {:.1e}, acceleration {:.1e}", v.position, v.velocity,
                     v.acceleration);
}

// A peak with so large a part of it unknown is an accident of the rows, as next to a singular position.
constexpr double kPeakKnown = 0.1;

Json peak_known(const RunSummary::Peak& peak) {
  if (std::isnan(peak.error)) return nullptr;
  return peak.error <= kPeakKnown * peak.force;
}

std::string peak_text(const RunSummary& s) {
  const RunSummary::Peak& peak = s.peak_reaction;
  const std::string where = fmt::format("at '{}', t = {:.4g} s", peak.joint, peak.t);
  if (peak.error > kPeakKnown * peak.force)
    return fmt::format(
        "not known: {:.2g} N {}, with an error of {:.2g} N; look at the curves, or compute more exactly",
        peak.force, where, peak.error);
  const bool unique =
      std::none_of(s.reactions.not_unique.begin(), s.reactions.not_unique.end(),
                   [&](const std::string& component) { return component.starts_with(peak.joint + "."); });
  return fmt::format("{:.4g} N {}, of the rows written{}{}", peak.force, where,
                     s.marked_steps.empty() ? "" : ", away from marked steps",
                     unique ? "" : "; not unique: joints may share the load otherwise");
}

Json number_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json error_json(const ErrorEstimate& error, double accuracy) {
  if (error.reference.empty()) return nullptr;
  Json j;
  // These are always there.
  for (const char* name : {"position", "velocity", "reaction"}) j[name] = nullptr;
  Json until = Json::object(), columns = Json::object();
  double growth = std::numeric_limits<double>::quiet_NaN();
  for (const ErrorEstimate::Kind& kind : error.kinds) {
    j[kind.name] = kind.largest;
    until[kind.name] = number_or_null(kind.known_until);
    if (!kind.column.empty()) columns[kind.name] = {{"column", kind.column}, {"t", kind.t}};
    if (kind.beyond > 0) columns[kind.name]["rows_beyond"] = kind.beyond;
    if (!std::isnan(kind.growth)) growth = std::isnan(growth) ? kind.growth : std::max(growth, kind.growth);
  }
  j["reference"] = error.reference;
  if (!error.failure.empty()) j["failure"] = error.failure;
  j["accuracy"] = accuracy;
  j["known_until"] = until;
  j["growth_rate"] = number_or_null(growth);
  j["largest"] = columns;
  j["wall_seconds"] = error.seconds;
  return j;
}

std::string in_words(const ErrorEstimate::Kind& kind) {
  if (kind.name == "other") return kind.column;
  return kind.name == "angular_velocity" ? "angular velocity" : kind.name;
}

// "position 1.2e-07 m, velocity 3e-06 m/s, reaction 2e-05 N"
std::string errors_text(const ErrorEstimate& error) {
  std::vector<std::string> parts;
  for (const ErrorEstimate::Kind& kind : error.kinds)
    if (kind.name != "energy" && !kind.column.empty())
      parts.push_back(fmt::format("{} {:.1e}{}{}", in_words(kind), kind.largest, kind.unit.empty() ? "" : " ",
                                  kind.unit));
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

// "t = 1.88 s, where 'A.force.y' errs by more than 0.001 of its range; positions 2.78 s; a smaller tolerance
// goes further"
std::string known_text(const ErrorEstimate& error, const Simulation& simulation) {
  const ErrorEstimate::Kind& limit = *error.limit();
  if (limit.first.empty())
    return fmt::format("t = {:.4g} s, where the second run ended: {}", limit.known_until, error.failure);
  const ErrorEstimate::Kind* position = error.find("position");
  std::string text =
      fmt::format("t = {:.4g} s, where '{}' errs by more than {:.1g} of its range{}", limit.known_until,
                  limit.first, simulation.plan().accuracy,
                  position == nullptr || position == &limit ? ""
                  : position->first.empty()                 ? "; positions are known to the end"
                                            : fmt::format("; positions {:.4g} s", position->known_until));
  double growth = 0;
  for (const ErrorEstimate::Kind& kind : error.kinds) growth = kind.growth > growth ? kind.growth : growth;
  if (growth > 0)
    text += fmt::format("; the motion amplifies errors tenfold in {:.2g} s", std::numbers::ln10 / growth);
  return text + (simulation::controls_error(simulation.resolved())
                     ? "; a smaller tolerance goes further"
                     : "; a tolerance, or a smaller step, goes further");
}

}  // namespace

std::string marked_text(const RunSummary& s) {
  const long rows = marked_rows(s), steps = marks(s) - rows;
  std::vector<std::string> parts;
  if (steps > 0) parts.push_back(fmt::format("{} of {}", steps, plural(s.steps, "step")));
  if (rows > 0) parts.push_back(plural(rows, "row"));
  return fmt::format("{}", fmt::join(parts, " and "));
}

Json violation_json(const Violation& v) {
  return {{"position", v.position}, {"velocity", v.velocity}, {"acceleration", v.acceleration}};
}

std::string to_string(RunStatus status) {
  switch (status) {
    case RunStatus::ok:
      return "ok";
    case RunStatus::limited:
      return "limited";
    case RunStatus::marked:
      return "marked";
    case RunStatus::doubtful:
      return "doubtful";
    case RunStatus::failed:
      return "failed";
    case RunStatus::stopped:
      return "stopped";
  }
  return "failed";
}

std::string to_string(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::impact:
      return "impact";
    case Event::Kind::rest:
      return "rest";
    case Event::Kind::release:
      return "release";
    case Event::Kind::slip:
      return "slip";
    case Event::Kind::lift:
      return "lift";
    case Event::Kind::grip:
      return "grip";
    case Event::Kind::stop:
      return "stop";
    case Event::Kind::jump:
      return "jump";
  }
  return "";
}

Json events_json(const std::vector<Event>& events) {
  Json list = Json::array();
  for (const Event& e : events) {
    Json j = {{"t", e.t}, {"kind", to_string(e.kind)}, {"name", e.name}};
    if (e.kind == Event::Kind::impact || e.kind == Event::Kind::rest || e.kind == Event::Kind::jump) {
      j["speed_before"] = e.before;
      j["speed_after"] = e.after;
      j["impulse"] = e.impulse;
      j["energy"] = e.energy;
    } else if (e.kind == Event::Kind::slip || e.kind == Event::Kind::lift || e.kind == Event::Kind::grip) {
      j["normal_force"] = e.before;
      j["friction_needed"] = e.after;
    }
    list.push_back(j);
  }
  return list;
}

// "3 impacts, 1 rest, the last at t = 2.1 s"
std::string events_text(const std::vector<Event>& events, bool ended) {
  std::string text;
  for (const Event::Kind kind :
       {Event::Kind::impact, Event::Kind::rest, Event::Kind::release, Event::Kind::slip, Event::Kind::lift,
        Event::Kind::grip, Event::Kind::jump}) {
    const auto n =
        std::count_if(events.begin(), events.end(), [&](const Event& e) { return e.kind == kind; });
    if (n > 0) text += fmt::format("{} {}{}, ", n, to_string(kind), n > 1 ? "s" : "");
  }
  const Event& last = events.back();
  if (last.kind == Event::Kind::stop)
    return text + fmt::format("ended at t = {:.10g} s, where '{}' became true", last.t, last.name);
  if (ended)
    return text + fmt::format("ended at t = {:.10g} s, where '{}' would {}", last.t, last.name,
                              last.kind == Event::Kind::lift ? "lift off" : "slip");
  return text + fmt::format("the last at t = {:.6g} s ('{}')", last.t, last.name);
}

Json mobility_json(const analysis::Mobility& m, const simulation::ReactionCheck& reactions) {
  Json j;
  j["unknowns"] = m.unknowns;
  j["constraints"] = m.constraints;
  j["velocity_constraints"] = m.velocity_constraints;
  j["rank"] = m.rank;
  j["degrees_of_freedom"] = m.degrees_of_freedom;
  j["position_freedom"] = m.position_freedom;
  j["redundant_constraints"] = m.redundant_constraints;
  j["dependent_sets"] = Json::array();
  for (const auto& set : m.dependent_sets) j["dependent_sets"].push_back(set.joints);
  j["only_in_this_position"] = m.only_here;
  j["locked"] = m.locked;
  j["rank_known"] = m.known;
  j["undetermined_reactions"] = reactions.examined ? Json::array() : Json(nullptr);
  for (const auto& entry : reactions.entries)
    if (!entry.unique) j["undetermined_reactions"].push_back(dotted(entry));
  j["errors"] = Json::array();
  return j;
}

Json summary_json(const Simulation& simulation, const analysis::Mobility& m, const RunSummary& s,
                  const nlohmann::json& creation) {
  Json j;
  j["status"] = to_string(s.status);
  if (!s.message.empty()) j["message"] = s.message;
  if (!s.warnings.empty()) j["warnings"] = s.warnings;
  j["model"] = simulation.mechanism().name;
  const ResolvedPlan& plan = simulation.resolved();
  j["coordinates"] = name_of(plan.coordinates);
  j["formulation"] = name_of(plan.formulation);
  j["integrator"] = name_of(plan.integrator);
  if (!s.choice.empty()) j["choice"] = s.choice;
  if (const auto unread = unread_options(simulation.plan()); !unread.empty()) j["not_read"] = unread;
  j["solver"] = s.solver;
  j["unknowns"] = m.unknowns;
  j["constraints"] = m.constraints;
  j["degrees_of_freedom"] = m.degrees_of_freedom;
  j["redundant_constraints"] = m.redundant_constraints;
  j["assembly"] = {{"largest_move", s.assembly.largest_move}, {"rough_shapes", s.assembly.rough_shapes}};
  j["steps"] = s.steps;
  j["rejected_steps"] = s.rejected_steps;
  j["marked_steps"] = Json::array();
  for (const MarkedStep& mark : s.marked_steps) {
    j["marked_steps"].push_back({{"t", mark.t}, {"reason", mark.reason}, {"joint", mark.joint}});
    if (mark.row) j["marked_steps"].back()["row"] = true;
  }
  if (!s.events.empty()) j["events"] = events_json(s.events);
  j["iterations"] = s.iterations;
  j["solver_fallovers"] = s.solver_fallovers;
  j["coordinate_changes"] = s.coordinate_changes;
  j["violation"] = violation_json(s.violation);
  j["marked_violation"] = violation_json(s.marked_violation);
  j["error"] = error_json(s.error, simulation.plan().accuracy);
  j["energy"] = {{"initial", s.initial_energy}, {"max_drift", s.energy_drift}};
  j["peak_reaction"] = {{"force", s.peak_reaction.force},
                        {"joint", s.peak_reaction.joint},
                        {"t", s.peak_reaction.t},
                        {"error", number_or_null(s.peak_reaction.error)},
                        {"converged", peak_known(s.peak_reaction)}};
  j["reactions"] = {{"unique", reactions_unique(s.reactions)},
                    {"rule", kReactionRule},
                    {"not_unique", s.reactions.not_unique},
                    {"without", not_in_reactions(simulation.mechanism())}};
  j["wall_seconds"] = s.wall_seconds;
  j["simulated_seconds"] = s.time;
  j["plan"] = model::plan_json(simulation.plan(), simulation.resolved());
  j["creation"] = creation;
  return j;
}

std::string summary_text(const Simulation& simulation, const analysis::Mobility& m, const RunSummary& s) {
  std::string text = fmt::format("{}: {}\n", simulation.mechanism().name, to_string(s.status));
  text += line(
      "degrees of freedom",
      fmt::format("{} ({}, {})", freedom_text(simulation.mechanism(), std::to_string(m.degrees_of_freedom)),
                  plural(m.unknowns, "unknown"), plural(m.constraints, "constraint")));
  std::string redundant = std::to_string(m.redundant_constraints);
  if (m.only_here)
    redundant += " (in the starting position only: it is singular)";
  else if (m.redundant_constraints > 0)
    redundant += " (reactions among these joints are not unique)";
  text += line("redundant constraints", m.known ? redundant : "not examined (too many constraints)");
  // A placement that is exact to a micrometre is not worth a line.
  if (s.assembly.largest_move > 1e-6)
    text += line("assembly", fmt::format("moved points by up to {:.3g} m", s.assembly.largest_move));
  if (!s.assembly.rough_shapes.empty())
    text += line("rough shapes",
                 fmt::format("{}: assembly moved points that they carry, and their shape is still that "
                             "of the first places; give these exactly, or as points of the body",
                             fmt::join(s.assembly.rough_shapes, ", ")));
  const ResolvedPlan& plan = simulation.resolved();
  std::string steps =
      fmt::format("{} {}, {:.1f} iterations each", s.steps,
                  simulation::controls_error(plan)
                      ? fmt::format("within tolerance {:.1g}", simulation::step_tolerance(plan))
                      : fmt::format("of {:.4g} s", plan.step),
                  s.steps > 0 ? static_cast<double>(s.iterations) / static_cast<double>(s.steps) : 0.0);
  if (!s.choice.empty()) text += line("method", s.choice);
  for (const ResolvedPlan::Choice& choice : plan.choices)
    if (choice.option == "coordinates")
      text += line("coordinates", fmt::format("{}: {}", choice.value, choice.reason));
  if (s.rejected_steps > 0) steps += fmt::format(", {} rejected", s.rejected_steps);
  text += line("steps", steps);
  for (const std::string& unread : unread_options(simulation.plan())) text += line("not read", unread);
  if (s.coordinate_changes > 0)
    text +=
        line("coordinates",
             fmt::format("chosen anew {}",
                         s.coordinate_changes == 1 ? "once" : fmt::format("{} times", s.coordinate_changes)));
  text += line("largest violation", violation_text(s.violation));
  if (!s.marked_steps.empty()) {
    const long rows = marked_rows(s);
    text += line("marked steps", fmt::format("{}{}, the first at t = {:.4g} s: {}", marks(s) - rows,
                                             rows > 0 ? " and " + plural(rows, "row") : "",
                                             s.marked_steps.front().t, s.marked_steps.front().reason));
    text += line("violation there", violation_text(s.marked_violation));
  }
  if (!s.events.empty())
    text += line("events",
                 events_text(s.events, s.time < simulation.plan().duration && s.status != RunStatus::failed &&
                                           s.status != RunStatus::stopped));
  if (!s.error.reference.empty()) {
    text += line("largest errors", fmt::format("{} ({})", errors_text(s.error), s.error.reference));
    if (s.error.limit() != nullptr) text += line("known until", known_text(s.error, simulation));
  } else {
    text += line("largest errors", "not estimated, for verify is off");
  }
  text += line("energy", fmt::format("{:.6g} J at the start, largest drift {:.3g} J", s.initial_energy,
                                     s.energy_drift));
  if (!s.peak_reaction.joint.empty()) text += line("peak reaction", peak_text(s));
  const Mechanism& mechanism = simulation.mechanism();
  if (!mechanism.joints.empty() || !mechanism.drivers.empty() || mechanism.generalized)
    text += line("reactions", reactions_text(s.reactions));
  if (const std::vector<std::string> without = not_in_reactions(mechanism); !without.empty())
    text += line("reactions lack",
                 fmt::format("{}{}", without.front(),
                             without.size() == 1 ? "" : fmt::format(", and {} more", without.size() - 1)));
  if (s.wall_seconds > 0)
    text += line("speed", fmt::format("{:.3g} s computed in {:.3g} s: {:.3g} times real time", s.time,
                                      s.wall_seconds, s.time / s.wall_seconds));
  return text;
}

std::string mobility_text(const Mechanism& mechanism, const analysis::Mobility& m,
                          const simulation::ReactionCheck& reactions) {
  std::string text = fmt::format("{}\n", mechanism.name);
  text += line("unknowns", std::to_string(m.unknowns));
  text += line("constraints", std::to_string(m.constraints));
  if (m.velocity_constraints > 0) text += line("of velocities alone", std::to_string(m.velocity_constraints));
  if (!m.known) {
    text += line("rank", "not computed: too many constraints; the figures below count equations only");
  } else {
    text += line("rank", std::to_string(m.rank));
  }
  std::string freedom = std::to_string(m.degrees_of_freedom);
  if (m.position_freedom != m.degrees_of_freedom)
    freedom += fmt::format(" of velocities, {} of positions", m.position_freedom);
  text += line("degrees of freedom", freedom_text(mechanism, freedom));
  text += line("redundant constraints", std::to_string(m.redundant_constraints));
  for (const auto& set : m.dependent_sets)
    text +=
        line("dependent set", fmt::format("{} ({} too many)", fmt::join(set.joints, ", "), set.redundant));
  text += check_text(reactions);
  const bool undetermined = std::ranges::any_of(reactions.entries, [](const auto& e) { return !e.unique; });
  if (m.locked)
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
        "  among them are not, unless one of them is given more freedom (a revolute made cylindrical, "
        "universal\n"
        "  or spherical).\n";
  else if (undetermined)
    text +=
        "  These joints hold a body more than once. The motion is unique; the forces among them are not, "
        "unless "
        "one\n"
        "  of them is given more freedom (a revolute made cylindrical, universal or spherical).\n";
  return text;
}

}  // namespace trammel::results
