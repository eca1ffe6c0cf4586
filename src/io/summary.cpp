#include "io/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "simulation/plan_check.h"

namespace trammel {
namespace {

using Json = nlohmann::ordered_json;

Json violation_json(const Violation& v) {
  return {{"position", v.position}, {"velocity", v.velocity}, {"acceleration", v.acceleration}};
}

std::string plural(long n, const std::string& word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

// Label, then what is said of it.
std::string line(const std::string& label, const std::string& text) {
  return fmt::format("  {:<22}{}\n", label, text);
}

std::string violation_text(const Violation& v) {
  return fmt::format("position {:.1e}, velocity {:.1e}, acceleration {:.1e}", v.position, v.velocity,
                     v.acceleration);
}

}  // namespace

std::string to_string(RunStatus status) {
  switch (status) {
    case RunStatus::ok:
      return "ok";
    case RunStatus::marked:
      return "marked";
    case RunStatus::failed:
      return "failed";
    case RunStatus::stopped:
      return "stopped";
  }
  return "failed";
}

Json plan_json(const Plan& plan) {
  Json j;
  j["coordinates"] = plan.coordinates;
  j["formulation"] = plan.formulation;
  j["integrator"] = plan.integrator;
  if (plan.integrator == "newmark")
    j["newmark"] = {{"beta", plan.newmark_beta}, {"gamma", plan.newmark_gamma}};
  if (plan.integrator == "hht") j["alpha"] = plan.hht_alpha;
  if (plan.integrator == "generalized-alpha") j["spectral_radius"] = plan.spectral_radius;
  j["solver"] = plan.solver;
  j["duration"] = plan.duration;
  if (plan.step > 0) j["step"] = plan.step;
  if (plan.tolerance > 0) j["tolerance"] = plan.tolerance;
  if (plan.penalty)
    j["penalty"] = *plan.penalty;
  else
    j["penalty"] = "automatic";
  if (!plan.penalty_of.empty()) j["penalty_of"] = plan.penalty_of;
  if (!plan.omega_of.empty()) j["omega_of"] = plan.omega_of;
  if (!plan.mu_of.empty()) j["mu_of"] = plan.mu_of;
  j["constraint_scale"] = plan.constraint_scale;
  const bool index3 = plan.formulation == "augmented-lagrangian-index3";
  j["projection"] = {{"metric", plan.projection_metric},
                     {"sweeps", plan.projection_sweeps},
                     {"every", plan.projection_every},
                     {"positions", plan.project_positions.value_or(false)},
                     {"velocities", plan.project_velocities.value_or(index3)},
                     {"accelerations", plan.project_accelerations.value_or(index3)}};
  if (index3) {
    j["projection"]["reactions"] = plan.projection_reactions;
    j["projection"]["route"] = plan.projection_route;
  }
  j["reactions"] = plan.reactions;
  j["convergence"] = plan.convergence;
  j["max_iterations"] = plan.max_iterations;
  return j;
}

Json mobility_json(const Mobility& m) {
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
  j["errors"] = Json::array();
  return j;
}

Json summary_json(const Simulation& simulation, const Mobility& m, const RunSummary& s) {
  Json j;
  j["status"] = to_string(s.status);
  if (!s.message.empty()) j["message"] = s.message;
  if (!s.warnings.empty()) j["warnings"] = s.warnings;
  j["model"] = simulation.mechanism().name;
  j["coordinates"] = simulation.plan().coordinates;
  j["formulation"] = simulation.plan().formulation;
  j["integrator"] = simulation.plan().integrator;
  j["solver"] = s.solver;
  j["unknowns"] = m.unknowns;
  j["constraints"] = m.constraints;
  j["degrees_of_freedom"] = m.degrees_of_freedom;
  j["redundant_constraints"] = m.redundant_constraints;
  j["assembly"] = {{"largest_move", s.assembly.largest_move}};
  j["steps"] = s.steps;
  j["rejected_steps"] = s.rejected_steps;
  j["marked_steps"] = Json::array();
  for (const MarkedStep& mark : s.marked_steps)
    j["marked_steps"].push_back({{"t", mark.t}, {"reason", mark.reason}, {"joint", mark.joint}});
  j["iterations"] = s.iterations;
  j["solver_fallovers"] = s.solver_fallovers;
  j["violation"] = violation_json(s.violation);
  j["marked_violation"] = violation_json(s.marked_violation);
  j["energy"] = {{"initial", s.initial_energy}, {"max_drift", s.energy_drift}};
  j["peak_reaction"] = {
      {"force", s.peak_reaction.force}, {"joint", s.peak_reaction.joint}, {"t", s.peak_reaction.t}};
  j["wall_seconds"] = s.wall_seconds;
  j["simulated_seconds"] = s.time;
  return j;
}

Json comparison_json(const std::vector<Comparison>& rows) {
  Json all = Json::array();
  for (const Comparison& c : rows)
    all.push_back({{"coordinates", c.coordinates},
                   {"formulation", c.formulation},
                   {"integrator", c.integrator},
                   {"status", c.status},
                   {"reason", c.reason},
                   {"max_difference", c.max_difference},
                   {"violation", violation_json(c.violation)},
                   {"energy_drift", c.energy_drift},
                   {"steps", c.steps},
                   {"iterations", c.iterations},
                   {"wall_seconds", c.wall_seconds}});
  return all;
}

std::string comparison_text(const std::vector<Comparison>& rows) {
  constexpr const char* kRow = "{:<{}}{:<20}{:<9}{:>11}{:>10}{:>10}{:>10}{:>11}{:>9}\n";
  std::size_t width = 28;
  for (const Comparison& c : rows) width = std::max(width, c.formulation.size() + 1);
  std::string text = fmt::format(kRow, "formulation", width, "integrator", "status", "difference", "|Φ|",
                                 "|Φ'|", "|Φ''|", "energy", "time");
  std::string reasons;
  for (const Comparison& c : rows) {
    const bool ran = c.steps > 0;
    const auto figure = [&](double x) { return ran ? fmt::format("{:.1e}", x) : std::string("-"); };
    text += fmt::format(kRow, c.formulation, width, c.integrator, c.status, figure(c.max_difference),
                        figure(c.violation.position), figure(c.violation.velocity),
                        figure(c.violation.acceleration), figure(c.energy_drift),
                        ran ? fmt::format("{:.3f}", c.wall_seconds) : "-");
    if (!c.reason.empty()) reasons += fmt::format("{}: {}\n", c.formulation, c.reason);
  }
  text += "Difference in m from the default formulation at an eighth of the step; energy in J, time in s.\n";
  return text + reasons;
}

std::string summary_text(const Simulation& simulation, const Mobility& m, const RunSummary& s) {
  std::string text = fmt::format("{}: {}\n", simulation.mechanism().name, to_string(s.status));
  const std::size_t drivers = simulation.mechanism().drivers.size();
  const std::string driven =
      drivers > 0 ? fmt::format(" beside {}", plural(static_cast<long>(drivers), "driver")) : "";
  text += line("degrees of freedom",
               fmt::format("{}{} ({}, {})", m.degrees_of_freedom, driven, plural(m.unknowns, "unknown"),
                           plural(m.constraints, "constraint")));
  std::string redundant = std::to_string(m.redundant_constraints);
  if (m.only_here)
    redundant += " (in the starting position only: it is singular)";
  else if (m.redundant_constraints > 0)
    redundant += " (reactions among these joints are not unique)";
  text += line("redundant constraints", m.known ? redundant : "not examined (too many constraints)");
  // A placement that is exact to a micrometre is not worth a line.
  if (s.assembly.largest_move > 1e-6)
    text += line("assembly", fmt::format("moved points by up to {:.3g} m", s.assembly.largest_move));
  const Plan& plan = simulation.plan();
  std::string steps = fmt::format(
      "{} {}, {:.1f} iterations each", s.steps,
      controls_error(plan)
          ? fmt::format("within tolerance {:.1g}", plan.tolerance > 0 ? plan.tolerance : kDefaultTolerance)
          : fmt::format("of {:.4g} s", plan.step),
      s.steps > 0 ? static_cast<double>(s.iterations) / static_cast<double>(s.steps) : 0.0);
  if (s.rejected_steps > 0) steps += fmt::format(", {} rejected", s.rejected_steps);
  text += line("steps", steps);
  text += line("largest violation", violation_text(s.violation));
  if (!s.marked_steps.empty()) {
    text += line("marked steps", fmt::format("{}, the first at t = {:.4g} s: {}", s.marked_steps.size(),
                                             s.marked_steps.front().t, s.marked_steps.front().reason));
    text += line("violation there", violation_text(s.marked_violation));
  }
  text += line("energy", fmt::format("{:.6g} J at the start, largest drift {:.3g} J", s.initial_energy,
                                     s.energy_drift));
  if (!s.peak_reaction.joint.empty())
    text += line("peak reaction", fmt::format("{:.4g} N at '{}', t = {:.4g} s, of the rows written{}",
                                              s.peak_reaction.force, s.peak_reaction.joint, s.peak_reaction.t,
                                              s.marked_steps.empty() ? "" : ", away from marked steps"));
  if (s.wall_seconds > 0)
    text += line("speed", fmt::format("{:.3g} s computed in {:.3g} s: {:.3g} times real time", s.time,
                                      s.wall_seconds, s.time / s.wall_seconds));
  return text;
}

std::string mobility_text(const Mechanism& mechanism, const Mobility& m) {
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
  text += line("degrees of freedom", freedom);
  text += line("redundant constraints", std::to_string(m.redundant_constraints));
  for (const auto& set : m.dependent_sets)
    text +=
        line("dependent set", fmt::format("{} ({} too many)", fmt::join(set.joints, ", "), set.redundant));
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
  return text;
}

}  // namespace trammel
