// The page of an analysis: that of a run (report.h) with figures, plots and tables of its own, and modes that
// swing. Where the program was built without pages it has no 3-D and no curves.
#pragma once

#include <string>

#include "results/report/analysis_record.h"

namespace trammel::results {

std::string analysis_page(const Mechanism& mechanism, const AnalysisRecord& record);

}  // namespace trammel::results
