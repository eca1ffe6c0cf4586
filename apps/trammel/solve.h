// The analyses of 'trammel solve'. A new one is a class and one line in analyses().
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "trammel/model.h"
#include "trammel/simulation.h"

namespace trammel::app {

class Analysis {
 public:
  virtual ~Analysis() = default;
  virtual const char* name() const = 0;
  virtual const char* help() const = 0;
  // Options and examples of its subcommand.
  virtual void add_options(CLI::App& command) = 0;
  // The exit status.
  virtual int run() = 0;
};

std::unique_ptr<Analysis> make_stability();
std::unique_ptr<Analysis> make_equilibrium();
std::unique_ptr<Analysis> make_modes();
std::unique_ptr<Analysis> make_inverse();
std::unique_ptr<Analysis> make_kinematics();
std::unique_ptr<Analysis> make_positions();
std::unique_ptr<Analysis> make_workspace();

std::vector<std::unique_ptr<Analysis>> analyses();

// Reads the model; where it has errors, prints them: false.
bool read_or_tell(const ModelOptions& options, ModelInput& input);
// Assembles what load() returned. Where there is none, or its joints cannot be closed, prints why; the exit
// status.
int assemble_or_tell(const ModelOptions& options, std::optional<Simulation>& simulation,
                     const std::vector<std::string>& errors);
// Prints why an analysis has no result; the exit status.
int tell_failure(const ModelOptions& options, const Report& report);

}  // namespace trammel::app
