#include "model_source.h"

#include <fmt/format.h>

#include <stdexcept>

#include "results/files/results_hdf5.h"
#include "results/files/results_log.h"

namespace trammel::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kResults = "results.h5";
constexpr const char* kLog = "results.log";

// The results that a path names, or that a folder holds; empty: it is a model file.
fs::path results_at(const fs::path& path) {
  if (!fs::is_directory(path)) return path.extension() == ".h5" ? path : fs::path();
  for (const char* name : {kResults, kLog})
    if (fs::exists(path / name)) return path / name;
  throw std::runtime_error(
      fmt::format("the folder '{}' has neither results.h5 nor results.log; name a model file, or the folder "
                  "that a run has written to",
                  path.string()));
}

// Beside the folder that the results are in, which is left as it is.
fs::path folder_for_repetition(const fs::path& results) {
  fs::path folder = fs::absolute(results).lexically_normal().parent_path();
  folder += "-again";
  return folder.lexically_proximate(fs::current_path());
}

}  // namespace

ModelSource read_source(const ModelOptions& options, UnreadOptions unread) {
  ModelSource source;
  const fs::path results = results_at(options.path);
  if (results.empty()) {
    source.input = read_model(options.path, options.settings(), unread);
    source.file = options.path;
    source.folder = fs::path("results") / fs::path(options.path).stem();
  } else {
    const results::LogHeader header =
        results.filename() == kLog ? results::read_log(results).header : results::read_hdf5_header(results);
    if (header.model.empty())
      throw std::runtime_error(fmt::format(
          "'{}' holds no model: a C++ program wrote it, and no model file can describe its mechanism "
          "(forces or constraints written in C++, say); run that program again",
          results.string()));
    // A run that was made in C++ may have had options that its method does not read: repeated as it was.
    const bool as_it_was = options.settings().empty();
    source.input = read_model_text(header.model, results.string(), options.settings(),
                                   as_it_was ? UnreadOptions::allowed : unread);
    source.file = header.creation.value("model_file", results.string());
    source.folder = folder_for_repetition(results);
  }
  Mechanism& mechanism = source.input.mechanism;
  if (mechanism.name.empty()) mechanism.name = fs::path(source.file).stem().string();
  return source;
}

}  // namespace trammel::app
