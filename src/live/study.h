// Studies: what is computed of a model beside its live run. A trial (trial.h), a report as one page, an
// analysis.
#pragma once

#include "live/trial.h"

namespace trammel::live {

bool is_study(const std::string& what);

// `try`; `report`: the reply's `html` is report.html of a run of the model; `analyse` with `what`: positions,
// equilibria, modes or workspace, and `point` of a workspace: `text` for a person, `html` the page of the
// analysis, `poses` of the positions that were found, as a trial's. Throws std::invalid_argument and
// std::runtime_error for what cannot be done.
Json run_study(const std::string& text, const std::string& file, const Json& command,
               const std::atomic<bool>& stop);

}  // namespace trammel::live
