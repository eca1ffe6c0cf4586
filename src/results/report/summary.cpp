#include "results/report/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/writer/plan_json.h"
#include "results/report/assembly_report.h"
#include "results/report/error_report.h"
#include "results/report/event_report.h"
#include "results/report/reaction_report.h"
#include "results/report/words.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

long marks(const RunSummary& s) { return static_cast<long>(s.marked_steps.size()); }
long marked_rows(const RunSummary& s) {
  return static_cast<long>(std::ranges::count(s.marked_steps, true, &MarkedStep::row));
}

std::string violation_text(const Violation& v) {
  return fmt::format("position {:.1e}, velocity {:.1e}, acceleration {:.1e}", v.position, v.velocity,
                     v.acceleration);
}

Json missing_json(const std::vector<MissingValues>& missing) {
  Json list = Json::array();
  for (const MissingValues& one : missing) {
    list.push_back({{"column", one.column}, {"from", one.first}, {"to", one.last}, {"rows", one.rows}});
    if (!one.reason.empty()) list.back()["reason"] = one.reason;
  }
  return list;
}

// What was run, as assembly left it.
std::string mechanism_lines(const Simulation& simulation, const analysis::Mobility& m, const RunSummary& s) {
  std::string text = summary_line(
      "degrees of freedom",
      fmt::format("{} ({}, {})", freedom_text(simulation.mechanism(), std::to_string(m.degrees_of_freedom)),
                  plural(m.unknowns, "unknown"), plural(m.constraints, "constraint")));
  std::string redundant = std::to_string(m.redundant_constraints);
  if (m.only_here)
    redundant += " (in the starting position only: it is singular)";
  else if (m.redundant_constraints > 0)
    redundant += " (reactions among these joints are not unique)";
  text += summary_line("redundant constraints", m.known ? redundant : "not examined (too many constraints)");
  return text + assembly_lines(s.assembly);
}

// By which method, and in which steps.
std::string step_lines(const Simulation& simulation, const RunSummary& s) {
  const ResolvedPlan& plan = simulation.resolved();
  std::string text;
  if (!s.choice.empty()) text += summary_line("method", s.choice);
  for (const ResolvedPlan::Choice& choice : plan.choices)
    if (choice.option == "coordinates")
      text += summary_line("coordinates", fmt::format("{}: {}", choice.value, choice.reason));
  std::string steps =
      fmt::format("{} {}, {:.1f} iterations each", s.steps,
                  simulation::controls_error(plan)
                      ? fmt::format("within tolerance {:.1g}", simulation::step_tolerance(plan))
                      : fmt::format("of {:.4g} s", plan.step),
                  s.steps > 0 ? static_cast<double>(s.iterations) / static_cast<double>(s.steps) : 0.0);
  if (s.rejected_steps > 0) steps += fmt::format(", {} rejected", s.rejected_steps);
  text += summary_line("steps", steps);
  for (const std::string& unread : unread_options(simulation.plan()))
    text += summary_line("not read", unread);
  if (s.coordinate_changes > 0)
    text += summary_line(
        "coordinates",
        fmt::format("chosen anew {}",
                    s.coordinate_changes == 1 ? "once" : fmt::format("{} times", s.coordinate_changes)));
  return text;
}

}  // namespace

std::string marked_text(const RunSummary& s) {
  const long rows = marked_rows(s), steps = marks(s) - rows;
  std::vector<std::string> parts;
  if (steps > 0) parts.push_back(fmt::format("{} of {}", steps, plural(s.steps, "step")));
  if (rows > 0) parts.push_back(plural(rows, "row"));
  return fmt::format("{}", fmt::join(parts, " and "));
}

