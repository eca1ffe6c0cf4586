// report.html of a sweep: one page that needs neither network nor script. Distribution of each observation,
// how it depends on each parameter, sensitivity indices, parallel coordinates, and the extreme and failed
// runs with links to reports of their own.
#pragma once

#include <string>
#include <vector>

#include "trammel/sweep.h"

namespace trammel::sweep {

// Runs whose observations are largest and least: those that have reports of their own, at most so many.
std::vector<std::uint64_t> extreme_runs(const SweepTable& table, std::size_t most);

// `reports`: runs that have a report, at runs/NUMBER/report.html beside the page.
std::string sweep_page(const Sweep& sweep, const SweepTable& table,
                       const std::vector<std::uint64_t>& reports);

}  // namespace trammel::sweep
