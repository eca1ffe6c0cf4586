// What a command runs: a model file, or the model inside the results of an earlier run, which it repeats.
#pragma once

#include <filesystem>
#include <string>

#include "commands.h"
#include "trammel/model.h"

namespace trammel::app {

struct ModelSource {
  ModelInput input;
  std::string file;              // the model file, also where it was read from results
  std::filesystem::path folder;  // for results, where the command line names none
};

// Reads a model file, a results.h5, or a folder of results, with the settings of the command line. A
// mechanism without a name gets the file's. Throws std::runtime_error for results that cannot be read.
ModelSource read_source(const ModelOptions& options, UnreadOptions unread = UnreadOptions::refused);

}  // namespace trammel::app
