// The folder of a run: its logs, and the files that are made of them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "results/files/results_hdf5.h"
#include "results/files/results_log.h"
#include "trammel/executor.h"
#include "trammel/mechanism.h"

namespace trammel::results {

struct RunFolder {
  std::filesystem::path path;
  std::filesystem::path log() const { return path / "results.log"; }
  std::filesystem::path second_log() const { return path / "results.second.log"; }  // of the second run
  std::filesystem::path hdf5() const { return path / "results.h5"; }
  std::filesystem::path summary() const { return path / "summary.json"; }
  // What an earlier run left here is no longer true.
  void remove_results() const;
  bool has_results() const;
  // Whether files of a run that has ended are missing, as where it was killed while it wrote them.
  bool lacks_results(bool csv) const;
};

// A folder, or the log in it.
RunFolder folder_of(const std::string& given);

// Makes the files of a log that has its summary, by the model in it.
void write_files(const RunFolder& folder, const LogContents& contents, bool csv);

// Writes a run into its log, and keeps it for the files that are made at the end. Once all rows are there it
// begins with results.h5, while the second run goes on.
class RunKeeper final : public ResultSink {
 public:
  // A new log by its header, or one that goes on by its contents. `early`: whether to begin with results.h5
  // before the end.
  RunKeeper(RunFolder folder, const LogHeader& header, std::function<bool()> early);
  RunKeeper(RunFolder folder, const LogContents& contents, std::function<bool()> early);
  // The log of the second run, in the same way.
  template <class From>
  void keep_second(const From& from) {
    log_.keep_second(&second_.emplace(folder_.second_log(), from));
  }
  void keep_checkpoints(double interval);

  void write(std::span<const double> row) override;
  void end_of_rows() override;
  void write_errors(std::span<const double> row) override;
  const Trajectory* kept() const override { return &contents_.trajectory; }
  double checkpoint_interval() const override { return log_.checkpoint_interval(); }
  void checkpoint(std::string_view bytes) override { log_.checkpoint(bytes); }
  ResultSink* second() override { return log_.second(); }

  // Ends the log.
  void finish(const nlohmann::json& summary);
  // Tables and report side by side where there is an executor. No mechanism, no report.
  void write_files(const Mechanism* mechanism, bool csv, Executor* executor);

 private:
  RunFolder folder_;
  ResultsLog log_;
  std::optional<ResultsLog> second_;
  LogContents contents_;
  std::function<bool()> early_;
  std::optional<Hdf5File> hdf5_;  // once there are all rows
};

// Why a run cannot go on from its log, and `instead` what else can be done; empty: it can.
std::string not_resumable(const LogContents& contents, const std::string& instead);
// Whether a run has come to its end: there is nothing to resume. The log of a second run is still there where
// that was stopped.
bool has_ended(const RunFolder& folder, const LogContents& contents);
// Whether the run that wrote a log was given a flag.
bool asked_for(const char* flag, const LogHeader& header);

// What both runs of a run have, from which they go on.
struct RunRecords {
  RunRecord first, second;
};
// Removes the results that were made of the log; the keeper goes on with the log of the second run too.
RunRecords take_up(const RunFolder& folder, LogContents contents, bool verify, RunKeeper& keeper);

}  // namespace trammel::results
