// A trial: the model run again from its start with other settings, beside the live run, to be compared with
// it.
#pragma once

#include <atomic>

#include "live/json_fields.h"

namespace trammel::live {

// {"do": "try", "settings": ["parameters.L=0.3", "--formulation=lagrange"], "signals": ["A.angle"],
//  "duration": s, "points": 200, "poses": true}: the reply has `t`, `columns` (one list per signal) and, if
//  asked
// for, `poses` (per time seven numbers per body, as frames have them); `ended` says why it is shorter than
// asked for. Throws std::invalid_argument for what cannot be run.
Json run_trial(const std::string& text, const std::string& file, const Json& command,
               const std::atomic<bool>& stop);

}  // namespace trammel::live
