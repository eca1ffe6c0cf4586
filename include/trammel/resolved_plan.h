// ResolvedPlan: what a run does. resolve() in simulation/resolve.h makes it of a Plan, once, and methods read
// it.
#pragma once

#include <string>
#include <vector>

#include "trammel/methods.h"
#include "trammel/plan.h"

namespace trammel {

struct ResolvedPlan : PlanSettings {
  CoordinatesKind coordinates = CoordinatesKind::natural;
  FormulationKind formulation = FormulationKind::augmented_lagrangian_index3;
  IntegratorKind integrator = IntegratorKind::trapezoidal;
  SolverChoice solver = SolverChoice::automatic;
  // The tolerance chose both formulation and integrator: another method takes over where they do not fit
  // (simulation/fallback.h).
  bool falls_back = false;

  // What the Plan left open, and what became of it.
  struct Choice {
    std::string option, value, reason;
  };
  std::vector<Choice> choices;
};

}  // namespace trammel