// Columns that miss the same rows for the same reason are told together.
std::string missing_text(const RunSummary& s) {
  constexpr std::size_t kNamed = 3;
  const auto alike = [](const MissingValues& a, const MissingValues& b) {
    return a.first == b.first && a.last == b.last && a.rows == b.rows && a.reason == b.reason;
  };
  std::vector<std::string> parts;
  for (std::size_t k = 0, next = 0; k < s.missing.size(); k = next) {
    const MissingValues& one = s.missing[k];
    while (next < s.missing.size() && alike(one, s.missing[next])) ++next;
    if (parts.size() == kNamed) {
      parts.push_back(fmt::format("and {}", plural(static_cast<long>(s.missing.size() - k), "more column")));
      break;
    }
    const std::size_t named = std::min(next, k + kNamed);
    std::vector<std::string> names;
    for (std::size_t c = k; c < named; ++c) names.push_back("'" + s.missing[c].column + "'");
    if (named < next) names.push_back(plural(static_cast<long>(next - named), "more column"));
    const std::string times =
        one.rows == 1 ? fmt::format("at t = {:.6g} s", one.first)
                      : fmt::format("from t = {:.6g} s {}", one.first,
                                    one.last >= s.time ? "on" : fmt::format("to {:.6g} s", one.last));
    parts.push_back(fmt::format("{} {} {} ({}){}", fmt::join(names, ", "),
                                names.size() == 1 ? "is not a finite number" : "are not finite numbers",
                                times, plural(one.rows, "row"), one.reason.empty() ? "" : ": " + one.reason));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
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
  j["assembly"] = assembly_json(s.assembly);
  j["steps"] = s.steps;
  j["rejected_steps"] = s.rejected_steps;
  j["marked_steps"] = Json::array();
  for (const MarkedStep& mark : s.marked_steps) {
    j["marked_steps"].push_back({{"t", mark.t}, {"reason", mark.reason}, {"joint", mark.joint}});
    if (mark.row) j["marked_steps"].back()["row"] = true;
  }
  j["events"] = events_json(s.events);
  j["iterations"] = s.iterations;
  j["solver_fallovers"] = s.solver_fallovers;
  j["coordinate_changes"] = s.coordinate_changes;
  j["violation"] = violation_json(s.violation);
  j["marked_violation"] = violation_json(s.marked_violation);
  if (!s.missing.empty()) j["missing"] = missing_json(s.missing);
  j["error"] = error_json(s.error, simulation.plan().accuracy);
  j["energy"] = {{"initial", s.initial_energy}, {"max_drift", s.energy_drift}};
  j["peak_reaction"] = peak_json(s.peak_reaction, simulation.mechanism());
  j["reactions"] = reactions_json(s.reactions, simulation.mechanism());
  j["wall_seconds"] = s.wall_seconds;
  j["simulated_seconds"] = s.time;
  j["plan"] = model::plan_json(simulation.plan(), simulation.resolved());
  j["creation"] = creation;
  return j;
}

std::string summary_text(const Simulation& simulation, const analysis::Mobility& m, const RunSummary& s) {
  std::string text = fmt::format("{}: {}\n", simulation.mechanism().name, to_string(s.status));
  text += mechanism_lines(simulation, m, s);
  text += step_lines(simulation, s);
  text += summary_line("largest violation", violation_text(s.violation));
  if (!s.marked_steps.empty()) {
    const long rows = marked_rows(s);
    text +=
        summary_line("marked steps", fmt::format("{}{}, the first at t = {:.4g} s: {}", marks(s) - rows,
                                                 rows > 0 ? " and " + plural(rows, "row") : "",
                                                 s.marked_steps.front().t, s.marked_steps.front().reason));
    text += summary_line("violation there", violation_text(s.marked_violation));
  }
  if (!s.events.empty())
    text += summary_line(
        "events", events_text(s.events, s.time < simulation.plan().duration &&
                                            s.status != RunStatus::failed && s.status != RunStatus::stopped));
  if (!s.missing.empty()) text += summary_line("missing values", missing_text(s));
  text += error_lines(s.error, simulation);
  const bool drifts = s.energy_drift > s.energy_rounding;
  text += summary_line("energy", fmt::format("{:.6g} J at the start, {}", s.initial_energy,
                                             drifts ? fmt::format("largest drift {:.3g} J", s.energy_drift)
                                                    : "no drift beyond rounding"));
  text += reaction_lines(s, simulation.mechanism());
  if (s.wall_seconds > 0)
    text += summary_line("speed", fmt::format("{:.3g} s computed in {:.3g} s: {:.3g} times real time", s.time,
                                              s.wall_seconds, s.time / s.wall_seconds));
  return text;
}

}  // namespace trammel::results
