// run() without error estimates: what a second run does, and those who judge a motion by other means.
#pragma once

#include <functional>

#include "trammel/run.h"

namespace trammel::simulation {

// From an assembled state, into a sink.
RunSummary run_alone(Simulation& simulation, ResultSink& sink, const Progress& progress);

// The same steps. `seen` gets the state at every output time; no rows are made and no reactions solved for,
// so that the summary has none.
RunSummary run_motion(Simulation& simulation, const std::function<void(const State&)>& seen);

}  // namespace trammel::simulation
