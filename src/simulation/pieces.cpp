#include "simulation/pieces.h"

#include <cassert>

#include "forms/take_state.h"

namespace trammel::simulation {

void Pieces::begin(const Running& running, bool dense) {
  if (count_ == all_.size()) all_.emplace_back();
  forms::take(running.state, all_[count_].start);
  all_[count_].dense = dense;
  ++count_;
}

void Pieces::lose_dense_output() {
  if (count_ > 0) all_[count_ - 1].dense = false;
}

StepResult Pieces::at(Running& running, double t, State& state, Wanted wanted) {
  assert(count_ > 0);
  const Piece* piece = &all_[count_ - 1];
  while (piece != all_.data() && piece->start.t > t) --piece;
  if (piece->dense && running.mode->method->dense_error() <= 1)
    return running.mode->method->between(t, state, wanted);
  StepResult result = land(running, piece->start, t, state);
  if (result.report.accepted() || !piece->dense) return result;
  result = running.mode->method->between(t, state, wanted);
  if (!result.report.accepted()) return result;
  result.report.outcome = Outcome::marked;
  result.report.message =
      "a row within a step that cannot be computed to the tolerance, as next to a singular position";
  return result;
}

// By another method of the same kind: the dense output of the last step stays.
StepResult Pieces::land(Running& running, const State& start, double t, State& state) {
  const State now = running.state;
  running.restore(start);
  const double h = t - start.t;
  StepResult result =
      h >= kShort ? running.mode->aside(running.plan).step(running.state, h) : running.creep(h);
  result.steps = 0;
  state = running.state;
  state.t = t;
  running.restore(now);
  return result;
}

}  // namespace trammel::simulation
