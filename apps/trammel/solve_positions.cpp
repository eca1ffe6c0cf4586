// trammel solve positions: where the joints close, and the assembly branches.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "command_options.h"
#include "results/report/positions_report.h"
#include "solve.h"

namespace trammel::app {
namespace {

class PositionsAnalysis final : public Analysis {
 public:
  const char* name() const override { return "positions"; }
  const char* help() const override {
    return "Where the joints close from rough places; all assembly branches";
  }
  void add_options(CLI::App& command) override {
    add_model_options(command, model_, false);
    CLI::Option* all =
        command.add_flag("--all", all_, "Search for all assembly branches, from random places");
    command.add_option("--starts", starts_, "So many random places (default 1000)")
        ->check(CLI::Range(1, 100000000))
        ->needs(all);
    command.add_option("--seed", seed_, "Of the random places (default 1)")->needs(all);
    command.add_flag("--json", json_, "Print JSON instead of a table");
    command.footer(
        "Drivers have their values at t = 0; freedoms that nothing drives are held at their start values.\n"
        "The first branch is the one nearest to the model's own places.\n"
        "Examples:\n"
        "  trammel solve positions models/four-bar.yaml --all\n"
        "  trammel solve positions models/andrews.yaml --all --starts 5000 --json");
  }
  int run() override {
    ModelInput input;
    if (!read_or_tell(model_, input)) return kBadInput;
    const analysis::DrivenStart start = analysis::driven_start(
        analysis::with_masses(input.mechanism), input.mechanism.plan, analysis::Undriven::held, true);
    if (!start.report.accepted()) return tell_failure(model_, start.report);
    const results::PositionsResult found{
        start.held, start.largest_move,
        analysis::find_branches(*start.simulation, all_ ? starts_ : 0, seed_)};
    fmt::print("{}", json_ ? results::positions_json(input.mechanism, found).dump(2) + "\n"
                           : results::positions_text(input.mechanism, found));
    return kDone;
  }

 private:
  ModelOptions model_;
  long starts_ = 1000;
  std::uint64_t seed_ = 1;
  bool all_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Analysis> make_positions() { return std::make_unique<PositionsAnalysis>(); }

}  // namespace trammel::app
