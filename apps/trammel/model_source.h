// What a command runs: a model file, or the model inside the results of an earlier run, which it repeats or
// resumes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "commands.h"
#include "results/files/results_log.h"
#include "trammel/model.h"
#include "trammel/simulation.h"

namespace trammel::app {

struct ModelSource {
  ModelInput input;
  std::string file;              // the model file, also where it was read from results
  std::filesystem::path folder;  // for results, where the command line names none
};

// Reads a model file, a results.h5, or a folder of results, with the settings of the command line. A
// mechanism without a name gets the file's. Throws std::runtime_error for results that cannot be read.
ModelSource read_source(const ModelOptions& options, UnreadOptions unread = UnreadOptions::refused);

// The model inside results, with the settings of the command line. Throws std::runtime_error where it has
// parts that are written in C++.
ModelSource source_in(const results::LogHeader& header, const std::filesystem::path& results,
                      const std::vector<std::string>& settings, UnreadOptions unread);

// The model ready to be assembled; or what is wrong with it.
std::optional<Simulation> load(const ModelOptions& options, const ModelSource& source,
                               std::vector<std::string>& errors);
std::optional<Simulation> load(const ModelOptions& options, std::vector<std::string>& errors,
                               UnreadOptions unread = UnreadOptions::refused);

// "crank.yaml:12:3", the entry of a model file that a message is about: the driver that it names, else the
// first part that it names in quotes. The path alone where it names none, or the file is no model file.
std::string place_of(const std::string& path, const Mechanism& mechanism, const std::string& message);

void print_errors(const std::vector<std::string>& errors);

}  // namespace trammel::app
