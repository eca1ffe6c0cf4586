// The report of a comparison: one HTML page that needs neither network nor script.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/work_precision.h"

namespace trammel::results {

// The curve of a row, for programs: [{step or tolerance, error, seconds, status, reason}].
nlohmann::ordered_json work_precision_json(const analysis::WorkPrecisionCurve& curve);

// Rows with the reference, and the measured curves where there are some.
nlohmann::ordered_json comparison_json(const analysis::Comparisons& compared,
                                       const analysis::WorkPrecision* measured = nullptr);
std::string comparison_text(const analysis::Comparisons& compared);

std::string comparison_page(const Mechanism& mechanism, const Plan& plan,
                            const std::vector<analysis::Comparison>& rows,
                            const analysis::WorkPrecision& measured);

}  // namespace trammel::results
