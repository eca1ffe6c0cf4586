#include "results_source.h"

#include <fmt/format.h>

#include <stdexcept>

#include "results/files/results_hdf5.h"
#include "results/files/results_log.h"

namespace trammel::app {

namespace fs = std::filesystem;

results::ResultsTable read_results(const fs::path& given) {
  fs::path path = given;
  if (fs::is_directory(path))
    path = fs::exists(path / "results.h5") ? path / "results.h5" : path / "results.log";
  if (path.extension() == ".log") {
    results::LogContents contents = results::read_log(path);
    return {given.string(), std::move(contents.trajectory), std::move(contents.errors)};
  }
  if (path.extension() == ".yaml" || path.extension() == ".yml")
    throw std::runtime_error(
        fmt::format("'{0}' is a model; 'trammel run {0}' writes its results, whose results.h5 is wanted here",
                    given.string()));
  return {given.string(), read_hdf5(path), results::read_hdf5_errors(path)};
}

}  // namespace trammel::app
