// trammel solve workspace: every place that a point reaches.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "progress.h"
#include "solve.h"

namespace trammel::app {
namespace {

class WorkspaceAnalysis final : public ModelAnalysis {
 public:
  const char* name() const override { return "workspace"; }
  const char* help() const override {
    return "Every place that a point reaches, over all freedoms and within joint limits";
  }
  void add_options(CLI::App& command) override {
    add_common(command);
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
    command.footer(
        "Drivers are left out: all freedoms are gone through, within end-stops. In the plane the boundary is "
        "a\n"
        "polygon, in space there are points only. Parts that random positions do not meet are not found.\n"
        "Examples:\n"
        "  trammel solve workspace models/double-pendulum.yaml\n"
        "  trammel solve workspace models/four-bar.yaml --point P --json");
  }

 private:
  Answer solve(const Mechanism& mechanism) override {
    const Workspace found = [&] {
      ProgressLine line(false);
      remember_interrupt();
      options_.go_on = [&](std::size_t positions, std::size_t tried) {
        double since = 0;
        const double part = static_cast<double>(tried) / static_cast<double>(positions);
        if (line.is_due(part, since)) line.show(part, fmt::format("{} positions", positions));
        return !is_interrupted();
      };
      return solve_workspace(mechanism, options_);
    }();
    Answer out = answer(mechanism, found);
    if (found.interrupted) {
      out.outcome.outcome = Outcome::not_converged;
      out.outcome.message = fmt::format("interrupted after {} positions", found.points.size());
    }
    return out;
  }

  WorkspaceOptions options_;
};

}  // namespace

std::unique_ptr<Analysis> make_workspace() { return std::make_unique<WorkspaceAnalysis>(); }

}  // namespace trammel::app
