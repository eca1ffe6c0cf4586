// trammel solve positions: where the joints close, and the assembly branches.
#include <CLI/CLI.hpp>

#include "solve.h"

namespace trammel::app {
namespace {

class PositionsAnalysis final : public ModelAnalysis {
 public:
  const char* name() const override { return "positions"; }
  const char* help() const override {
    return "Positions in which the joints close, from rough places; all assembly branches";
  }
  void add_options(CLI::App& command) override {
    add_common(command);
    CLI::Option* all =
        command.add_flag("--all", all_, "Search for all assembly branches, from random places");
    command
        .add_option("--starts", starts_,
                    "Number of random starts (default: 1000, and more until each branch was found 8 times)")
        ->check(CLI::Range(1, 100000000))
        ->needs(all);
    command.add_option("--seed", options_.seed, "Seed of the random numbers (default 1)")->needs(all);
    command.footer(
        "Drivers have their values at t = 0; freedoms without a driver are held at their start values.\n"
        "The first branch is the one nearest to the places in the model; the others follow by their "
        "distance\n"
        "from it, the largest move of a point of a body. Another first branch: change places with --set.\n"
        "Examples:\n"
        "  trammel solve positions models/four-bar.yaml --all\n"
        "  trammel solve positions models/andrews.yaml --all --starts 5000 --json");
  }

 private:
  Answer solve(const Mechanism& mechanism) override {
    options_.starts = all_ ? starts_ : 0;
    return answer(mechanism, solve_positions(mechanism, options_));
  }

  PositionsOptions options_;
  long starts_ = kUntilSettled;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Analysis> make_positions() { return std::make_unique<PositionsAnalysis>(); }

}  // namespace trammel::app
