// trammel solve equilibrium: positions in which the forces balance.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "command_options.h"
#include "model_source.h"
#include "number_span.h"
#include "output_files.h"
#include "results/report/equilibrium_report.h"
#include "results/report/path_report.h"
#include "solve.h"
#include "trammel/results.h"

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
    CLI::Option* along = command.add_option(
        "--along", along_,
        "Follow the equilibrium over a parameter, NAME=FROM:TO, through limit points (snap-through)");
    command.add_option("--points", points_, "Of the path, at most (default 1000)")
        ->check(CLI::Range(2, 1000000))
        ->needs(along);
    command.add_option("--csv", csv_, "Write the path to this file: columns as of a run")->needs(along);
    command.add_option("--report", report_, "Write a page with a plot of the parameter over a displacement")
        ->needs(along);
    command
        .add_option("--over", over_, "The column of that plot's horizontal axis (default: what moves most)")
        ->needs(along);
    command.add_flag("--json", json_, "Print JSON instead of a table");
    command.footer(
        "Drivers hold the positions that they have at t = 0. End-stops are left out; what lies beyond one is "
        "told.\n"
        "Random positions find what they happen to lead to: that there are no others is not guaranteed.\n"
        "Examples:\n"
        "  trammel solve equilibrium models/double-pendulum.yaml --starts 50\n"
        "  trammel solve equilibrium models/four-bar.yaml --stable --json\n"
        "  trammel solve equilibrium models/truss.yaml --along P=0:100 --report truss.html");
  }
  int run() override {
    if (!along_.empty()) return follow();
    std::vector<std::string> errors;
    std::optional<Simulation> simulation = load(model_, errors, UnreadOptions::allowed);
    if (const int failed = assemble_or_tell(model_, simulation, errors); failed != kDone) return failed;
    const auto system = simulation->shared_system();
    std::vector<analysis::Equilibrium> found;
    if (starts_ > 0) {
      found = analysis::find_equilibria(*simulation, analysis::Regime::statics, starts_);
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
  int follow() {
    const std::optional<NumberSpan> span = read_named_span(along_, 2);
    if (!span || span->from == span->to) {
      fmt::print(stderr, "--along: '{}' is not NAME=FROM:TO with two values, as in load=0:100\n", along_);
      return kBadInput;
    }
    ModelInput input;
    if (!read_or_tell(model_, input)) return kBadInput;
    if (!input.mechanism.parameters.contains(span->name)) {
      fmt::print(stderr, "{}: there is no parameter '{}'\n", model_.path, span->name);
      return kBadInput;
    }
    const analysis::EquilibriumPath path =
        analysis::follow_equilibria(input.mechanism, span->name, span->from, span->to,
                                    stable_ ? analysis::Seek::stable : analysis::Seek::nearest, points_);
    if (path.points.empty()) return tell_failure(model_, path.report);
    const Trajectory table = results::path_table(input.mechanism, span->name, path);
    if (!over_.empty() && table.find(over_) < 0) {
      fmt::print(stderr, "--over: there is no column '{}'; --csv shows their names\n", over_);
      return kBadInput;
    }
    if (!csv_.empty()) write_csv(csv_, table);
    if (!report_.empty()) write_text(report_, results::path_page(input.mechanism, table, path, over_));
    fmt::print("{}", json_
                         ? nlohmann::ordered_json({{"path", results::path_json(table, path)}}).dump(2) + "\n"
                         : results::path_text(table, path));
    if (!json_ && !report_.empty()) fmt::print("Report: {}\n", report_);
    return path.report.accepted() ? kDone : tell_failure(model_, path.report);
  }

  ModelOptions model_;
  std::string along_, csv_, report_, over_;
  bool stable_ = false, json_ = false;
  int starts_ = 0, points_ = 1000;
};

}  // namespace

std::unique_ptr<Analysis> make_equilibrium() { return std::make_unique<EquilibriumAnalysis>(); }

}  // namespace trammel::app
