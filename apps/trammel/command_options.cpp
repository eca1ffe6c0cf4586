#include "command_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/TypeTools.hpp>
#include <cmath>

#include "simulation/plan_options.h"

namespace trammel::app {

CLI::Option* add_model(CLI::App& command, ModelOptions& options) {
  command
      .add_option("--set", options.set,
                  "Change a value of the model: --set bodies.crank.mass=2 (may be given again)")
      ->take_all()
      ->allow_extra_args(false);
  return command.add_option("model", options.path, "The model file (YAML; docs/model-format.md)");
}

namespace {

// "Step in seconds, s", "Unknowns of the equations: natural, reference, …"
std::string help_of(const simulation::PlanOption& option) {
  std::string text = option.meaning;
  if (!option.choices.empty()) text += fmt::format(": {}", fmt::join(option.choices, ", "));
  const std::string_view unit = option.unit;
  return unit.empty() || unit == "1" ? text : fmt::format("{}; in {}, or with a unit", text, unit);
}

}  // namespace

void add_keys(CLI::App& command, ModelOptions& options, const std::vector<const char*>& keys) {
  for (const char* key : keys)
    command.add_option_function<std::string>(
        fmt::format("--{}", key),
        [&options, key](const std::string& value) {
          options.simulate.push_back(fmt::format("--{}={}", key, value));
        },
        help_of(simulation::plan_option(key)));
}

void add_model_options(CLI::App& command, ModelOptions& options, bool one_method) {
  add_model(command, options)->required();
  add_keys(command, options, {"coordinates"});
  if (one_method) add_keys(command, options, {"formulation", "integrator"});
}

CLI::Validator positive_number() {
  return {[](std::string& text) {
            double value = 0;
            const bool is_number = CLI::detail::lexical_cast(text, value);
            return is_number && value > 0 && std::isfinite(value)
                       ? std::string()
                       : fmt::format("'{}' is not a positive number", text);
          },
          "POSITIVE"};
}

void add_step_options(CLI::App& command, ModelOptions& options) {
  add_keys(command, options, {"step", "tolerance"});
}

void add_time_options(CLI::App& command, ModelOptions& options) {
  add_step_options(command, options);
  add_keys(command, options, {"duration"});
}

}  // namespace trammel::app
