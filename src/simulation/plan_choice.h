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

#include "trammel/plan.h"

namespace trammel {

// The plan with every choice made; what was chosen stays.
Plan chosen(const Plan& plan);

// What the steps of a chosen plan are kept to: its tolerance, but for one that is too coarse for the plan
// that a tolerance chooses, and the default where error control has none.
double step_tolerance(const Plan& plan);

// Positions and velocities are both projected after every step.
bool projects_every_step(const Plan& plan);

}  // namespace trammel
