// Yardstick: one step of the default method, written by hand for one mechanism and nothing else.
//
// Index-3 augmented Lagrangian with the trapezoidal rule, projections of velocities and accelerations, full
// Newton, automatic penalty: the same algorithm, the same stopping rules and the same order of coordinates
// and rows as natural coordinates have them, so that a state can be handed over and compared number by
// number. What general code costs is measured against it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/state.h"

namespace trammel::bench {

class Yardstick {
 public:
  virtual ~Yardstick() = default;
  // Advances by h; false when the iteration does not converge, and then the state is worth nothing.
  [[nodiscard]] virtual bool step(double h) = 0;
  // Positions, velocities, accelerations and multipliers of now.
  virtual void copy_to(State& state) const = 0;
};

bool has_yardstick(const std::string& problem);
// Written for that problem, starting from an assembled state; null when there is none.
std::unique_ptr<Yardstick> make_yardstick(const std::string& problem, const State& start);

}  // namespace trammel::bench
