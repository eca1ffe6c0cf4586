// trammel solve equilibrium: positions in which the forces balance.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "command_options.h"
#include "model_source.h"
#include "results/report/equilibrium_report.h"
#include "solve.h"

namespace trammel::app {
namespace {

class EquilibriumAnalysis final : public Analysis {
 public:
  const char* name() const override { return "equilibrium"; }
  const char* help() const override {
    return "Positions in which the forces balance, and whether they are stable";
  }
  void add_options(CLI::App& command) override {
    add_model_options(command, model_, false);
    CLI::Option* stable = command.add_flag(
        "--stable", stable_, "Go downhill to a stable one, instead of to the nearest of any kind");
    command.add_option("--starts", starts_, "Also search from so many random positions (default 0)")
        ->check(CLI::Range(0, 1000000))
        ->excludes(stable);
    command.add_flag("--json", json_, "Print JSON instead of a table");
    command.footer(
        "Drivers hold the positions that they have at t = 0. End-stops are left out; what lies beyond one is "
        "told.\n"
        "Random positions find what they happen to lead to: that there are no others is not guaranteed.\n"
        "Examples:\n"
        "  trammel solve equilibrium models/double-pendulum.yaml --starts 50\n"
        "  trammel solve equilibrium models/four-bar.yaml --stable --json");
  }
  int run() override {
    std::vector<std::string> errors;
    std::optional<Simulation> simulation = load(model_, errors, UnreadOptions::allowed);
    if (const int failed = assemble_or_tell(model_, simulation, errors); failed != kDone) return failed;
    const auto system = simulation->shared_system();
    std::vector<analysis::Equilibrium> found;
    if (starts_ > 0) {
      found = analysis::find_equilibria(system, simulation->state(), analysis::Regime::statics, starts_);
      if (found.empty()) {
        Report none;
        none.outcome = Outcome::not_converged;
        none.message =
            fmt::format("no equilibrium was found from the start and {} random positions", starts_);
        return tell_failure(model_, none);
      }
    } else {
      found.push_back(analysis::find_equilibrium(system, simulation->state(), analysis::Regime::statics,
                                                 stable_ ? analysis::Seek::stable : analysis::Seek::nearest));
      if (!found.front().report.accepted()) return tell_failure(model_, found.front().report);
    }
    fmt::print("{}", json_ ? results::equilibrium_json(*simulation, found).dump(2) + "\n"
                           : results::equilibrium_text(*simulation, found));
    return kDone;
  }

 private:
  ModelOptions model_;
  bool stable_ = false, json_ = false;
  int starts_ = 0;
};

}  // namespace

std::unique_ptr<Analysis> make_equilibrium() { return std::make_unique<EquilibriumAnalysis>(); }

}  // namespace trammel::app
