// Advancing to a given time by steps of the plan.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "integrators/ode_step.h"
#include "simulation/landings.h"
#include "simulation/plan_check.h"
#include "trammel/simulation.h"

namespace trammel {
namespace {

StepResult no_step() {
  StepResult none;
  none.steps = 0;
  return none;
}

}  // namespace

// Steps of one size h; the last takes what is left. From t = 0 these are the steps of run().
StepResult Simulation::land_by_steps(double t, double h) {
  StepResult all = no_step();
  for (simulation::Landings landings(*this, h, t); !landings.done();) {
    const StepResult part = landings.next();
    all.take(part);
    if (!part.report.accepted() || part.ended) break;
  }
  return all;
}

// Steps as the tolerance allows.
StepResult Simulation::land_by_tolerance(double t) {
  StepResult all = no_step();
  while (state().t < t) {
    const double most = resolved().step > 0 ? std::min(resolved().step, t - state().t) : t - state().t;
    const StepResult part = dense() ? advance(most) : step(most);
    all.take(part);
    if (!part.report.accepted() || part.ended) break;
    if (integrators::same_time(state().t, t)) set_time(t);
  }
  return all;
}

StepResult Simulation::advance_to(double t) {
  if (!std::isfinite(t)) throw std::invalid_argument(fmt::format("there is no time {} s to advance to", t));
  if (!(t > state().t)) return no_step();
  return simulation::controls_error(resolved()) ? land_by_tolerance(t) : land_by_steps(t, resolved().step);
}

}  // namespace trammel
