// trammel solve equilibrium: positions in which the forces balance.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <stdexcept>

#include "model/parameter_units.h"
#include "number_span.h"
#include "solve.h"

namespace trammel::app {
namespace {

class EquilibriumAnalysis final : public ModelAnalysis {
 public:
  const char* name() const override { return "equilibrium"; }
  const char* help() const override {
    return "Positions in which the forces balance, and whether they are stable";
  }
  void add_options(CLI::App& command) override {
    add_common(command);
    CLI::Option* stable = command.add_flag(
        "--stable", options_.stable, "Go downhill to a stable equilibrium, instead of to the nearest one");
    CLI::Option* starts = command
                              .add_option("--starts", options_.starts,
                                          "Also search from this many random positions (default 0)")
                              ->check(CLI::Range(0, 1000000))
                              ->excludes(stable);
    command.add_option("--seed", options_.seed, "Seed of the random numbers (default 1)")->needs(starts);
    CLI::Option* along = command.add_option(
        "--along", along_,
        "Follow the equilibrium over a parameter, NAME=FROM:TO, through limit points (snap-through) and "
        "changes of stability (buckling)");
    command.add_option("--points", path_.points, "Largest number of points of the path (default 1000)")
        ->check(CLI::Range(2, 1000000))
        ->needs(along);
    command.add_option("--csv", csv_, "Write the path to this file, with the columns of a run")->needs(along);
    command
        .add_option("--over", over_,
                    "Column for the horizontal axis of the page's plot (default: the one that moves most)")
        ->needs(along);
    command.footer(
        "Drivers hold their positions at t = 0. End-stops are ignored; positions beyond one are reported.\n"
        "A search from random positions does not guarantee that there are no other equilibria.\n"
        "Examples:\n"
        "  trammel solve equilibrium models/double-pendulum.yaml --starts 50\n"
        "  trammel solve equilibrium models/four-bar.yaml --stable --json\n"
        "  trammel solve equilibrium models/truss.yaml --along P=0:100 --report truss.html");
  }

 private:
  std::string check_options() override {
    if (along_.empty()) return {};
    span_ = read_parameter_span(along_, kNoCount);
    const NumberSpan& span = span_;
    if (!span.error.empty())
      return fmt::format(
          "--along: {}; give NAME=FROM:TO, as in load=0:100; steps are chosen, --points limits them",
          span.error);
    if (span.from == span.to)
      return fmt::format("--along: '{}' goes nowhere; give NAME=FROM:TO with two values", along_);
    path_.parameter = span.name;
    path_.from = span.from;
    path_.to = span.to;
    path_.stable = options_.stable;
    return {};
  }
  Answer solve(const Mechanism& mechanism) override {
    if (along_.empty()) return answer(mechanism, trammel::solve_equilibrium(mechanism, options_));
    if (const std::string error = span_.parameter_error(mechanism); !error.empty())
      throw std::invalid_argument(fmt::format("--along {}: {}", along_, error));
    EquilibriumPath found = solve_equilibrium_path(mechanism, path_);
    if (found.points.empty()) return {found.report, std::nullopt};
    found.table.channels.front().unit = model::parameter_unit(mechanism, found.parameter);
    if (!csv_.empty()) write_csv(csv_, found.table);
    return {found.report, AnalysisReport(mechanism, found, over_)};
  }

  EquilibriumOptions options_;
  EquilibriumPathOptions path_;
  std::string along_, csv_, over_;
  NumberSpan span_;
};

}  // namespace

std::unique_ptr<Analysis> make_equilibrium() { return std::make_unique<EquilibriumAnalysis>(); }

}  // namespace trammel::app
