// Switches: where what acts on a mechanism jumps or has a kink that depends on the motion, and where the
// condition that ends a run changes. Within a step what acts stays on its branch (system/decisions.h), and a
// step that leaves it ends there (events.h). Breaks that depend on time alone are known before a step
// (breaks.h).
#pragma once

#include <vector>

#include "expressions/expression.h"
#include "mechanism/watched.h"
#include "trammel/mechanism.h"

namespace trammel::simulation {

struct Switch {
  mechanism::Watched watched;  // its w
  expressions::Expression of;
  expressions::Tape::Crossing crossing;

  // On the motion; else it is of the condition that ends the run.
  bool acts() const { return watched.decides; }

  // The values of w, as watched, between which nothing jumps.
  void cell(double w, double& below, double& above) const;
};

// A spline is smooth enough for every rule at its knots.
std::vector<Switch> switches_of(const Mechanism& mechanism);

}  // namespace trammel::simulation
