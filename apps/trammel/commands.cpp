#include "commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "expressions/nearest_name.h"
#include "model_source.h"
#include "output_files.h"
#include "reproduce/report.h"
#include "results/report/acceptance_report.h"
#include "results/report/assembly_report.h"
#include "results/report/compare_report.h"
#include "results/report/mechanism_kinds.h"
#include "results/report/mobility_report.h"
#include "results/report/reaction_report.h"
#include "simulation/method_table.h"
#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::app {

namespace fs = std::filesystem;

int check_command(const CheckOptions& options) {
  const auto fail = [&](const std::vector<std::string>& errors, int status) {
    if (options.json) {
      // Nothing is known: no figure reads as zero.
      nlohmann::ordered_json j = results::mobility_json({});
      for (auto& [key, value] : j.items())
        if (!value.is_array()) value = nullptr;
      j["errors"] = errors;
      fmt::print("{}\n", j.dump(2));
    } else {
      print_errors(errors);
    }
    return status;
  };
  std::vector<std::string> errors;
  std::optional<Simulation> simulation = load(options.model, errors);
  if (!simulation) return fail(errors, kBadInput);
  const AssemblyReport assembly = simulation->assemble();
  if (!assembly.report.accepted()) {
    const std::string why = explain(assembly, *simulation);
    return fail({fmt::format("{}: {}", place_of(options.model.path, simulation->mechanism(), why), why)},
                kNumbersFailed);
  }
  const analysis::MobilityCheck m = analysis::check_mobility(*simulation);
  const simulation::ReactionCheck reactions = simulation::check_reactions(*simulation);
  if (options.json) {
    nlohmann::ordered_json j = results::mobility_json(m, reactions);
    j["reactions_without"] = results::not_in_reactions(simulation->mechanism());
    j["assembly"] = results::assembly_json(assembly);
    fmt::print("{}\n", j.dump(2));
  } else {
    fmt::print("{}", results::mobility_text(simulation->mechanism(), m, reactions, assembly));
  }
  return kDone;
}

int compare_command(const CompareOptions& options) {
  std::vector<std::string> errors;
  std::optional<Simulation> simulation = load(options.model, errors, UnreadOptions::allowed);
  const auto check_names = [&](const char* what, const std::vector<std::string>& names,
                               const std::vector<std::string>& known) {
    for (const std::string& name : names)
      if (std::find(known.begin(), known.end(), name) == known.end())
        errors.push_back(
            fmt::format("there is no {} '{}'; {}", what, name, expressions::choice_advice(name, known)));
  };
  check_names("integrator", options.integrators, simulation::known_integrators());
  std::vector<std::string> formulations = simulation::known_formulations();
  formulations.emplace_back(kAutomatic);
  check_names("formulation", options.formulations, formulations);
  if (!errors.empty()) {
    print_errors(errors);
    return kBadInput;
  }
  if (!options.report.empty()) require_writable(options.report);
  const Mechanism& mechanism = simulation->mechanism();
  const Plan& plan = mechanism.plan;
  const bool shown = isatty(STDERR_FILENO);
  const auto next = [&](const std::string& what) {
    if (shown) fmt::print(stderr, "\r{:78}\r{} … ", "", what);
  };
  const analysis::Comparisons compared =
      analysis::compare(mechanism, plan, {options.formulations, options.integrators}, next);
  const std::vector<analysis::Comparison>& rows = compared.rows;
  std::optional<analysis::WorkPrecision> measured;
  if (options.precision || !options.report.empty())
    measured = analysis::work_precision(mechanism, compared, next);
  if (shown) fmt::print(stderr, "\r{:78}\r", "");
  const analysis::WorkPrecision* curves = measured ? &*measured : nullptr;
  if (!options.report.empty())
    write_text(options.report, results::comparison_page(mechanism, plan, rows, *measured));
  fmt::print("{}", options.json ? results::comparison_json(compared, curves).dump(2) + "\n"
                                : results::comparison_text(compared));
  if (!options.report.empty() && !options.json) fmt::print("Report: {}\n", options.report);
  const bool any =
      std::any_of(rows.begin(), rows.end(), [](const analysis::Comparison& c) { return c.steps > 0; });
  return any ? kDone : kNumbersFailed;
}

