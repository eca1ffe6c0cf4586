#include "analysis/compare.h"

#include <algorithm>
#include <cmath>

#include "simulation/plan_check.h"
#include "system/system.h"

namespace trammel {
namespace {

constexpr int kReferenceRefinement = 8;
constexpr double kComparedRows = 200;
// Index 3 as its paper has it, where that differs.
constexpr const char* kPublished = ", published";

class Rows final : public ResultSink {
 public:
  Trajectory trajectory;
  void write(std::span<const double> row) override {
    trajectory.values.insert(trajectory.values.end(), row.begin(), row.end());
  }
};

// The plan's own integrator where it fits, else the one a person would take.
std::string fitting_integrator(const Plan& plan, const std::string& formulation) {
  if (is_own_rule(formulation)) return Plan().integrator;
  const bool index3 = formulation == "augmented-lagrangian-index3";
  const auto& fitting = index3 ? residual_integrators() : ode_integrators();
  if (std::find(fitting.begin(), fitting.end(), plan.integrator) != fitting.end()) return plan.integrator;
  return index3 ? "trapezoidal" : "rk4";
}

bool is_position(const Channel& channel) {
  return channel.dataset == "position" || channel.group == "columns";
}

double largest_difference(const Trajectory& a, const Trajectory& b) {
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.rows(), b.rows()); ++i)
    for (std::size_t c = 0; c < a.channels.size(); ++c)
      if (is_position(a.channels[c]) && a.channels[c].group != "violation")
        largest = std::max(largest, std::abs(a.row(i)[c] - b.row(i)[c]));
  return largest;
}

RunSummary run_into(Rows& memory, const Mechanism& mechanism, const Plan& plan) {
  Simulation simulation(mechanism, plan);
  AssemblyReport assembly = simulation.assemble();
  RunSummary summary;
  if (assembly.report.accepted()) {
    memory.trajectory.channels = channels_of(simulation);
    summary = run(simulation, memory);
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
    default:
      return "failed";
  }
}

Comparison compare_one(const Mechanism& mechanism, const Plan& plan, const Trajectory& reference) {
  Comparison row;
  row.coordinates = plan.coordinates;
  row.formulation = plan.formulation;
  row.integrator = is_own_rule(plan.formulation) ? "itself" : plan.integrator;
  const std::vector<std::string> problems = check_plan(plan);
  if (!problems.empty()) {
    row.status = "refused";
    row.reason = problems.front();
    return row;
  }
  Rows memory;
  const RunSummary summary = run_into(memory, mechanism, plan);
  row.status = status_of(summary);
  row.reason = summary.message;
  if (row.reason.empty() && !summary.marked_steps.empty()) row.reason = summary.marked_steps.front().reason;
  if (row.reason.empty() && !summary.warnings.empty()) row.reason = summary.warnings.front();
  row.max_difference = largest_difference(memory.trajectory, reference);
  row.violation = summary.violation;
  row.energy_drift = summary.energy_drift;
  row.steps = summary.steps;
  row.iterations = summary.iterations;
  row.wall_seconds = summary.wall_seconds;
  return row;
}

}  // namespace

std::vector<Comparison> compare(const Mechanism& mechanism, const Plan& plan,
                                std::vector<std::string> formulations,
                                const std::function<void(const std::string&)>& next) {
  if (formulations.empty()) formulations = known_formulations();
  Plan base = plan;
  // The same output times for all: a whole number of the plan's steps.
  const double step = landing_interval(plan);
  const double stride =
      plan.output_interval > 0 ? plan.output_interval / step : plan.duration / step / kComparedRows;
  base.output_interval = step * std::max(1.0, std::round(stride));

  base.reactions = Plan().reactions;
  base.projection_reactions = Plan().projection_reactions;

  Plan fine = base;
  fine.formulation = "augmented-lagrangian-index3";
  fine.integrator = "trapezoidal";
  if (plan.step > 0) {
    fine.step = plan.step / kReferenceRefinement;
    fine.tolerance = 0;
  } else {
    fine.tolerance = plan.tolerance / std::pow(kReferenceRefinement, 3);
  }
  if (next) next("reference");
  Rows reference;
  const RunSummary refined = run_into(reference, mechanism, fine);

  const Sizes sizes = compile(mechanism)->sizes();
  std::vector<Comparison> all;
  for (const std::string& formulation : formulations) {
    Plan own = base;
    own.formulation = formulation;
    own.integrator = fitting_integrator(plan, formulation);
    if (!controls_error(own)) own.step = step;
    if (next) next(formulation);
    all.push_back(compare_one(mechanism, own, reference.trajectory));
    if (formulation != Plan().formulation || sizes.rows == sizes.holonomic) continue;
    own.projection_reactions = "published";
    if (next) next(formulation + kPublished);
    all.push_back(compare_one(mechanism, own, reference.trajectory));
    all.back().formulation += kPublished;
  }
  // A reference that failed compares nothing.
  if (refined.status == RunStatus::failed)
    for (Comparison& row : all)
      if (row.reason.empty()) row.reason = "the reference run failed: " + refined.message;
  return all;
}

}  // namespace trammel
