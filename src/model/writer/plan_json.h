// A Plan as JSON, with the keys of the model file.
#pragma once

#include <nlohmann/json.hpp>

#include "trammel/resolved_plan.h"

namespace trammel::model {

// Which options: those that differ from their defaults, for a model file; or all that the plan's methods
// read, which is all that a run depends on.
enum class Written { changed, complete };

// The maps `simulate:` and `outputs:`, without what is the mechanism's (stop-when, columns).
nlohmann::ordered_json simulate_options(const Plan& plan, Written written);
nlohmann::ordered_json output_options(const Plan& plan, Written written);

// For results: {simulate, outputs, resolved}, what was asked, complete, and what was decided, with reasons.
nlohmann::ordered_json plan_json(const Plan& plan, const ResolvedPlan& resolved);

}  // namespace trammel::model
