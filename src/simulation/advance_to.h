// Advancing to a given time by steps of the plan, with a question after each.
#pragma once

#include <functional>

#include "trammel/simulation.h"

namespace trammel::simulation {

// As Simulation::advance_to(), which asks nothing. Where `goes_on` is false the simulation stands at the end
// of a step.
StepResult advance_to(Simulation& simulation, double t, const std::function<bool()>& goes_on);

}  // namespace trammel::simulation
