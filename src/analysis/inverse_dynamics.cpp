//   Φ_vᵀλ = Q − M v̇                       of the motion q(t), v(t), v̇(t) that the drivers prescribe
//
// Nothing is integrated (analysis/prescribed_motion.h). Where more drivers act than there are freedoms the
// multipliers may change by any y with Φ_vᵀy = 0; then the efforts e are those of least Σ w e², and the
// effort of an idle driver is zero (analysis/effort_sharing.h).

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "analysis/driven_start.h"
#include "analysis/effort_sharing.h"
#include "analysis/prescribed_motion.h"
#include "analysis/speed_jumps.h"
#include "analysis/state_rows.h"
#include "analysis/without_stiction.h"
#include "math/spans.h"
#include "trammel/analyses.h"

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

}  // namespace
}  // namespace trammel::analysis

namespace trammel {

InverseDynamics solve_inverse(const Mechanism& mechanism, const InverseOptions& options) {
  using namespace analysis;
  InverseDynamics out;
  std::string wrong = unknown_driver(mechanism, options);
  if (wrong.empty()) wrong = stiction_refusal(mechanism, "inverse dynamics");
  if (!wrong.empty()) {
    out.report = refused_inverse(std::move(wrong));
    return out;
  }
  const Plan& plan = mechanism.plan;
  const DrivenStart start = driven_start(mechanism, plan, options.hold ? Undriven::held : Undriven::refused);
  out.report = start.report;
  if (!out.report.accepted()) return out;
  out.held = start.held;
  const Simulation* simulation = start.simulation.get();
  const auto system = simulation->shared_system();
  PrescribedMotion motion(system);
  SpeedJumps jumps(*system, simulation->mechanism(), plan.duration);
  simulation::StateReader& solver = simulation->reader(simulation->state());
  StateRows rows(system, simulation->mechanism(), simulation->state(),
                 {.idle = options.idle, .axes = plan.reaction_axes});
  EffortSharing sharing(*system, mechanism, options.weights, options.idle);
  State s = simulation->state();
  double usual = 0;
  out.report = motion.find_rates(s);
  for (const double t : row_times(plan, options.rows)) {
    if (out.report.accepted()) out.report = jumps.move_to(t, motion, s, out.jumps);
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
    const Violation violation = motion.violation(exact);
    out.violation = std::max(out.violation, violation.position);
    rows.add(exact, violation, t);
  }
  out.motion = std::move(rows.table);
  out.reactions = rows.reactions();
  out.shared = sharing.shared();
  return out;
}

}  // namespace trammel
