// trammel diff: how two results differ.
#include <fmt/format.h>

#include <stdexcept>

#include "command.h"
#include "commands.h"
#include "results/results_source.h"

namespace trammel::app {
namespace {

constexpr int kDifferent = 1;

class DiffCommand final : public Command {
 public:
  CLI::App* add(CLI::App& app) override {
    CLI::App* command = app.add_subcommand(
        "diff", "List the columns of two results that differ, by how much, and since when");
    command->add_option("a", a_, "results.h5, the folder of a run, or its results.log")->required();
    command->add_option("b", b_, "The other results")->required();
    command
        ->add_option("--relative", allowed_.of_range,
                     "Ignore differences up to this fraction of a column's range (default: 0)")
        ->check(CLI::NonNegativeNumber);
    command->add_flag("--within-errors", allowed_.within_errors,
                      "Ignore differences up to the sum of the estimated errors of both runs");
    command->add_flag("--json", json_, "Print JSON instead of a table");
    command->footer(
        "Rows are compared at the times that both have. Exit status: 0 the same, 1 different, 2 the files\n"
        "cannot be compared.\n"
        "Examples:\n"
        "  trammel diff results/before results/after\n"
        "  trammel diff results/before results/after --within-errors --json");
    return command;
  }

  int run() override {
    try {
      const results::ResultsDifference found =
          results::difference(results::read_results(a_), results::read_results(b_), allowed_);
      fmt::print("{}",
                 json_ ? results::difference_json(found).dump(2) + "\n" : results::difference_text(found));
      return found.is_same() ? kDone : kDifferent;
    } catch (const std::invalid_argument& error) {
      fmt::print(stderr, "{}\n", error.what());
      return kBadInput;
    }
  }

 private:
  std::string a_, b_;
  results::DiffTolerance allowed_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_diff() { return std::make_unique<DiffCommand>(); }

}  // namespace trammel::app
