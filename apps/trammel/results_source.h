// Results of a run as commands read them: results.h5, a folder with one, or the log of a run.
#pragma once

#include <filesystem>
#include <string>

#include "results/report/results_diff.h"

namespace trammel::app {

// Throws std::runtime_error, with path and reason, where there are none.
results::ResultsTable read_results(const std::filesystem::path& path);

}  // namespace trammel::app
