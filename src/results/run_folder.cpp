#include "results/run_folder.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <exception>
#include <stdexcept>

#include "results/files/results_file.h"
#include "results/report/page.h"
#include "results/report/report.h"
#include "trammel/model.h"
#include "trammel/run.h"
#include "trammel/version.h"

namespace trammel::results {
namespace {

namespace fs = std::filesystem;

// What is made of the log.
constexpr std::array kMade = {"summary.json", "results.h5", "results.csv", "errors.csv", "report.html"};

void write_tables(const RunFolder& folder, Hdf5File& hdf5, const LogContents& contents, bool csv) {
  hdf5.finish(contents);
  if (!csv) return;
  write_csv((folder.path / "results.csv").string(), contents.trajectory);
  if (contents.errors.rows() > 0) write_csv((folder.path / "errors.csv").string(), contents.errors);
}

// After all other files: where it is, they are whole.
void write_summary(const RunFolder& folder, const LogContents& contents) {
  write_text(folder.summary(),
             contents.summary->dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

// No mechanism, no report.
void write_report(const RunFolder& folder, const LogContents& contents, const Mechanism* mechanism) {
  if (!report_page().empty() && mechanism != nullptr)
    write_text(folder.path / "report.html", report_html(report_page(), *mechanism, contents));
}

// What the log of the second run has; nothing where it cannot be read or belongs to another run.
std::optional<LogContents> read_second(const RunFolder& folder, const LogHeader& header) {
  try {
    LogContents contents = read_log(folder.second_log());
    if (contents.header.creation == header.creation && contents.header.model == header.model) return contents;
  } catch (const std::runtime_error&) {
    return std::nullopt;  // it is computed from its start
  }
  return std::nullopt;
}

void append(Trajectory& to, std::span<const double> row) {
  to.values.insert(to.values.end(), row.begin(), row.end());
}

}  // namespace

void RunFolder::remove_results() const {
  for (const char* name : kMade) fs::remove(path / name);
}

bool RunFolder::has_results() const {
  return fs::exists(log()) || std::ranges::any_of(kMade, [&](auto name) { return fs::exists(path / name); });
}

bool RunFolder::lacks_results(bool csv) const {
  return !fs::exists(summary()) || !fs::exists(hdf5()) || (csv && !fs::exists(path / "results.csv"));
}

RunFolder folder_of(const std::string& given) {
  return {fs::is_regular_file(given) ? fs::absolute(given).parent_path() : fs::path(given)};
}

void write_files(const RunFolder& folder, const LogContents& contents, bool csv) {
  const ModelInput model = read_model_text(contents.header.model, "", {}, UnreadOptions::allowed);
  Hdf5File hdf5(folder.hdf5(), contents.trajectory);
  write_tables(folder, hdf5, contents, csv);
  write_report(folder, contents, model.errors.empty() ? &model.mechanism : nullptr);
  write_summary(folder, contents);
}

RunKeeper::RunKeeper(RunFolder folder, const LogHeader& header, std::function<bool()> early)
    : folder_(std::move(folder)), log_(folder_.log(), header), early_(std::move(early)) {
  contents_.header = header;
  contents_.trajectory.channels = header.channels;
  contents_.errors.channels = error_channels(header.channels);
}

RunKeeper::RunKeeper(RunFolder folder, const LogContents& contents, std::function<bool()> early)
    : folder_(std::move(folder)), log_(folder_.log(), contents), early_(std::move(early)) {
  contents_.header = contents.header;
  contents_.trajectory = contents.trajectory;
  contents_.errors.channels = contents.errors.channels;
}

void RunKeeper::keep_checkpoints(double interval) {
  log_.keep_checkpoints(interval);
  if (second_) second_->keep_checkpoints(interval);
}

void RunKeeper::write(std::span<const double> row) {
  log_.write(row);
  append(contents_.trajectory, row);
}

void RunKeeper::end_of_rows() {
  log_.flush();  // what was computed is on its way while the second run takes its time
  if (early_()) hdf5_.emplace(folder_.hdf5(), contents_.trajectory);
}

void RunKeeper::write_errors(std::span<const double> row) {
  log_.write_errors(row);
  append(contents_.errors, row);
}

void RunKeeper::finish(const nlohmann::json& summary) {
  log_.finish(summary);
  contents_.summary = summary;
}

void RunKeeper::write_files(const Mechanism* mechanism, bool csv, Executor* executor) {
  std::array<std::exception_ptr, 2> thrown;
  const auto write = [&](std::size_t i) {
    try {
      if (i == 1) return write_report(folder_, contents_, mechanism);
      if (!hdf5_) hdf5_.emplace(folder_.hdf5(), contents_.trajectory);
      write_tables(folder_, *hdf5_, contents_, csv);
    } catch (...) {
      thrown[i] = std::current_exception();
    }
  };
  if (executor != nullptr)
    executor->run(2, write);
  else
    write(0), write(1);
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
  write_summary(folder_, contents_);
}

std::string not_resumable(const LogContents& contents, const std::string& instead) {
  if (contents.summary && contents.summary->value("status", "") == "failed")
    return fmt::format(
        "the run has failed, and would fail again: {}; change the model or its plan, and run it",
        contents.summary->value("message", ""));
  if (contents.header.version != TRAMMEL_VERSION)
    return fmt::format("the run was made by version {}; this is {}, which may round otherwise; {}",
                       contents.header.version, TRAMMEL_VERSION, instead);
  return {};
}

bool has_ended(const RunFolder& folder, const LogContents& contents) {
  return contents.summary && contents.summary->value("status", "") != "stopped" &&
         !fs::exists(folder.second_log());
}

bool asked_for(const char* flag, const LogHeader& header) {
  const nlohmann::json words = header.creation.value("command", nlohmann::json::array());
  return std::ranges::find(words, flag) != words.end();
}

RunRecords take_up(const RunFolder& folder, LogContents contents, bool verify, RunKeeper& keeper) {
  folder.remove_results();
  RunRecords records{{std::move(contents.trajectory), std::move(contents.checkpoints)}, {}};
  if (!verify) return records;
  if (std::optional<LogContents> kept = read_second(folder, contents.header)) {
    keeper.keep_second(*kept);
    records.second = {std::move(kept->trajectory), std::move(kept->checkpoints)};
  } else {
    keeper.keep_second(contents.header);
  }
  return records;
}

}  // namespace trammel::results
