#include "simulation/motion_after.h"

#include <cmath>
#include <limits>

#include "simulation/plan_check.h"
#include "system/decisions.h"
#include "system/system.h"

namespace trammel::simulation {
namespace {

// A pole is mostly at a round time, which steps meet but for rounding.
double round_time(double t) {
  constexpr double kDigits = 1e12;
  const double rounded = std::round(t * kDigits) / kDigits;
  return std::abs(rounded - t) <= 1e-14 * std::abs(t) ? rounded : t;
}

}  // namespace

State motion_after(const system::System& system, const State& from, double h) {
  State state = from;
  std::vector<double> way(from.v.size());
  for (std::size_t k = 0; k < way.size(); ++k) {
    way[k] = h * (from.v[k] + 0.5 * h * from.a[k]);
    state.v[k] += h * from.a[k];
  }
  system.retract(state.q, way);
  if (!from.x.empty()) {
    system::Terms terms = system.make_terms();
    system.evaluate(from, system::kAskForces, terms);
    for (std::size_t k = 0; k < from.x.size(); ++k) state.x[k] += h * terms.x_dot[k];
  }
  state.t = round_time(from.t + h);
  state.after = -std::numeric_limits<double>::infinity();
  state.before = std::numeric_limits<double>::infinity();
  state.remember(system::kDecisions, 0).clear();
  return state;
}

std::vector<double> times_to_look_at(const Simulation& simulation) {
  constexpr double kFirst = 1e-9, kFactor = 10;
  const double interval = landing_interval(simulation.plan());
  std::vector<double> times{0};
  for (double part = kFirst; part <= 1; part *= kFactor) times.push_back(part * interval);
  return times;
}

}  // namespace trammel::simulation
