#include "simulation/landings.h"

#include <algorithm>
#include <cmath>

namespace trammel::simulation {

Landings::Landings(Simulation& simulation, double h, double end, bool own_time)
    : simulation_(simulation), h_(h), end_(end), start_(simulation.state().t), own_time_(own_time) {
  count_steps();
}

// A duration that is a whole number of steps but for rounding is one.
void Landings::count_steps() {
  steps_ = std::isinf(end_) ? -1 : std::max(1L, std::lround(std::ceil((end_ - start_) / h_ - 1e-9)));
}

void Landings::resume(const Count& count) {
  start_ = count.start;
  taken_ = count.taken;
  count_steps();
}

StepResult Landings::next() {
  const bool last = taken_ + 1 == steps_;
  StepResult step = simulation_.step(last ? end_ - simulation_.state().t : h_);
  if (!step.report.accepted()) return step;
  ++taken_;
  if (step.ended) {
    start_ = simulation_.state().t;
    taken_ = 0;
  } else if (!own_time_) {
    simulation_.set_time(last ? end_ : start_ + static_cast<double>(taken_) * h_);
  }
  return step;
}

}  // namespace trammel::simulation
