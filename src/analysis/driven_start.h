// DrivenStart: a mechanism at t = 0 in which drivers determine every position: those of the model, and others
// that hold the freedoms which nothing drives at their start values.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/held_freedoms.h"
#include "trammel/plan.h"
#include "trammel/simulation.h"

namespace trammel::analysis {

enum class Undriven { held, refused };

struct DrivenStart {
  Report report;                           // refused: a freedom is not prescribed, and why
  std::unique_ptr<Simulation> simulation;  // assembled
  std::vector<std::string> held;           // "hinge.angle = 0.3 rad"
  std::vector<std::string> held_drivers;   // their drivers in the Simulation
  double largest_move = 0;                 // m, of a point, from where the model places it
};

// End-stops, velocities at the start, conditions that end a run and methods of the plan are left out: they do
// not change positions that drivers determine. Constraints of velocities hold no positions; unless they are
// allowed they are refused. Throws std::invalid_argument as Simulation does.
DrivenStart driven_start(const Mechanism& mechanism, const Plan& plan, Undriven undriven,
                         bool velocity_constraints = false);

// Massless bodies get a mass, and rigid ones without inertia an inertia: where bodies stand does not depend
// on it, and every kind of coordinates can then be closed.
Mechanism with_masses(Mechanism mechanism);

// The same Simulation without anything held, not assembled.
std::unique_ptr<Simulation> bare_simulation(Mechanism mechanism, const Plan& plan);

}  // namespace trammel::analysis