int formulations_command(const FormulationsOptions& options) {
  std::vector<results::Accepted> subjects;
  if (options.model.path.empty()) {
    for (const results::MechanismKind& kind : results::mechanism_kinds())
      subjects.push_back({kind.name, kind.meaning, analysis::acceptance(kind.example, kind.example.plan)});
  } else {
    const ModelInput input = read_source(options.model, UnreadOptions::allowed).input;
    for (const InputError& error : input.errors) fmt::print(stderr, "{}\n", to_string(error));
    if (!input.errors.empty()) return kBadInput;
    subjects.push_back(
        {input.mechanism.name, "", analysis::acceptance(input.mechanism, input.mechanism.plan)});
  }
  fmt::print("{}", options.json       ? results::acceptance_json(subjects).dump(2) + "\n"
                   : options.markdown ? results::acceptance_markdown(subjects)
                                      : results::acceptance_text(subjects));
  return kDone;
}

namespace {

void list_items(const std::vector<reproduce::Paper>& papers) {
  for (const reproduce::Paper& paper : papers) {
    fmt::print("{}: {}\n", paper.name, paper.authors);
    for (const reproduce::Item& item : paper.items)
      fmt::print("  {:<44} {:3} figures   {} ({})\n", item.id(), item.rows.size(), item.title, item.where);
  }
}

// A figure that failed has no verdict that could be recorded.
void record_verdicts(const reproduce::Library& library, const std::vector<reproduce::PaperResult>& results) {
  for (const reproduce::PaperResult& paper : results) {
    std::map<std::string, std::string> verdicts = paper.paper.recorded;
    // What was recorded of a row that is no more goes.
    std::erase_if(verdicts, [&](const auto& recorded) {
      return std::ranges::any_of(paper.items, [&](const reproduce::ItemResult& item) {
        const std::string start = item.item.name + "/";
        return recorded.first.starts_with(start) &&
               std::ranges::none_of(item.rows, [&](const reproduce::RowResult& row) {
                 return start + row.row.key == recorded.first;
               });
      });
    });
    for (const reproduce::ItemResult& item : paper.items)
      for (const reproduce::RowResult& row : item.rows)
        if (row.judgement.verdict != reproduce::Verdict::failed)
          verdicts[item.item.name + "/" + row.row.key] = row.verdict;
    reproduce::write_recorded(library, paper.paper.name, verdicts);
  }
}

}  // namespace

int reproduce_command(const ReproduceOptions& options) {
  const reproduce::Library library = reproduce::find_library(options.papers, fs::canonical("/proc/self/exe"));
  const std::vector<reproduce::Paper> papers =
      reproduce::selected(reproduce::read_papers(library), options.wanted);
  if (options.list) {
    list_items(papers);
    return kDone;
  }
  const fs::path page = options.out;
  if (!page.empty()) require_writable(page);
  const bool shown = isatty(STDERR_FILENO);
  const std::vector<reproduce::PaperResult> results =
      reproduce::reproduce(papers, reproduce::read_optional_features(library), [&](const std::string& item) {
        if (shown) fmt::print(stderr, "\r{:78}\r{} … ", "", item);
      });
  if (shown) fmt::print(stderr, "\r{:78}\r", "");
  if (!page.empty()) write_text(page, reproduce::validation_page(results));
  fmt::print("{}", options.json ? reproduce::reproduction_json(results).dump(2) + "\n"
                                : reproduce::reproduction_text(results));
  if (!page.empty() && !options.json) fmt::print("Page: {}\n", page.string());
  std::vector<std::string> worse = reproduce::regressions(results);
  if (options.record) {
    record_verdicts(library, results);
    std::erase_if(worse,
                  [](const std::string& line) { return line.find(": failed: ") == std::string::npos; });
  }
  if (worse.empty()) return kDone;
  fmt::print(
      stderr,
      "{} of the verdicts failed or are worse than recorded in '{}' (--record records these instead):\n",
      worse.size(), library.papers.string());
  print_errors(worse);
  return kNumbersFailed;
}

}  // namespace trammel::app
