// The report of a comparison: one HTML page that needs neither network nor script.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/work_precision.h"

namespace trammel {

// The curve of a row, for programs: [{step or tolerance, error, seconds, status, reason}].
nlohmann::ordered_json work_precision_json(const WorkPrecisionCurve& curve);

// Rows with the reference, and the measured curves where there are some.
nlohmann::ordered_json comparison_json(const Comparisons& compared, const WorkPrecision* measured = nullptr);
std::string comparison_text(const Comparisons& compared);

std::string comparison_page(const Mechanism& mechanism, const Plan& plan, const std::vector<Comparison>& rows,
                            const WorkPrecision& measured);

}  // namespace trammel
