// trammel solve stability: what one step does to a small deviation.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "command_options.h"
#include "model_source.h"
#include "results/report/stability_report.h"
#include "solve.h"

namespace trammel::app {
namespace {

class StabilityAnalysis final : public Analysis {
 public:
  const char* name() const override { return "stability"; }
  const char* help() const override {
    return "The eigenvalues of one step of a formulation and integrator, about a position of rest";
  }
  void add_options(CLI::App& command) override {
    add_model_options(command, model_);
    command.add_option("--step", steps_, "Step in seconds (may be given again)")
        ->take_all()
        ->allow_extra_args(false);
    command.add_flag("--json", json_, "Print JSON instead of a table");
    command.footer(
        "Example:\n  trammel solve stability models/welch-double-pendulum.yaml --set parameters.g=0 "
        "--formulation algebraic --step 0.01 --step 1");
  }
  int run() override {
    std::vector<ModelOptions> each(std::max<std::size_t>(steps_.size(), 1), model_);
    for (std::size_t k = 0; k < steps_.size(); ++k) each[k].simulate.push_back("--step=" + steps_[k]);
    ResolvedPlan plan;
    std::vector<analysis::Stability> results;
    int status = kDone;
    for (const ModelOptions& one : each) {
      std::vector<std::string> errors;
      std::optional<Simulation> simulation = load(one, errors);
      if (const int failed = assemble_or_tell(model_, simulation, errors); failed != kDone) return failed;
      plan = simulation->resolved();
      results.push_back(analysis::stability(simulation->mechanism(), simulation->plan()));
      const Report& report = results.back().report;
      if (report.accepted()) continue;
      status = report.outcome == Outcome::refused ? kBadInput : kNumbersFailed;
      if (!json_) fmt::print(stderr, "{}: {}\n", model_.path, results::stability_failure(results.back()));
    }
    fmt::print("{}", json_ ? results::stability_json(plan, results).dump(2) + "\n"
                           : results::stability_text(plan, results));
    return status;
  }

 private:
  ModelOptions model_;
  std::vector<std::string> steps_;  // as of --step; none: the model's own
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Analysis> make_stability() { return std::make_unique<StabilityAnalysis>(); }

}  // namespace trammel::app
