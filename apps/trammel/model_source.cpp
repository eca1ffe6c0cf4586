#include "model_source.h"

#include <fmt/format.h>

#include <stdexcept>

#include "results/files/results_hdf5.h"
#include "simulation/plan_check.h"
#include "trammel/thread_pool.h"

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

ModelSource source_in(const results::LogHeader& header, const fs::path& results,
                      const std::vector<std::string>& settings, UnreadOptions unread) {
  if (header.model.empty())
    throw std::runtime_error(fmt::format(
        "'{}' holds no model: a C++ program wrote it, and no model file can describe its mechanism "
        "(forces or constraints written in C++, say); run that program again",
        results.string()));
  ModelSource source;
  // A run that was made in C++ may have had options that its method does not read: repeated as it was.
  source.input = read_model_text(header.model, results.string(), settings,
                                 settings.empty() ? UnreadOptions::allowed : unread);
  source.file = header.creation.value("model_file", results.string());
  Mechanism& mechanism = source.input.mechanism;
  if (mechanism.name.empty()) mechanism.name = fs::path(source.file).stem().string();
  return source;
}

ModelSource read_source(const ModelOptions& options, UnreadOptions unread) {
  const fs::path results = results_at(options.path);
  if (!results.empty()) {
    const results::LogHeader header =
        results.filename() == kLog ? results::read_log(results).header : results::read_hdf5_header(results);
    ModelSource source = source_in(header, results, options.settings(), unread);
    source.folder = folder_for_repetition(results);
    return source;
  }
  ModelSource source;
  source.input = read_model(options.path, options.settings(), unread);
  source.file = options.path;
  source.folder = fs::path("results") / fs::path(options.path).stem();
  Mechanism& mechanism = source.input.mechanism;
  if (mechanism.name.empty()) mechanism.name = fs::path(source.file).stem().string();
  return source;
}

std::string place_of(const std::string& path, const Mechanism& mechanism, const std::string& message) {
  const fs::path ending = fs::path(path).extension();
  if (ending != ".yaml" && ending != ".yml" && ending != ".json") return path;
  Source place;
  std::size_t nearest = std::string::npos;
  const auto look_at = [&](const auto& parts, const std::string& before) {
    for (const auto& part : parts)
      if (const std::size_t at = message.find(before + "'" + part.name + "'");
          at < nearest && part.where.line > 0) {
        nearest = at;
        place = part.where;
      }
  };
  for (const char* before : {"driver ", "drivers "}) look_at(mechanism.drivers, before);
  if (place.line == 0) {
    look_at(mechanism.drivers, "");
    look_at(mechanism.joints, "");
    look_at(mechanism.bodies, "");
    look_at(mechanism.forces, "");
    look_at(mechanism.points, "");
  }
  if (place.line > 0) return fmt::format("{}:{}:{}", path, place.line, place.column);
  return path;
}

void print_errors(const std::vector<std::string>& errors) {
  for (const std::string& error : errors) fmt::print(stderr, "{}\n", error);
}

std::optional<Simulation> load(const ModelOptions& options, const ModelSource& source,
                               std::vector<std::string>& errors) {
  for (const InputError& error : source.input.errors) errors.push_back(to_string(error));
  print_errors(source.input.notes);
  if (!errors.empty()) return std::nullopt;
  const Mechanism& mechanism = source.input.mechanism;
  for (const std::string& problem : check_plan(mechanism.plan))
    errors.push_back(fmt::format("{}: {}", options.path, problem));
  if (!errors.empty()) return std::nullopt;
  try {
    return std::optional<Simulation>(std::in_place, mechanism, mechanism.plan, make_executor(mechanism.plan));
  } catch (const std::invalid_argument& error) {
    errors.push_back(fmt::format("{}: {}", options.path, error.what()));
    return std::nullopt;
  }
}

std::optional<Simulation> load(const ModelOptions& options, std::vector<std::string>& errors,
                               UnreadOptions unread) {
  return load(options, read_source(options, unread), errors);
}

}  // namespace trammel::app
