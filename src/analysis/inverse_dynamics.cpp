#include "analysis/inverse_dynamics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "analysis/driven_start.h"
#include "analysis/effort_sharing.h"
#include "analysis/prescribed_motion.h"
#include "formulations/index3/augmented_lagrangian_index3.h"
#include "math/spans.h"
#include "simulation/recorder.h"

namespace trammel::analysis {
namespace {

// Multipliers that have not grown so much since the last row do not come from a singular position.
constexpr double kGrownReactions = 3;

Report refused_inverse(std::string message) {
  Report report;
  report.outcome = Outcome::refused;
  report.message = std::move(message);
  return report;
}

std::string unknown_driver(const Mechanism& mechanism, const InverseOptions& options) {
  std::set<std::string> named(options.idle.begin(), options.idle.end());
  for (const auto& [name, weight] : options.weights) {
    named.insert(name);
    if (!(weight > 0) || !std::isfinite(weight))
      return fmt::format("the weight of '{}' is {}; give a positive number", name, weight);
  }
  for (const std::string& name : named) {
    const auto driver = std::ranges::find(mechanism.drivers, name, &Driver::name);
    std::vector<std::string> known;
    for (const Driver& one : mechanism.drivers) known.push_back(one.name);
    if (driver == mechanism.drivers.end())
      return fmt::format("there is no driver '{}'; the drivers are: {}", name, fmt::join(known, ", "));
    if (driver->kind == Driver::Kind::position)
      return fmt::format("driver '{}' moves a point: it has forces, no effort to be weighted", name);
  }
  return {};
}

// What only a run knows: work done since the start, iterations of its steps.
bool only_of_a_run(const Channel& channel) {
  return channel.group == "solver" || channel.name == "energy.work";
}

// InverseRows of a run, less the columns that only a run has.
class InverseRows {
 public:
  InverseRows(const Simulation& simulation, simulation::StateReader& reader)
      : reader_(reader),
        recorder_(simulation.mechanism(), simulation.plan().reaction_axes, reader, simulation.state()) {
    for (const Channel& channel : recorder_.channels()) {
      kept_.push_back(!only_of_a_run(channel));
      if (kept_.back()) motion.channels.push_back(channel);
    }
  }
  void add(const State& s, const Violation& violation) {
    StepResult step;
    step.violation = violation;
    const std::span<const double> row = recorder_.row(reader_, s, step);
    for (std::size_t c = 0; c < row.size(); ++c)
      if (kept_[c]) motion.values.push_back(row[c]);
  }
  ReactionSummary reactions() const { return recorder_.reactions(); }

  Trajectory motion;

 private:
  simulation::StateReader& reader_;
  simulation::Recorder recorder_;
  std::vector<bool> kept_;
};

}  // namespace

InverseDynamics inverse_dynamics(const Mechanism& mechanism, const Plan& plan,
                                 const InverseOptions& options) {
  InverseDynamics out;
  if (std::string wrong = unknown_driver(mechanism, options); !wrong.empty()) {
    out.report = refused_inverse(std::move(wrong));
    return out;
  }
  const DrivenStart start = driven_start(mechanism, plan, options.hold ? Undriven::held : Undriven::refused);
  out.report = start.report;
  if (!out.report.accepted()) return out;
  out.held = start.held;
  const Simulation* simulation = start.simulation.get();
  const auto system = simulation->shared_system();
  PrescribedMotion motion(system);
  // Multipliers are found here: the reader takes them as they are.
  ResolvedPlan taken = simulation->resolved();
  taken.reactions = "projections";
  simulation::StateReader reader(system, simulation->mechanism(), taken);
  simulation::StateReader& solver = simulation->reader(simulation->state());
  InverseRows rows(*simulation, reader);
  EffortSharing sharing(*system, mechanism, options.weights, options.idle);
  State s = simulation->state();
  double usual = 0;
  out.report = motion.find_rates(s);
  for (const double t : row_times(plan)) {
    if (out.report.accepted()) out.report = motion.move_to(t, s);
    if (!out.report.accepted()) break;
    State exact = solver.with_reactions(s, out.report);
    const double size = math::largest(exact.lambda);
    // Next to a singular position multipliers grow, and rounding with them.
    if (out.report.accepted() && size > kGrownReactions * usual && !solver.reactions_hold(exact))
      out.doubtful.push_back(t);
    else
      usual = size;
    if (out.report.accepted()) out.report = sharing.share(exact);
    if (!out.report.accepted()) break;
    exact.remember(formulations::kProjectionMultipliers, 0) = exact.lambda;
    const Violation violation = motion.violation(exact);
    out.violation = std::max(out.violation, violation.position);
    rows.add(exact, violation);
  }
  out.motion = std::move(rows.motion);
  out.reactions = rows.reactions();
  out.shared = sharing.shared();
  return out;
}

}  // namespace trammel::analysis
