#include "results/results_source.h"

#include <fmt/format.h>

#include <stdexcept>

#include "results/files/results_hdf5.h"
#include "results/files/results_log.h"

namespace trammel::results {

namespace fs = std::filesystem;

namespace {

fs::path file_of(const fs::path& given) {
  if (given.extension() == ".yaml" || given.extension() == ".yml")
    throw std::runtime_error(
        fmt::format("'{0}' is a model; 'trammel run {0}' writes its results, whose results.h5 is wanted here",
                    given.string()));
  if (!fs::is_directory(given)) return given;
  return fs::exists(given / "results.h5") ? given / "results.h5" : given / "results.log";
}

}  // namespace

ResultsTable read_results(const fs::path& given) {
  const fs::path path = file_of(given);
  if (path.extension() != ".log") return {given.string(), read_hdf5(path), read_hdf5_errors(path)};
  LogContents contents = read_log(path);
  return {given.string(), std::move(contents.trajectory), std::move(contents.errors)};
}

LogContents read_run(const fs::path& given) {
  const fs::path path = file_of(given);
  return path.extension() == ".log" ? read_log(path) : read_hdf5_run(path);
}

void say_killed(LogContents& contents) {
  const Trajectory& rows = contents.trajectory;
  if (!contents.summary)
    contents.summary = {{"status", "killed"},
                        {"rows", rows.rows()},
                        {"simulated_seconds", rows.rows() > 0 ? rows.row(rows.rows() - 1)[0] : 0.0}};
}

}  // namespace trammel::results
