// trammel fit and trammel optimize: parameters from measurements, or for which an observation is least.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "commands.h"
#include "trammel/fit.h"

namespace trammel::app {

class FitCommand {
 public:
  CLI::App* add_options(CLI::App& app);
  int run();

 private:
  ModelOptions model_;
  FitSpec spec_;
  std::string parameters_, out_;
  int threads_ = 0;
  bool resume_ = false, json_ = false;
};

class OptimizeCommand {
 public:
  CLI::App* add_options(CLI::App& app);
  int run();

 private:
  ModelOptions model_;
  OptimizeSpec spec_;
  std::string out_;
  bool resume_ = false, json_ = false;
};

}  // namespace trammel::app
