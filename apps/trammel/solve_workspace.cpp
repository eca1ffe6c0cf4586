// trammel solve workspace: every place that a point reaches.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "command_options.h"
#include "results/report/workspace_report.h"
#include "solve.h"

namespace trammel::app {
namespace {

class WorkspaceAnalysis final : public Analysis {
 public:
  const char* name() const override { return "workspace"; }
  const char* help() const override {
    return "Every place that a point reaches, over all freedoms and within joint limits";
  }
  void add_options(CLI::App& command) override {
    add_model_options(command, model_, false);
    command.add_option(
        "--point", options_.point,
        "A point of the model, BODY.POINT or BODY.com (default: the last point that moves, or the "
        "centre of mass of the last body)");
    command
        .add_option("--spacing", options_.spacing,
                    "Between positions: 1 where a body turns by a radian, or moves by the mechanism's size")
        ->check(CLI::PositiveNumber);
    command.add_option("--samples", options_.most, "So many positions at most (default 20000)")
        ->check(CLI::PositiveNumber);
    command
        .add_option("--starts", options_.starts,
                    "Random positions, for parts that no motion connects (default 20)")
        ->check(CLI::NonNegativeNumber);
    command.add_option("--seed", options_.seed, "Of the random positions (default 1)");
    command.add_flag("--json", json_, "Print JSON instead of a summary");
    command.footer(
        "Drivers are left out: all freedoms are gone through, within end-stops. In the plane the boundary is "
        "a\n"
        "polygon, in space there are points only. Parts that random positions do not meet are not found.\n"
        "Examples:\n"
        "  trammel solve workspace models/double-pendulum.yaml\n"
        "  trammel solve workspace models/four-bar.yaml --point P --json");
  }
  int run() override {
    ModelInput input;
    if (!read_or_tell(model_, input)) return kBadInput;
    if (options_.point.empty()) options_.point = usual_point(input.mechanism);
    analysis::Workspace found;
    try {
      found = analysis::workspace(input.mechanism, input.mechanism.plan, options_);
    } catch (const std::invalid_argument& error) {
      fmt::print(stderr, "{}: {}\n", model_.path, error.what());
      return kBadInput;
    }
    if (!found.report.accepted()) return tell_failure(model_, found.report);
    fmt::print("{}", json_ ? results::workspace_json(input.mechanism, found).dump() + "\n"
                           : fmt::format("Point {}\n", options_.point) +
                                 results::workspace_text(input.mechanism, found));
    return kDone;
  }

 private:
  static std::string usual_point(const Mechanism& mechanism) {
    std::string usual = mechanism.bodies.empty() ? "" : mechanism.bodies.back().name + ".com";
    for (const Point& point : mechanism.points) {
      bool moves = !point.on.empty();
      for (const Marker& marker : point.on) moves = moves && marker.body != kGround;
      if (moves) usual = point.name;
    }
    return usual;
  }

  ModelOptions model_;
  analysis::WorkspaceOptions options_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Analysis> make_workspace() { return std::make_unique<WorkspaceAnalysis>(); }

}  // namespace trammel::app
