// Landings: steps that end at the multiples of an interval, exactly: sums of h would drift away from them.
//
//   Landings landings(simulation, h, duration);
//   while (!landings.done()) {
//     const StepResult step = landings.next();
//     if (!step.report.accepted() || step.ended) break;
//   }
#pragma once

#include <limits>

#include "trammel/simulation.h"

namespace trammel::simulation {

class Landings {
 public:
  // Multiples of h (s) count from the state as it is. The last step ends at `end`, however long it is. A rule
  // that keeps its own time, because its history depends on it, is left with the sum of its steps.
  Landings(Simulation& simulation, double h, double end = std::numeric_limits<double>::infinity(),
           bool own_time = false);

  // Where the multiples count from, and how many have been reached.
  struct Count {
    double start = 0;  // s
    long taken = 0;
  };
  Count count() const { return {start_, taken_}; }
  // Goes on from there.
  void resume(const Count& count);

  bool done() const { return taken_ == steps_; }
  // One step. If it fails, nothing has changed. If an event ended it, multiples count from there.
  StepResult next();

 private:
  void count_steps();

  Simulation& simulation_;
  double h_, end_, start_;
  bool own_time_;
  long steps_;  // to the end; −1: there is none
  long taken_ = 0;
};

}  // namespace trammel::simulation
