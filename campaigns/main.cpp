// trammel_campaign: campaigns that show, over many problems, that figures can be trusted
// (docs/reliability.md).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "estimates.h"
#include "long_runs.h"
#include "random/campaign.h"

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
  std::string only;
  long_runs->add_option("--only", only, "Only the runs whose name contains this, as \"wheel\"");
  trammel::campaigns::random::Options random;
  CLI::App* mechanisms = app.add_subcommand("random", "Random mechanisms against an independent oracle");
  mechanisms->add_option("--count", random.count, "How many");
  mechanisms->add_option("--seed", random.seed, "The first; each mechanism has the next one");
  mechanisms->add_option("--seeds", random.seeds, "These mechanisms instead, as 7,12")->delimiter(',');
  mechanisms->add_option("--explained", random.explained,
                         "A file of disagreements whose reason is known: lines of seed, kind, reason");
  mechanisms->add_option("--plans", random.plans, "Plans drawn for each, besides the default one");
  mechanisms->add_flag("--shrink", random.shrink, "Reduce failures to small models");
  mechanisms->add_flag("--verbose", random.verbose, "A line for each run");
  mechanisms->add_option("--out", random.out, "Folder for models that fail");
  mechanisms->add_option("--keep", random.keep, "Folder for the most different mechanisms, as tests");
  mechanisms->add_option("--kept", random.kept, "How many of these");
  CLI11_PARSE(app, argc, argv);
  try {
    if (long_runs->parsed()) return trammel::campaigns::check_long_runs(steps, only) ? 0 : 1;
    if (mechanisms->parsed()) return trammel::campaigns::random::run_random(random) ? 0 : 1;
    return trammel::campaigns::print_estimates(trammel::campaigns::check_estimates(quick), markdown) ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
