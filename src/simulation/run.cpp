#include "trammel/run.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "simulation/method_table.h"
#include "simulation/run_alone.h"
#include "simulation/runner.h"
#include "simulation/verify.h"

namespace trammel {
namespace simulation {

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

[[noreturn]] void throw_other_bits(double t) {
  throw std::runtime_error(
      fmt::format("the row of t = {:.6g} s comes out otherwise than it was written: the program, its "
                  "libraries or the processor are not those of the run, so that it cannot be resumed to the "
                  "same bits; run it again from the start",
                  t));
}

Continued::Continued(ResultSink& to, const RunRecord& record)
    : to_(to),
      there_(record.rows),
      at_(record.checkpoints.empty() ? 0 : rows_before(record.checkpoints.back())) {
  if (at_ > there_.rows()) throw std::invalid_argument("a checkpoint has more rows before it than there are");
}

void Continued::write(std::span<const double> row) {
  if (at_ == there_.rows()) return to_.write(row);
  if (!same_bits(row, there_.row(at_))) throw_other_bits(row[0]);
  ++at_;
}

RunSummary run_alone(Simulation& simulation, ResultSink& sink, const RunRecord& record,
                     const Progress& progress, Widest* widest) {
  RunSummary summary;
  Continued continued(sink, record);
  Rows rows(simulation, continued);
  Runner runner(simulation, rows, &continued, progress, summary);
  runner.resume(record.checkpoints);
  runner.run();
  if (widest != nullptr) *widest = runner.range().widest();
  return summary;
}

RunSummary run_motion(Simulation& simulation, const std::function<void(const State&)>& seen,
                      const Progress& progress) {
  RunSummary summary;
  Motion motion(simulation, seen);
  Runner(simulation, motion, nullptr, progress, summary).run();
  return summary;
}

namespace {

// That the same start has the same first row shows that this program computes as the one of the record did.
void require_same_start(const Simulation& simulation, const Trajectory& rows) {
  if (rows.rows() == 0) return;
  Recorder recorder = recorder_of(simulation);
  if (recorder.channels() != rows.channels)
    throw std::invalid_argument("the rows of this record are not of this model and plan");
  const State& start = simulation.state();
  if (!same_bits(recorder.row(simulation.reader(start), start, {}), rows.row(0))) throw_other_bits(start.t);
}

}  // namespace
}  // namespace simulation

RunSummary run(Simulation& simulation, ResultSink& sink, const Progress& progress) {
  return resume(simulation, sink, {}, {}, progress);
}

RunSummary resume(Simulation& simulation, ResultSink& sink, const RunRecord& first, const RunRecord& second,
                  const Progress& progress) {
  simulation::require_same_start(simulation, first.rows);
  if (simulation.plan().verify) return simulation::run_verified(simulation, sink, first, second, progress);
  RunSummary summary = simulation::run_alone(simulation, sink, first, progress);
  sink.end_of_rows();
  return summary;
}

std::string no_checkpoints(const ResolvedPlan& plan) {
  const char* keeper = simulation::history_keeper(plan);
  return keeper == nullptr
             ? ""
             : fmt::format("{} keeps a history of its steps that cannot be read from it and written down",
                           keeper);
}

RunResult run(Simulation& simulation, const Progress& progress) {
  class Tables final : public ResultSink {
   public:
    explicit Tables(RunResult& result) : result_(result) {}
    void write(std::span<const double> row) override { append(result_.trajectory, row); }
    void write_errors(std::span<const double> row) override { append(result_.errors, row); }
    const Trajectory* kept() const override { return &result_.trajectory; }

   private:
    static void append(Trajectory& to, std::span<const double> row) {
      to.values.insert(to.values.end(), row.begin(), row.end());
    }
    RunResult& result_;
  };
  RunResult result;
  const AssemblyReport assembly = simulation.assemble();
  if (assembly.report.accepted()) {
    result.trajectory.channels = channels_of(simulation);
    result.errors.channels = error_channels(result.trajectory.channels);
    Tables tables(result);
    result.summary = run(simulation, tables, progress);
  } else {
    result.summary.status = RunStatus::failed;
    result.summary.message = explain(assembly, simulation);
  }
  result.summary.assembly = assembly;
  return result;
}

}  // namespace trammel
