#include "simulation/run_output.h"

#include <algorithm>
#include <cmath>

namespace trammel::simulation {
namespace {

// The largest reaction among rows that are not next to a marked step.
RunSummary::Peak peak_away(const std::vector<RunSummary::Peak>& peaks, const std::vector<MarkedStep>& marked,
                           double near) {
  RunSummary::Peak largest;
  for (const auto& peak : peaks) {
    const auto close = [&](const MarkedStep& m) { return std::abs(m.t - peak.t) <= near; };
    if (peak.force > largest.force && std::none_of(marked.begin(), marked.end(), close)) largest = peak;
  }
  return largest;
}

}  // namespace

void Rows::write(const State& state, const StepResult& last) {
  sink_.write(recorder_.row(simulation_.reader(state), state, last));
  peaks_.push_back(recorder_.peak());
}

void Rows::finish(RunSummary& summary, double near) const {
  summary.reactions = recorder_.reactions();
  summary.peak_reaction = peak_away(peaks_, summary.marked_steps, near);
}

void Motion::write(const State& state, const StepResult&) {
  seen_(state);
  energy_ = simulation_.reader(state).energy(state);
}

}  // namespace trammel::simulation
