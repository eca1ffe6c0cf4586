// trammel import: the model file of a URDF, MJCF or SDF file, and what became of each of its elements.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "trammel/import.h"

namespace trammel::app {

struct ImportCommand {
  std::string path, out, base;
  ImportOptions options;
  bool json = false;

  CLI::App* add_options(CLI::App& app);
  int run();
};

}  // namespace trammel::app
