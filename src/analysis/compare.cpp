#include "analysis/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "analysis/sampled_motion.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"
#include "simulation/run_alone.h"
#include "system/system.h"

namespace trammel::analysis {
namespace {

// Index 3 as its paper has it, where that differs.
constexpr const char* kPublished = ", published";

// An integrator to run with, and why it is not the plan's own.
struct Rule {
  std::string integrator, note;
};

// Those asked for that fit the formulation, the first of them where none does: it is refused with the reason.
std::vector<Rule> asked_rules(const std::vector<std::string>& asked,
                              const std::vector<std::string>& fitting) {
  std::vector<Rule> rules;
  for (const std::string& name : asked)
    if (std::find(fitting.begin(), fitting.end(), name) != fitting.end()) rules.push_back({name, ""});
  if (rules.empty()) rules.push_back({asked.front(), ""});
  return rules;
}

std::vector<Rule> rules_for(const Plan& plan, const Compared& what, const std::string& formulation) {
  if (formulation == kAutomatic || simulation::is_own_rule(formulation)) return {{kAutomatic, ""}};
  const FormulationKind kind = simulation::formulation_named(formulation);
  if (!what.integrators.empty()) return asked_rules(what.integrators, simulation::integrators_of(kind));
  Plan own = plan;
  own.formulation = formulation;
  const std::string integrator = name_of(simulation::resolve(own).integrator);
  if (simulation::fits(simulation::entry_of(kind),
                       simulation::entry_of(simulation::integrator_named(integrator))))
    return {{integrator, ""}};
  const std::string usual = name_of(simulation::usual_integrator(kind));
  return {{usual, fmt::format("{} of the model does not go with it: {} instead", integrator, usual)}};
}

// Index 3 alone carries reactions of constraints of velocities from step to step.
bool has_projections(const std::string& formulation) {
  return formulation != kAutomatic &&
         simulation::entry_of(simulation::formulation_named(formulation)).form == simulation::Form::residual;
}

RunSummary run_into(SampledMotion& motion, const Mechanism& mechanism, const Plan& plan, const Ask& ask) {
  Simulation simulation(mechanism, plan);
  AssemblyReport assembly = simulation.assemble();
  RunSummary summary;
  if (assembly.report.accepted()) {
    const auto progress = [&](double) {
      if (ask) ask();
      return true;
    };
    summary = simulation::run_motion(
        simulation, [&](const State& state) { motion.add(simulation, state); }, progress);
  } else {
    summary.status = RunStatus::failed;
    summary.message = explain(assembly, simulation);
  }
  summary.assembly = std::move(assembly);
  return summary;
}

std::string status_of(const RunSummary& summary) {
  if (summary.assembly.report.outcome == Outcome::refused) return "refused";
  switch (summary.status) {
    case RunStatus::ok:
    case RunStatus::limited:
      return "ok";
    case RunStatus::marked:
      return "marked";
    case RunStatus::doubtful:
      return "doubtful";
    default:
      return "failed";
  }
}

Comparison compare_one(const Mechanism& mechanism, const Plan& plan, const Reference& reference,
                       const Ask& ask) {
  Comparison row;
  row.plan = plan;
  row.coordinates = plan.coordinates;
  row.formulation = plan.formulation;
  row.integrator = simulation::is_own_rule(plan.formulation) ? "itself" : plan.integrator;
  const std::vector<std::string> problems = check_plan(plan);
  if (!problems.empty()) {
    row.status = "refused";
    row.reason = problems.front();
    return row;
  }
  SampledMotion motion;
  RunSummary summary;
  try {
    summary = run_into(motion, mechanism, plan, ask);
  } catch (const std::invalid_argument& error) {
    row.status = "refused";
    row.reason = error.what();
    return row;
  }
  row.status = status_of(summary);
  row.reason = summary.message;
  if (row.reason.empty() && !summary.marked_steps.empty()) row.reason = summary.marked_steps.front().reason;
  if (row.reason.empty() && !summary.warnings.empty()) row.reason = summary.warnings.front();
  if (reference.problem.empty()) {
    row.max_difference = SampledMotion::largest_difference(motion, reference.motion);
    judge(reference, *row.max_difference, plan.accuracy, row.status, row.reason);
  }
  row.violation = summary.violation;
  row.energy_drift = summary.energy_drift;
  row.steps = summary.steps;
  row.iterations = summary.iterations;
  row.wall_seconds = summary.wall_seconds;
  return row;
}

}  // namespace

Comparisons compare(const Mechanism& mechanism, const Plan& plan, const Compared& what, const Announce& next,
                    const Ask& ask) {
  Comparisons all;
  all.interval = sample_interval(plan);
  all.reference = make_reference(mechanism, plan, all.interval, next, ask);
  Plan base = plan;
  // What is usual for this plan is not for a formulation that is named.
  const ResolvedPlan usual = simulation::resolve(plan, mechanism);
  base.coordinates = name_of(usual.coordinates);
  base.step = usual.step;
  base.tolerance = usual.tolerance;
  base.output_interval = all.interval;
  base.reactions = Plan().reactions;
  base.projection_reactions = Plan().projection_reactions;
  const system::Sizes sizes = system::compile(mechanism, system::coordinates_of(usual))->sizes();
  std::vector<std::string> formulations = what.formulations;
  if (formulations.empty()) {
    formulations = simulation::known_formulations();
    if (usual.falls_back && what.integrators.empty()) formulations.insert(formulations.begin(), kAutomatic);
  }
  for (const std::string& formulation : formulations)
    for (const Rule& rule : rules_for(plan, what, formulation)) {
      if (next) next(formulation);
      Plan own = base;
      own.formulation = formulation;
      own.integrator = rule.integrator;
      if (!simulation::controls_error(own)) own.step = simulation::landing_interval(plan);
      Comparison row = compare_one(mechanism, own, all.reference, ask);
      if (row.reason.empty()) row.reason = rule.note;
      if (formulation == kAutomatic) row.integrator = name_of(simulation::resolve(own, mechanism).integrator);
      all.rows.push_back(std::move(row));
      // What the formulation refuses, no integrator changes.
      if (all.rows.back().status == "refused" && check_plan(own).empty()) break;
      if (!has_projections(formulation) || sizes.rows == sizes.holonomic) continue;
      own.projection_reactions = "published";
      if (next) next(formulation + kPublished);
      all.rows.push_back(compare_one(mechanism, own, all.reference, ask));
      all.rows.back().formulation += kPublished;
    }
  return all;
}

}  // namespace trammel::analysis
