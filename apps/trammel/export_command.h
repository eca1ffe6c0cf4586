// trammel export kernel: source code that makes the steps of one mechanism.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "commands.h"

namespace trammel::app {

struct ExportCommand {
  ModelOptions model;
  std::string target = "cpp", out;

  CLI::App* add_options(CLI::App& app);
  int run() const;
};

}  // namespace trammel::app
