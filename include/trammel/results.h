// Results of a run: files for other programs, a summary for a person. Link Trammel::results.
//
// The library has no globals, but HDF5 has: write and read one file at a time.
#pragma once

#include <filesystem>
#include <string>

#include "trammel/run.h"

namespace trammel {

// results.h5 as 'trammel run' writes it: all columns, the model, the plan and the summary (docs/results.md).
// All of these throw std::runtime_error, with path and reason, when a file cannot be written or read; one
// that was there before is then still there.
void write_hdf5(const std::filesystem::path& path, const Simulation& simulation, const RunResult& result);
// The columns by name, in the order in which the run wrote them.
Trajectory read_hdf5(const std::filesystem::path& path);

// Comma-separated values, every number to the last bit; a missing value is an empty field.
void write_csv(const std::filesystem::path& path, const Trajectory& trajectory);

// report.html as 'trammel run' writes it: one page that needs no network, with at most so many values (of
// longer runs one row of every k). Empty where the library was built without its pages.
inline constexpr std::size_t kReportValues = 4'000'000;  // about 20 MB
std::string report_html(const Simulation& simulation, const RunResult& result,
                        std::size_t most_values = kReportValues);

// What 'trammel run' prints, and what it writes to summary.json.
std::string summary_text(const Simulation& simulation, const RunSummary& summary);
std::string summary_json(const Simulation& simulation, const RunSummary& summary);

}  // namespace trammel
