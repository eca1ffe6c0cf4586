#include "simulation/advance_to.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "integrators/ode_step.h"
#include "simulation/landings.h"
#include "simulation/plan_check.h"

namespace trammel::simulation {
namespace {

StepResult no_step() {
  StepResult none;
  none.steps = 0;
  return none;
}

// Steps of one size h; the last takes what is left. From t = 0 these are the steps of run().
StepResult land_by_steps(Simulation& simulation, double t, double h, const std::function<bool()>& goes_on) {
  StepResult all = no_step();
  for (Landings landings(simulation, h, t); !landings.done();) {
    const StepResult part = landings.next();
    all.take(part);
    if (!part.report.accepted() || part.ended || (goes_on && !goes_on())) break;
  }
  return all;
}

// Steps as the tolerance allows.
StepResult land_by_tolerance(Simulation& simulation, double t, const std::function<bool()>& goes_on) {
  StepResult all = no_step();
  const double longest = simulation.resolved().step;
  while (simulation.state().t < t) {
    const double left = t - simulation.state().t;
    const double most = longest > 0 ? std::min(longest, left) : left;
    const StepResult part = simulation.dense() ? simulation.advance(most) : simulation.step(most);
    all.take(part);
    if (!part.report.accepted() || part.ended) break;
    if (integrators::same_time(simulation.state().t, t)) simulation.set_time(t);
    if (goes_on && !goes_on()) break;
  }
  return all;
}

}  // namespace

StepResult advance_to(Simulation& simulation, double t, const std::function<bool()>& goes_on) {
  if (!std::isfinite(t)) throw std::invalid_argument(fmt::format("there is no time {} s to advance to", t));
  if (!(t > simulation.state().t)) return no_step();
  return controls_error(simulation.resolved())
             ? land_by_tolerance(simulation, t, goes_on)
             : land_by_steps(simulation, t, simulation.resolved().step, goes_on);
}

}  // namespace trammel::simulation

namespace trammel {

StepResult Simulation::advance_to(double t) { return simulation::advance_to(*this, t, {}); }

}  // namespace trammel
