// AnalysisReport: one record of an analysis as text, JSON, files and a page.
#include "model/writer/plan_json.h"
#include "results/files/model_text.h"
#include "results/files/results_hdf5.h"
#include "results/report/analysis_page.h"
#include "results/report/analysis_record.h"
#include "simulation/resolve.h"
#include "trammel/results.h"
#include "trammel/version.h"

namespace trammel {

AnalysisReport::AnalysisReport(const Mechanism& mechanism, results::AnalysisRecord record)
    : mechanism_(mechanism), record_(std::make_shared<results::AnalysisRecord>(std::move(record))) {}

AnalysisReport::AnalysisReport(const Mechanism& mechanism, const Positions& found)
    : AnalysisReport(mechanism, results::record_of(mechanism, found)) {}
AnalysisReport::AnalysisReport(const Mechanism& mechanism, const Kinematics& found)
    : AnalysisReport(mechanism, results::record_of(mechanism, found)) {}
AnalysisReport::AnalysisReport(const Mechanism& mechanism, const Workspace& found)
    : AnalysisReport(mechanism, results::record_of(mechanism, found)) {}
AnalysisReport::AnalysisReport(const Mechanism& mechanism, const InverseDynamics& found)
    : AnalysisReport(mechanism, results::record_of(mechanism, found)) {}
AnalysisReport::AnalysisReport(const Mechanism& mechanism, const Equilibria& found)
    : AnalysisReport(mechanism, results::record_of(mechanism, found)) {}
AnalysisReport::AnalysisReport(const Mechanism& mechanism, const EquilibriumPath& found,
                               const std::string& over)
    : AnalysisReport(mechanism, results::record_of(mechanism, found, over)) {}
AnalysisReport::AnalysisReport(const Mechanism& mechanism, const Modes& found)
    : AnalysisReport(mechanism, results::record_of(mechanism, found)) {}

const std::string& AnalysisReport::text() const { return record_->text; }

std::string AnalysisReport::json() const {
  nlohmann::ordered_json all = record_->tables;
  for (const auto& [key, value] : record_->summary.items()) all[key] = value;
  return all.dump();
}

void AnalysisReport::write_hdf5(const std::filesystem::path& path) const {
  results::LogContents contents;
  contents.header = {results::model_text(mechanism_),
                     model::plan_json(mechanism_.plan, simulation::resolve(mechanism_.plan)),
                     record_->table.channels, TRAMMEL_VERSION, results::creation_now()};
  contents.trajectory = record_->table;
  contents.summary = record_->summary;
  results::write_hdf5(path, contents, record_->beside);
}

void AnalysisReport::write_csv(const std::filesystem::path& folder) const {
  trammel::write_csv(folder / "results.csv", record_->table);
  for (const results::AnalysisTables::Table& one : record_->beside.tables)
    trammel::write_csv(folder / (one.name + ".csv"), one.table);
}

std::string AnalysisReport::html() const { return results::analysis_page(mechanism_, *record_); }

}  // namespace trammel
