// Options of the command line that several commands take.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <vector>

#include "commands.h"

namespace trammel::app {

// --set and the model file.
CLI::Option* add_model(CLI::App& command, ModelOptions& options);
// Options that are keys of `simulate:`: read as the model file's, with the same words where they are wrong.
void add_keys(CLI::App& command, ModelOptions& options, const std::vector<const char*>& keys);
// The model, --coordinates and, for commands that run one method, --formulation and --integrator.
void add_model_options(CLI::App& command, ModelOptions& options, bool one_method = true);
// A check of a number that must be positive.
CLI::Validator positive_number();
// --step and --tolerance; and --duration.
void add_step_options(CLI::App& command, ModelOptions& options);
void add_time_options(CLI::App& command, ModelOptions& options);

}  // namespace trammel::app
