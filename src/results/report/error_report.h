// The estimated errors of a run: the largest ones, and until when its columns are known.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "trammel/run.h"

namespace trammel::results {

// `accuracy`: of a column's range, as the plan has it. Null without a second run.
nlohmann::ordered_json error_json(const ErrorEstimate& error, double accuracy);
std::string error_lines(const ErrorEstimate& error, const Simulation& simulation);

}  // namespace trammel::results
