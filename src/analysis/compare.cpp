#include "analysis/compare.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analysis/sampled_motion.h"
#include "simulation/plan_check.h"
#include "simulation/plan_choice.h"
#include "system/system.h"

namespace trammel {
namespace {

constexpr int kReferenceRefinement = 8;
constexpr double kComparedRows = 200;
// Index 3 as its paper has it, where that differs.
constexpr const char* kPublished = ", published";

// Keeps the motion of a run; what else its rows hold is not compared.
class Sampler final : public ResultSink {
 public:
  explicit Sampler(const Simulation& simulation) : simulation_(simulation) {}
  SampledMotion motion;
  void write(std::span<const double>) override { motion.add(simulation_); }

 private:
  const Simulation& simulation_;
};

// Those asked for that fit the formulation, else the one a person would take.
std::vector<std::string> fitting_integrators(const Plan& plan, const Compared& what,
                                             const std::string& formulation) {
  if (formulation == kAutomatic) return {kAutomatic};
  Plan own = plan;
  own.formulation = formulation;
  if (is_own_rule(formulation)) own.integrator = kAutomatic;
  own = chosen(own);
  if (is_own_rule(formulation)) return {own.integrator};
  const bool index3 = formulation == kIndex3;
  const auto& known = index3 ? residual_integrators() : ode_integrators();
  std::vector<std::string> fitting;
  for (const std::string& name :
       what.integrators.empty() ? std::vector<std::string>{own.integrator} : what.integrators)
    if (std::find(known.begin(), known.end(), name) != known.end()) fitting.push_back(name);
  if (fitting.empty()) fitting.emplace_back(index3 ? "trapezoidal" : "rk4");
  return fitting;
}

RunSummary run_into(SampledMotion& motion, const Mechanism& mechanism, const Plan& plan) {
  Simulation simulation(mechanism, plan);
  AssemblyReport assembly = simulation.assemble();
  RunSummary summary;
  if (assembly.report.accepted()) {
    Sampler sampler(simulation);
    summary = run(simulation, sampler);
    motion = std::move(sampler.motion);
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
      return "ok";
    case RunStatus::marked:
      return "marked";
    case RunStatus::doubtful:
      return "doubtful";
    default:
      return "failed";
  }
}

// The default formulation with an eighth of the step.
Plan reference_plan(const Plan& base) {
  Plan fine = base;
  fine.formulation = "augmented-lagrangian-index3";
  fine.integrator = "trapezoidal";
  if (base.step > 0) {
    fine.step = base.step / kReferenceRefinement;
    fine.tolerance = 0;
  } else {
    fine.tolerance = base.tolerance / std::pow(kReferenceRefinement, 3);
  }
  return fine;
}

Comparison compare_one(const Mechanism& mechanism, const Plan& plan, const SampledMotion& reference) {
  Comparison row;
  row.plan = plan;
  row.coordinates = plan.coordinates;
  row.formulation = plan.formulation;
  row.integrator = is_own_rule(plan.formulation) ? "itself" : plan.integrator;
  const std::vector<std::string> problems = check_plan(plan);
  if (!problems.empty()) {
    row.status = "refused";
    row.reason = problems.front();
    return row;
  }
  SampledMotion motion;
  RunSummary summary;
  try {
    summary = run_into(motion, mechanism, plan);
  } catch (const std::invalid_argument& error) {
    row.status = "refused";
    row.reason = error.what();
    return row;
  }
  row.status = status_of(summary);
  row.reason = summary.message;
  if (row.reason.empty() && !summary.marked_steps.empty()) row.reason = summary.marked_steps.front().reason;
  if (row.reason.empty() && !summary.warnings.empty()) row.reason = summary.warnings.front();
  row.max_difference = SampledMotion::largest_difference(motion, reference);
  row.violation = summary.violation;
  row.energy_drift = summary.energy_drift;
  row.steps = summary.steps;
  row.iterations = summary.iterations;
  row.wall_seconds = summary.wall_seconds;
  return row;
}

}  // namespace

std::vector<Comparison> compare(const Mechanism& mechanism, const Plan& plan, const Compared& what,
                                const Announce& next) {
  Plan base = plan;
  // The same output times for all: a whole number of the plan's steps.
  const double step = landing_interval(plan);
  const double stride =
      plan.output_interval > 0 ? plan.output_interval / step : plan.duration / step / kComparedRows;
  base.output_interval = step * std::max(1.0, std::round(stride));
  base.reactions = Plan().reactions;
  base.projection_reactions = Plan().projection_reactions;
  if (next) next("reference");
  SampledMotion reference;
  const RunSummary refined = run_into(reference, mechanism, reference_plan(base));

  const Sizes sizes = compile(mechanism, coordinates_of(plan))->sizes();
  std::vector<Comparison> all;
  for (const std::string& formulation : what.formulations.empty() ? known_formulations() : what.formulations)
    for (const std::string& integrator : fitting_integrators(plan, what, formulation)) {
      if (next) next(formulation);
      Plan own = base;
      own.formulation = formulation;
      own.integrator = integrator;
      if (!controls_error(own)) own.step = step;
      all.push_back(compare_one(mechanism, own, reference));
      // What the formulation refuses, no integrator changes.
      if (all.back().status == "refused" && check_plan(own).empty()) break;
      if (formulation != kIndex3 || sizes.rows == sizes.holonomic) continue;
      own.projection_reactions = "published";
      if (next) next(formulation + kPublished);
      all.push_back(compare_one(mechanism, own, reference));
      all.back().formulation += kPublished;
    }
  // A reference that failed compares nothing.
  if (refined.status == RunStatus::failed)
    for (Comparison& row : all)
      if (row.reason.empty()) row.reason = "the reference run failed: " + refined.message;
  return all;
}

}  // namespace trammel
