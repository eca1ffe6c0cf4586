// What assembly did to a mechanism that was placed roughly.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "trammel/report.h"

namespace trammel::results {

nlohmann::ordered_json assembly_json(const AssemblyReport& assembly);
// Lines of a summary; none where every place was exact.
std::string assembly_lines(const AssemblyReport& assembly);

}  // namespace trammel::results
