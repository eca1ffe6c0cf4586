// trammel_campaign: campaigns that show, over many problems, that figures can be trusted
// (docs/reliability.md).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "estimates.h"
#include "long_runs.h"

int main(int argc, char** argv) {
  CLI::App app("Campaigns: over many problems, can the figures be trusted? (docs/reliability.md)");
  app.require_subcommand(1);
  bool quick = false, markdown = false;
  CLI::App* estimates = app.add_subcommand("estimates", "Error estimates against certified references");
  estimates->add_flag("--quick", quick, "Five problems instead of thirty");
  estimates->add_flag("--markdown", markdown, "Print a table as in docs/reliability.md");
  long steps = 10'000'000;
  CLI::App* long_runs = app.add_subcommand("long-runs", "Ten million steps of motions in closed form");
  long_runs->add_option("--steps", steps, "Of each run, instead")->check(CLI::Range(100'000, 1'000'000'000));
  CLI11_PARSE(app, argc, argv);
  try {
    if (long_runs->parsed()) return trammel::campaigns::check_long_runs(steps) ? 0 : 1;
    return trammel::campaigns::print_estimates(trammel::campaigns::check_estimates(quick), markdown) ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
