#include "import_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "commands.h"
#include "model_source.h"
#include "output_files.h"
#include "trammel/run.h"

namespace trammel::app {
namespace {

using Json = nlohmann::ordered_json;

// m: rounding of the places in a file moves a start pose by less.
constexpr double kRoundingMove = 1e-12;

// How the start pose closes its loops.
struct ImportedStart {
  double largest_move = 0;  // m
  std::string failure;      // empty: it closes
};

ImportedStart assemble_start(const Mechanism& mechanism) {
  try {
    Simulation simulation(mechanism, mechanism.plan);
    const AssemblyReport assembly = simulation.assemble();
    return {assembly.largest_move, assembly.report.accepted() ? "" : explain(assembly, simulation)};
  } catch (const std::invalid_argument& refused) {
    return {0, refused.what()};
  }
}

Json ledger_json(const Imported& imported) {
  Json ledger = Json::array();
  for (const LedgerEntry& entry : imported.ledger) {
    Json row{{"element", entry.element},
             {"line", entry.line},
             {"outcome", to_string(entry.outcome)},
             {"reason", entry.reason}};
    if (entry.file != imported.path) row["file"] = entry.file;
    ledger.push_back(std::move(row));
  }
  return ledger;
}

std::string counts(const Imported& imported) {
  std::string text;
  for (const Treatment outcome : {Treatment::used, Treatment::drawn, Treatment::ignored}) {
    const auto count = std::ranges::count(imported.ledger, outcome, &LedgerEntry::outcome);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(outcome));
  }
  return text;
}

}  // namespace

CLI::App* ImportCommand::add_options(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "import", "Convert a URDF, MJCF or SDF file to a model file, and report how its elements were treated");
  command->add_option("file", path, "The file")->required();
  command->add_option("--out", out, "File for the model (default: standard output)");
  command
      ->add_option(
          "--base", base,
          "fixed: the root is fixed to ground; free: it floats (default: as in the file; URDF: fixed)")
      ->check(CLI::IsMember({"fixed", "free"}));
  command->add_option("--loops", options.loops,
                      "URDF: the side file with closed_loop (default: the .yaml file beside it)");
  command->add_flag("--strict", options.strict, "Refuse the file if an ignored element affects the motion");
  command->add_flag("--accept-inertia", options.accept_inertia,
                    "Replace physically impossible inertias by the nearest possible ones");
  command->add_flag("--json", json, "Print the model and the list of all elements as JSON");
  command->footer(
      "'trammel run', 'check', 'view', 'compare' and tr.load() in Python also read such files directly.\n"
      "Example:\n  trammel import robot.urdf --out robot.yaml");
  return command;
}

int ImportCommand::run() {
  options.base = base.empty() ? Base::as_in_file : base == "free" ? Base::free : Base::fixed;
  if (!out.empty()) options.model_folder = std::filesystem::absolute(out).parent_path().string();
  Imported imported = import_model(path, options);
  const ModelInput input = read_imported(imported, {}, UnreadOptions::allowed);
  std::vector<std::string> errors;
  for (const InputError& error : input.errors) errors.push_back(to_string(error));
  ImportedStart start;
  if (errors.empty()) start = assemble_start(input.mechanism);
  if (json) {
    Json all{{"model", errors.empty() ? Json(imported.model) : Json()},
             {"ledger", ledger_json(imported)},
             {"notes", input.notes},
             {"errors", errors}};
    if (errors.empty())
      all["start"] = {{"largest_move", imported.closing_move + start.largest_move},
                      {"failure", start.failure}};
    fmt::print("{}\n", all.dump(2, ' ', false, Json::error_handler_t::replace));
  } else if (errors.empty()) {
    if (out.empty()) fmt::print("{}", imported.model);
    print_errors(input.notes);
    fmt::print(stderr, "{}: elements and attributes: {}\n", path, counts(imported));
    if (!start.failure.empty())
      fmt::print(stderr, "{}: the start pose cannot be assembled: {}\n", path, start.failure);
    else if (start.largest_move > kRoundingMove)
      fmt::print(stderr, "{}: assembly moves the start pose by at most {:.3g} m\n", path, start.largest_move);
  } else {
    print_errors(errors);
  }
  if (!errors.empty()) return kBadInput;
  if (!out.empty()) write_text(out, imported.model);
  return start.failure.empty() ? kDone : kNumbersFailed;
}

}  // namespace trammel::app
