// Coordinates for a plan that leaves them, and the method, to the tolerance.
//
//   natural     by default: constant mass matrix, fewest unknowns in loops
//   relative    trees of joints that are long, have light bodies beside heavy ones, or spin: no constraints
//   reference   the same in loops, unless these are long or a body has hardly any mass: its angles and Euler
//               parameters do not oscillate in a spin
//
// docs/decisions/plan-by-tolerance.md has the figures.
#pragma once

#include <string>

#include "trammel/mechanism.h"
#include "trammel/resolved_plan.h"

namespace trammel::simulation {

struct CoordinatesChoice {
  CoordinatesKind kind = CoordinatesKind::natural;
  std::string reason;  // empty: the default
};

CoordinatesChoice choose_coordinates(const Mechanism& mechanism, const ResolvedPlan& plan);

}  // namespace trammel::simulation
