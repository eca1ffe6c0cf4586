// Results of a run: files for other programs, a summary for a person. Link Trammel::results.
//
// The library has no globals, but HDF5 has: write and read one file at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "trammel/analyses.h"
#include "trammel/run.h"

namespace trammel::results {
struct AnalysisRecord;
}  // namespace trammel::results

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
// What a person must know to use the results: warnings, contacts that would be lost, missing values, marked
// steps; a sentence each.
std::vector<std::string> remarks(const Simulation& simulation, const RunSummary& summary);

// What an analysis found (trammel/analyses.h), as 'trammel solve' tells and writes it: for results whose
// report is accepted, and for the rows of kinematics and paths that end early.
class AnalysisReport {
 public:
  AnalysisReport(const Mechanism& mechanism, const Positions& found);
  AnalysisReport(const Mechanism& mechanism, const Kinematics& found);
  AnalysisReport(const Mechanism& mechanism, const Workspace& found);
  AnalysisReport(const Mechanism& mechanism, const InverseDynamics& found);
  AnalysisReport(const Mechanism& mechanism, const Equilibria& found);
  // `over`: the column of the plot's horizontal axis; empty: the position that changes most.
  AnalysisReport(const Mechanism& mechanism, const EquilibriumPath& found, const std::string& over = "");
  AnalysisReport(const Mechanism& mechanism, const Modes& found);

  // A table for a person, and JSON with stable keys.
  const std::string& text() const;
  std::string json() const;
  // results.h5 of an analysis: its rows with the layout of a run's, and what else it has (docs/results.md).
  void write_hdf5(const std::filesystem::path& path) const;
  // A page with figures, plots and the mechanism in 3-D; modes swing.
  std::string html() const;
  // The rows, and tables with rows of their own, as results.csv and NAME.csv in a folder.
  void write_csv(const std::filesystem::path& folder) const;

 private:
  AnalysisReport(const Mechanism& mechanism, results::AnalysisRecord record);

  Mechanism mechanism_;
  std::shared_ptr<const results::AnalysisRecord> record_;
};

// A, B, C and D for other programs, by the ending of the path: .mat (MATLAB, SciPy), .h5 or .csv.
void write_matrices(const std::filesystem::path& path, const StateSpace& linear);

}  // namespace trammel
