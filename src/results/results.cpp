#include "trammel/results.h"

#include <algorithm>

#include "model/writer/plan_json.h"
#include "results/files/model_text.h"
#include "results/files/results_hdf5.h"
#include "results/report/event_report.h"
#include "results/report/page.h"
#include "results/report/report.h"
#include "results/report/summary.h"
#include "trammel/version.h"

namespace trammel {
namespace {

// At the start, as 'trammel run' tells it.
analysis::Mobility mobility_at_start(const Simulation& simulation) {
  Simulation start(simulation.mechanism(), simulation.plan());
  if (!start.assemble().report.accepted()) return {};
  return analysis::mobility(start);
}

Mechanism as_run(const Simulation& simulation) {
  Mechanism mechanism = simulation.mechanism();
  mechanism.plan = simulation.plan();
  for (std::size_t i = 0; i < mechanism.inputs.size(); ++i)
    mechanism.inputs[i].value = simulation.state().inputs[i];
  return mechanism;
}

results::LogContents contents_of(const Simulation& simulation, const RunResult& result) {
  results::LogContents contents;
  contents.header = {results::model_text(as_run(simulation)),
                     model::plan_json(simulation.plan(), simulation.resolved()), result.trajectory.channels,
                     TRAMMEL_VERSION, results::creation_now()};
  contents.trajectory = result.trajectory;
  contents.errors = result.errors;
  contents.summary = results::summary_json(simulation, mobility_at_start(simulation), result.summary,
                                           results::creation_now());
  return contents;
}

}  // namespace

void write_hdf5(const std::filesystem::path& path, const Simulation& simulation, const RunResult& result) {
  results::write_hdf5(path, contents_of(simulation, result));
}

std::string report_html(const Simulation& simulation, const RunResult& result, std::size_t most_values) {
  if (results::report_page().empty()) return {};
  return results::report_html(results::report_page(), simulation.mechanism(), contents_of(simulation, result),
                              most_values);
}

std::string summary_text(const Simulation& simulation, const RunSummary& summary) {
  return results::summary_text(simulation, mobility_at_start(simulation), summary);
}

std::vector<std::string> remarks(const Simulation& simulation, const RunSummary& summary) {
  std::vector<std::string> all = summary.warnings;
  if (const std::string lost = results::lost_contact_text(summary.events);
      !lost.empty() && summary.time >= simulation.plan().duration)
    all.push_back(lost + ": the motion goes on as if the contact held (when-lost: stop ends the run there)");
  const bool explained =
      std::ranges::none_of(summary.missing, [](const MissingValues& one) { return one.reason.empty(); });
  if (!summary.missing.empty())
    all.push_back(results::missing_text(summary) +
                  (explained ? ""
                             : "; look for a division by zero, or the root or logarithm "
                               "of a negative number in its expression"));
  if (!summary.marked_steps.empty())
    all.push_back(results::marked_text(summary) +
                  " met only the weaker criterion; the summary lists them as marked_steps");
  return all;
}

std::string summary_json(const Simulation& simulation, const RunSummary& summary) {
  return results::summary_json(simulation, mobility_at_start(simulation), summary, results::creation_now())
      .dump(2);
}

}  // namespace trammel
