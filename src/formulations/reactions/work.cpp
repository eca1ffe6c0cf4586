#include "formulations/reactions/work.h"

namespace trammel::formulations {

double power(const system::Dynamics& system, const system::Terms& terms, const State& state) {
  double sum = terms.power;
  if (!system.rheonomic()) return sum;
  for (std::size_t i = 0; i < state.v.size(); ++i) sum -= state.v[i] * terms.Q[i];
  return sum + system.mass_product(terms, state.v, state.a);
}

double impulsive_work(const system::Terms& terms, std::span<const double> impulse) {
  double sum = 0;
  for (std::size_t r = 0; r < impulse.size(); ++r) sum += impulse[r] * terms.Phi_t[r];
  return sum;
}

void follow_work(const system::Dynamics& system, system::Terms& terms, State& state, double h) {
  if (!system.has_work()) return;
  system.evaluate(state, system::kAskForces, terms);
  std::vector<double>& work = state.remember(kWork, 2);
  const double now = power(system, terms, state);
  work[0] += 0.5 * h * (work[1] + now);
  work[1] = now;
}

void follow_work(const system::Dynamics& system, system::Terms& terms, const State& middle, State& state,
                 double h) {
  if (!system.has_work()) return;
  system.evaluate(middle, system::kAskForces, terms);
  const double between = power(system, terms, middle);
  system.evaluate(state, system::kAskForces, terms);
  const double now = power(system, terms, state);
  std::vector<double>& work = state.remember(kWork, 2);
  work[0] += h / 6 * (work[1] + 4 * between + now);
  work[1] = now;
}

}  // namespace trammel::formulations
