// run() for those who want the motion alone.
#pragma once

#include <functional>

#include "trammel/run.h"

namespace trammel::simulation {

// The same steps as run(), from an assembled state. `seen` gets the state at every output time; no rows are
// made and no reactions solved for, so that the summary has none.
RunSummary run_motion(Simulation& simulation, const std::function<void(const State&)>& seen);

}  // namespace trammel::simulation
