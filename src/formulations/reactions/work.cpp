#include "formulations/reactions/work.h"

#include "forms/take_state.h"

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

void begin_work(const system::Dynamics& system, system::Terms& terms, State& state) {
  if (!system.has_work()) return;
  system.evaluate(state, system::kAskForces, terms);
  state.remember(kWork, 2)[1] = power(system, terms, state);
}

void add_work(const system::Dynamics& system, system::Terms& terms, const State& middle, State& state,
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

void StepWork::follow(const system::Dynamics& system, system::Terms& terms, const State& from, State& state,
                      double h) {
  if (!system.has_work()) return;
  forms::take(state, middle_);
  middle_.after = from.after;
  middle_.t = from.t + 0.5 * h;
  way_.resize(from.v.size());
  for (std::size_t i = 0; i < way_.size(); ++i) {
    middle_.v[i] = 0.5 * (from.v[i] + state.v[i]);
    // What the velocities have changed by: accelerations at the ends may be infinite.
    middle_.a[i] = (state.v[i] - from.v[i]) / h;
    // The way of the first half, with v linear in time.
    way_[i] = h / 8 * (3 * from.v[i] + state.v[i]);
  }
  forms::take(from.q, middle_.q);
  system.retract(middle_.q, way_);
  for (std::size_t i = 0; i < state.x.size(); ++i) middle_.x[i] = 0.5 * (from.x[i] + state.x[i]);
  system.evaluate(middle_, system::kAskForces, terms);
  std::vector<double>& work = state.remember(kWork, 2);
  work[0] += h * power(system, terms, middle_);
  // Leaves the forces of the end in the terms.
  system.evaluate(state, system::kAskForces, terms);
  work[1] = power(system, terms, state);
}

}  // namespace trammel::formulations
