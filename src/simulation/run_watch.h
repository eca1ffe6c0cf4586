// Watch: what the steps of a run add up to in its summary, and what makes the whole run doubtful.
#pragma once

#include "trammel/run.h"

namespace trammel::simulation {

class Watch {
 public:
  Watch(Simulation& simulation, RunSummary& summary);

  void see(const StepResult& step);
  // Of a step's end, or of a row within one.
  void see(const Energy& energy);
  // At the end of the run.
  void warn();

  // For checkpoints; the summary's fields are not among them.
  template <class Bytes>
  void describe(Bytes& bytes) {
    bytes(largest_kinetic_), bytes(largest_part_);
  }

 private:
  double total_mass() const;

  Simulation& simulation_;
  RunSummary& summary_;
  double start_ = 0, largest_kinetic_ = 0, largest_part_ = 0;  // J
};

}  // namespace trammel::simulation
