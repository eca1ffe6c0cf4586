#include "run_files.h"

#include <algorithm>
#include <array>
#include <exception>

#include "output_files.h"
#include "results/report/page.h"
#include "results/report/report.h"
#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::app {
namespace {

namespace fs = std::filesystem;

// What is made of the log.
constexpr std::array kMade = {"summary.json", "results.h5", "results.csv", "errors.csv", "report.html"};

void write_tables(const Folder& folder, results::Hdf5File& hdf5, const results::LogContents& contents,
                  bool csv) {
  hdf5.finish(contents);
  if (!csv) return;
  write_csv((folder.path / "results.csv").string(), contents.trajectory);
  if (contents.errors.rows() > 0) write_csv((folder.path / "errors.csv").string(), contents.errors);
}

// After all other files: where it is, they are whole.
void write_summary(const Folder& folder, const results::LogContents& contents) {
  write_text(folder.summary(),
             contents.summary->dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

// No mechanism, no report.
void write_report(const Folder& folder, const results::LogContents& contents, const Mechanism* mechanism) {
  if (!results::report_page().empty() && mechanism != nullptr)
    write_text(folder.path / "report.html",
               results::report_html(results::report_page(), *mechanism, contents));
}

void append(Trajectory& to, std::span<const double> row) {
  to.values.insert(to.values.end(), row.begin(), row.end());
}

}  // namespace

void Folder::remove_results() const {
  for (const char* name : kMade) fs::remove(path / name);
}

bool Folder::has_results() const {
  return fs::exists(log()) || std::ranges::any_of(kMade, [&](auto name) { return fs::exists(path / name); });
}

bool Folder::lacks_results(bool csv) const {
  return !fs::exists(summary()) || !fs::exists(hdf5()) || (csv && !fs::exists(path / "results.csv"));
}

Folder folder_of(const std::string& given) {
  return {fs::is_regular_file(given) ? fs::absolute(given).parent_path() : fs::path(given)};
}

void write_files(const Folder& folder, const results::LogContents& contents, bool csv) {
  const ModelInput model = read_model_text(contents.header.model, "", {}, UnreadOptions::allowed);
  results::Hdf5File hdf5(folder.hdf5(), contents.trajectory);
  write_tables(folder, hdf5, contents, csv);
  write_report(folder, contents, model.errors.empty() ? &model.mechanism : nullptr);
  write_summary(folder, contents);
}

RunKeeper::RunKeeper(Folder folder, const results::LogHeader& header, std::function<bool()> early)
    : folder_(std::move(folder)), log_(folder_.log(), header), early_(std::move(early)) {
  contents_.header = header;
  contents_.trajectory.channels = header.channels;
  contents_.errors.channels = error_channels(header.channels);
}

RunKeeper::RunKeeper(Folder folder, const results::LogContents& contents, std::function<bool()> early)
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

}  // namespace trammel::app
