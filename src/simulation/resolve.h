// What a plan leaves open, and what becomes of it.
//
//   tolerance      formulation and integrator not chosen
//   none           augmented-lagrangian-index3, trapezoidal: steps of one size
//   given          augmented-lagrangian, projected, by dopri5 or, where the tolerance is tight, dop853;
//                  radau9 or index 3 takes over where these do not fit (simulation/fallback.h)
//
// A person who names one of the two gets the other that fits it. docs/decisions/plan-by-tolerance.md has the
// figures.
#pragma once

#include "trammel/mechanism.h"
#include "trammel/resolved_plan.h"

namespace trammel::simulation {

// Every choice made, with its reason; what was chosen stays. Throws std::invalid_argument, with a message for
// a person, where the plan names a method that does not exist (check_plan() finds it first). Coordinates that
// are left open are natural, unless the mechanism suggests others (simulation/choose_coordinates.h).
ResolvedPlan resolve(const Plan& plan);
ResolvedPlan resolve(const Plan& plan, const Mechanism& mechanism);

// The same run, with every option that it does not read at its default.
Plan without_unread(const Plan& plan);

// What the steps are kept to: the plan's tolerance, but for one that is too coarse for the plan that a
// tolerance chooses, and the default where error control has none.
double step_tolerance(const ResolvedPlan& plan);

// Positions and velocities are both projected after every step.
bool projects_every_step(const PlanSettings& plan);

}  // namespace trammel::simulation
