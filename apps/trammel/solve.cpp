#include "solve.h"

#include <fmt/format.h>

#include "model_source.h"
#include "trammel/run.h"

namespace trammel::app {

std::vector<std::unique_ptr<Analysis>> analyses() {
  std::vector<std::unique_ptr<Analysis>> all;
  all.push_back(make_positions());
  all.push_back(make_kinematics());
  all.push_back(make_workspace());
  all.push_back(make_equilibrium());
  all.push_back(make_inverse());
  all.push_back(make_modes());
  all.push_back(make_stability());
  return all;
}

bool read_or_tell(const ModelOptions& options, ModelInput& input) {
  input = read_source(options, UnreadOptions::allowed).input;
  for (const InputError& error : input.errors) fmt::print(stderr, "{}\n", to_string(error));
  return input.errors.empty();
}

int assemble_or_tell(const ModelOptions& options, std::optional<Simulation>& simulation,
                     const std::vector<std::string>& errors) {
  if (!simulation) {
    print_errors(errors);
    return kBadInput;
  }
  const AssemblyReport assembly = simulation->assemble();
  if (assembly.report.accepted()) return kDone;
  fmt::print(stderr, "{}: {}\n", options.path, explain(assembly, *simulation));
  return assembly.report.outcome == Outcome::refused ? kBadInput : kNumbersFailed;
}

int tell_failure(const ModelOptions& options, const Report& report) {
  fmt::print(stderr, "{}: {}\n", options.path,
             report.message.empty() ? "the equations cannot be solved here" : report.message);
  return report.outcome == Outcome::refused ? kBadInput : kNumbersFailed;
}

}  // namespace trammel::app
