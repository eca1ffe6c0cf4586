#include "solve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <stdexcept>

#include "command_options.h"
#include "model_source.h"
#include "output_files.h"
#include "trammel/run.h"

namespace trammel::app {
namespace {

// Prints why an analysis has no result, or not a whole one; the exit status.
int tell_outcome(const ModelOptions& options, const Mechanism& mechanism, const Report& report) {
  // Some messages begin with the place in the model file.
  if (report.message.starts_with(options.path + ":"))
    fmt::print(stderr, "{}\n", report.message);
  else
    fmt::print(stderr, "{}: {}\n", place_of(options.path, mechanism, report.message),
               report.message.empty() ? "the equations cannot be solved here" : report.message);
  return report.outcome == Outcome::refused ? kBadInput : kNumbersFailed;
}

}  // namespace

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

std::string analysis_names() {
  std::vector<std::string> names;
  for (const std::unique_ptr<Analysis>& one : analyses()) names.emplace_back(one->name());
  return fmt::format("{}", fmt::join(names, ", "));
}

void ModelAnalysis::add_common(CLI::App& command) {
  add_model_options(command, model_, false);
  command.add_option("--out", out_, "Folder for results.h5, the same as text (results.csv), and report.html");
  command.add_option("--report", report_, "Write the page alone to this file: figures, plots, 3-D");
  command.add_flag("--json", json_, "Print JSON instead of a table");
}

void ModelAnalysis::add_rows(CLI::App& command, long& rows) {
  add_keys(command, model_, {"duration"});
  command.add_option("--rows", rows, "Number of intervals between rows (default: as in a run)")
      ->check(CLI::Range(1, 10000000));
}

void ModelAnalysis::write_files(const AnalysisReport& told) const {
  if (!out_.empty()) {
    make_folder(out_);
    const std::filesystem::path folder = out_;
    told.write_hdf5(folder / "results.h5");
    told.write_csv(folder);
    write_text(folder / "report.html", told.html());
  }
  if (!report_.empty()) write_text(report_, told.html());
}

int ModelAnalysis::run() {
  if (const std::string wrong = check_options(); !wrong.empty()) {
    fmt::print(stderr, "{}\n", wrong);
    return kBadInput;
  }
  const ModelInput input = read_source(model_, UnreadOptions::allowed).input;
  for (const InputError& error : input.errors) fmt::print(stderr, "{}\n", to_string(error));
  print_errors(input.notes);
  if (!input.errors.empty()) return kBadInput;
  Answer found;
  try {
    found = solve(input.mechanism);
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "{}: {}\n", model_.path, error.what());
    return kBadInput;
  }
  if (!found.told) return tell_outcome(model_, input.mechanism, found.outcome);
  write_files(*found.told);
  fmt::print("{}", json_ ? found.told->json() + "\n" : found.told->text() + found.notes);
  if (!json_ && !report_.empty()) fmt::print("Report: {}\n", report_);
  if (!json_ && !out_.empty()) fmt::print("Results: {}\n", out_);
  return found.outcome.accepted() ? kDone : tell_outcome(model_, input.mechanism, found.outcome);
}

int assemble_or_tell(const ModelOptions& options, std::optional<Simulation>& simulation,
                     const std::vector<std::string>& errors) {
  if (!simulation) {
    print_errors(errors);
    return kBadInput;
  }
  const AssemblyReport assembly = simulation->assemble();
  if (assembly.report.accepted()) return kDone;
  const std::string why = explain(assembly, *simulation);
  fmt::print(stderr, "{}: {}\n", place_of(options.path, simulation->mechanism(), why), why);
  return assembly.report.outcome == Outcome::refused ? kBadInput : kNumbersFailed;
}

}  // namespace trammel::app
