// trammel_bench: every problem by every code, side by side. Started by `trammel bench`.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>

#include "counting.h"
#include "growth.h"
#include "references.h"
#include "report.h"

namespace {

using namespace trammel::bench;

struct Options {
  std::vector<std::string> problems;
  bool json = false, quick = false, make_references = false;
  std::string page, count;
};

void say(const std::string& what) {
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r{:78}\r{} …", "", what);
}

// Trammel's default method and the yardstick with the same step.
void add_step_rows(const std::vector<std::unique_ptr<Code>>& codes, const Subject& subject, double repeat,
                   std::vector<Row>& rows) {
  if (codes[1]->rules(subject.problem).empty()) return;
  for (std::size_t k = 0; k < 2; ++k) {
    Row row;
    row.problem = subject.problem.name;
    row.solver = codes[k]->name();
    row.accuracy = "step";
    row.rule = codes[k]->growth_rules(subject.problem).front().name;
    row.value = subject.problem.step;
    const IsolatedResult result = isolated(60, [&](const Emit& emit) {
      time_row(*codes[k], subject, row, repeat);
      emit(row);
    });
    if (!result.rows.empty()) row = result.rows.front();
    row.note = result.failure;
    rows.push_back(row);
  }
}

// Peers need not be waited for longer than shows that Trammel leads by more than anybody asks.
constexpr double kLead = 30;

Patience patience_for_peers(const std::vector<Row>& rows, const Subject& subject, Patience patience) {
  for (const Row& row : rows)
    if (row.solver == "Trammel" && row.accuracy == "precise" && row.met()) {
      const double seconds = 1e-3 * *row.ms_per_simulated_second * subject.reference.back().t;
      const double enough = std::clamp(kLead * seconds / patience.run, 0.1, 1.0);
      patience.run *= enough;
      patience.rule *= enough;
    }
  return patience;
}

std::vector<Row> measure_problem(const std::vector<std::unique_ptr<Code>>& codes, const Problem& problem,
                                 bool quick) {
  Patience patience;
  if (quick) patience = {0.12, 0.24, 0.03};
  const Subject subject(problem);
  std::vector<Row> rows;
  for (const auto& code : codes) {
    say(problem.name + ", " + code->name());
    const Patience its = code->is_peer() && !quick ? patience_for_peers(rows, subject, patience) : patience;
    for (Row& row : search(*code, subject, its)) rows.push_back(std::move(row));
  }
  add_step_rows(codes, subject, patience.repeat, rows);
  if (!quick && can_count()) {
    say(problem.name + ", instructions");
    count_instructions(rows, subject.reference.back().t);
  }
  return rows;
}

std::vector<Row> measure(const Options& options) {
  const auto codes = all_codes();
  const auto& wanted = options.problems;
  std::vector<Row> all;
  for (const Problem& problem : judged_problems())
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), problem.name) != wanted.end())
      for (Row& row : measure_problem(codes, problem, options.quick)) all.push_back(std::move(row));
  for (Row& row : growth(codes, wanted, options.quick, say)) all.push_back(std::move(row));
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r{:78}\r", "");
  compare(all);
  return all;
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app{"Measures the speed of Trammel beside kernels written by hand and other programs."};
  std::vector<std::string> names;
  for (const Problem& problem : judged_problems()) names.push_back(problem.name);
  for (const Problem& problem : growing_problems())
    if (std::find(names.begin(), names.end(), problem.name) == names.end()) names.push_back(problem.name);
  app.add_option("problem", options.problems, "Problems to measure; none: all")->check(CLI::IsMember(names));
  app.add_flag("--json", options.json, "Print JSON instead of tables");
  app.add_flag("--quick", options.quick, "Less patience, no instruction counts: under a minute");
  app.add_option("--write", options.page, "Write the page docs/performance.md to this file");
  app.add_flag("--make-references", options.make_references, "Compute bench/references anew, for developers")
      ->group("");
  app.add_option("--count", options.count, "Make the runs that a file lists, under callgrind")->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (options.make_references) return make_references();
  if (!options.count.empty()) return make_counted_runs(options.count);
  const std::vector<Row> rows = measure(options);
  if (!options.page.empty()) {
    std::ofstream file(options.page);
    file << page(rows);
    file.close();
    if (!file) throw std::runtime_error(fmt::format("cannot write '{}'", options.page));
  }
  fmt::print("{}", options.json ? json(rows).dump(2) + "\n" : tables(rows));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "trammel bench: " << error.what() << "\n";
    return 2;
  }
}
