// The results log: an append-only file that stays readable when the run that writes it is killed.
//
//   "TRAMLOG\n"  version (u32)  header record  row or checkpoint record…  error record…  [summary record]
//   record = type (u8: 'H', 'R', 'C', 'E', 'S')  length (u32)  payload  CRC-32 of all of these (u32)
//
// All numbers are little-endian. The payload of a row, and of its errors, is one double per channel; the
// header's and the summary's are JSON; a checkpoint's is the run's own (simulation/checkpoint.h). Only a run
// that came to its end, well or badly, has errors and a summary. Version 1 had no checkpoints.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/files/results_file.h"
#include "trammel/trajectory.h"

namespace trammel::results {

// What a run was: enough to run it again.
struct LogHeader {
  std::string model;    // the model as it was run, with the settings of the command line in it
  nlohmann::json plan;  // plan_json(): what was asked, and what was decided
  std::vector<Channel> channels;
  std::string version;      // of the program
  nlohmann::json creation;  // date, command, settings, model_file
};

struct LogContents;

// Writes a run's rows. Files that cannot be written throw std::runtime_error.
//
// Rows reach the operating system at the latest with the first row that comes 10 ms after the last
// time, or when 64 kB are waiting: a killed run loses no more than what it computed in that span.
class ResultsLog : public ResultSink {
 public:
  ResultsLog(const std::filesystem::path& path, const LogHeader& header);
  // Goes on with a log that was read before: after its last whole row or checkpoint.
  ResultsLog(const std::filesystem::path& path, const LogContents& contents);
  ~ResultsLog() override;
  ResultsLog(const ResultsLog&) = delete;
  ResultsLog& operator=(const ResultsLog&) = delete;

  // Throws std::logic_error, and writes nothing, for a row that require_valid refuses.
  void write(std::span<const double> row) override;
  // Any of them may be missing, which is a NaN.
  void write_errors(std::span<const double> row) override;

  // Seconds between two checkpoints, at least; none are written unless it is set.
  void keep_checkpoints(double interval) { checkpoint_interval_ = interval; }
  double checkpoint_interval() const override { return checkpoint_interval_; }
  // Handed over at once, with the rows before it.
  void checkpoint(std::string_view bytes) override;
  // The log of the second run; the caller's.
  void keep_second(ResultsLog* second) { second_ = second; }
  ResultSink* second() override { return second_; }

  // Hands over what is waiting now: for a caller that is going to pause.
  void flush();

  // Ends the log. Nothing can be written after it.
  void finish(const nlohmann::json& summary);

 private:
  void append(char type, std::span<const double> row);

  OutputFile file_;
  std::vector<Channel> channels_, error_channels_;
  std::string buffer_;  // encoded records not yet handed over
  std::chrono::steady_clock::time_point last_flush_;
  double checkpoint_interval_ = std::numeric_limits<double>::infinity();
  ResultsLog* second_ = nullptr;
  bool finished_ = false;
};

struct LogContents {
  LogHeader header;
  Trajectory trajectory;                  // its channels are the header's
  Trajectory errors;                      // of its values, NaN where none is known; no rows: none at all
  std::optional<nlohmann::json> summary;  // none if the run was killed
  std::vector<std::string> checkpoints;
  std::uintmax_t bytes = 0;            // of the file
  std::uintmax_t bytes_to_go_on = 0;   // up to its last whole row or checkpoint
  std::uintmax_t discarded_bytes = 0;  // from the first damaged or cut-off record to the end of the file
  std::string damage;                  // what was wrong there; empty if nothing was
};

// Reads every whole record before the first damaged one. Throws std::runtime_error when there is no
// log there or its header cannot be read.
LogContents read_log(const std::filesystem::path& path);

// Throws std::logic_error unless the row has one number per channel, each finite, or NaN where the
// channel may be missing.
void require_valid(std::span<const Channel> channels, std::span<const double> row);

nlohmann::json channels_to_json(std::span<const Channel> channels);
std::vector<Channel> channels_from_json(const nlohmann::json& json);

}  // namespace trammel::results
