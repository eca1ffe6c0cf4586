// trammel_bench: every problem by every code, side by side. Started by `trammel bench`.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
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
    row.rule = codes[k]->rules(subject.problem)[0].name;
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

std::vector<Row> measure(const Options& options) {
  const auto codes = all_codes();
  Patience patience;
  if (options.quick) patience = {0.25, 1.5, 0.05};
  std::vector<Row> all;
  for (const Problem& problem : judged_problems()) {
    const auto& wanted = options.problems;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), problem.name) == wanted.end()) continue;
    const Subject subject(problem);
    std::vector<Row> rows;
    for (const auto& code : codes) {
      say(problem.name + ", " + code->name());
      for (Row& row : search(*code, subject, patience)) rows.push_back(std::move(row));
    }
    add_step_rows(codes, subject, patience.repeat, rows);
    say(problem.name + ", instructions");
    if (!options.quick && can_count()) count_instructions(rows, subject.reference.back().t);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  for (Row& row : growth(codes, options.problems, options.quick, say)) all.push_back(std::move(row));
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r{:78}\r", "");
  compare(all);
  return all;
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app{"Measures the speed of Trammel beside kernels written by hand and other programs."};
  std::vector<std::string> names;
  for (const Problem& problem : judged_problems()) names.push_back(problem.name);
  for (const Problem& problem : growing_problems()) names.push_back(problem.name);
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
