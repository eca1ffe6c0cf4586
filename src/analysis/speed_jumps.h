// SpeedJumps: where the speed that a driver asks for jumps along a prescribed motion.
//
//   Φ_v v + Φ_t = 0        Φ_t differs on both sides of a break, at the same q
//
// An impulse acts there. A row of inverse dynamics has none: it is told instead. Breaks are those of
// simulation/breaks.h.
#pragma once

#include "analysis/prescribed_motion.h"
#include "simulation/breaks.h"
#include "trammel/analyses.h"

namespace trammel::analysis {

class SpeedJumps {
 public:
  // A jump at the `end` of the motion moves nothing any more.
  SpeedJumps(const system::System& system, const Mechanism& mechanism, double end);

  // As the motion does, from break to break.
  [[nodiscard]] Report move_to(double t, PrescribedMotion& motion, State& s,
                               std::vector<InverseDynamics::Jump>& jumps);

 private:
  void look(const simulation::Breaks::Next& next, const State& s, std::vector<InverseDynamics::Jump>& jumps);

  const system::System& system_;
  double end_;
  simulation::Breaks breaks_;
  State search_;  // where breaks were found; the motion's State keeps nothing of them
  system::Terms left_, right_;
};

}  // namespace trammel::analysis
