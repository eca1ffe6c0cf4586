// Results of a run as commands read them: results.h5, a folder with one, or the log of a run.
#pragma once

#include <filesystem>

#include "results/files/results_log.h"
#include "results/report/results_diff.h"

namespace trammel::results {

// Throws std::runtime_error, with path and reason, where there are none.
ResultsTable read_results(const std::filesystem::path& path);
// All of a run; not of an analysis.
LogContents read_run(const std::filesystem::path& path);

// Of a run that has no summary, because it was killed: that, and how far it came.
void say_killed(LogContents& contents);

}  // namespace trammel::results
