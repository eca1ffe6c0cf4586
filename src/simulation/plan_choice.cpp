#include "simulation/plan_choice.h"

#include <algorithm>

#include "simulation/plan_check.h"

namespace trammel {
namespace {

// Below, an eighth-order pair needs fewer evaluations than one of order five.
constexpr double kTight = 1e-5;

// Above, steps are so long that they may miss a branch, and hardly fewer.
constexpr double kCoarsest = 1e-3;

const char* explicit_rule(double tolerance) { return tolerance < kTight ? "dop853" : "dopri5"; }

bool is_residual_rule(const std::string& integrator) {
  const std::vector<std::string>& names = residual_integrators();
  return std::find(names.begin(), names.end(), integrator) != names.end();
}

}  // namespace

bool projects_every_step(const Plan& plan) {
  return plan.project_positions.value_or(false) && plan.project_velocities.value_or(false) &&
         plan.projection_every == 1;
}

double step_tolerance(const Plan& plan) {
  if (plan.tolerance <= 0) return kDefaultTolerance;
  return plan.falls_back ? std::min(plan.tolerance, kCoarsest) : plan.tolerance;
}

Plan chosen(const Plan& given) {
  Plan plan = given;
  const bool controlled = plan.tolerance > 0;
  if (plan.formulation == kAutomatic) {
    const bool any_rule = plan.integrator == kAutomatic;
    // Only index 3 has projections that tell reactions.
    const bool index3 =
        plan.reactions == "projections" || (any_rule ? !controlled : is_residual_rule(plan.integrator));
    plan.formulation = index3 ? kIndex3 : "augmented-lagrangian";
    if (!index3) {
      plan.project_positions = plan.project_positions.value_or(true);
      plan.project_velocities = plan.project_velocities.value_or(true);
      plan.falls_back = any_rule;
    }
  }
  if (plan.integrator == kAutomatic)
    plan.integrator = controlled && plan.formulation != kIndex3 && !is_own_rule(plan.formulation)
                          ? explicit_rule(plan.tolerance)
                          : "trapezoidal";
  // What Φ̈ + 2Ωμ Φ̇ + Ω² Φ would remove is not there, but at the stages of a step, where it is their error.
  if (!plan.omega)
    plan.omega = plan.formulation == "augmented-lagrangian" && projects_every_step(plan) ? 0 : kDefaultOmega;
  return plan;
}

}  // namespace trammel
