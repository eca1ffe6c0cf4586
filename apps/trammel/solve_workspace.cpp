// trammel solve workspace: every place that a point reaches.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "command_options.h"
#include "progress.h"
#include "solve.h"

namespace trammel::app {
namespace {

class WorkspaceAnalysis final : public ModelAnalysis {
 public:
  const char* name() const override { return "workspace"; }
  const char* help() const override { return "All places that a point can reach, within joint limits"; }
  void add_options(CLI::App& command) override {
    add_common(command);
    command.add_option(
        "--point", options_.point,
        "A point of the model, BODY.POINT or BODY.com (default: the last point that moves, or the "
        "centre of mass of the last body)");
    command
        .add_option("--spacing", options_.spacing,
                    "Distance of samples: 1 is a rotation by a radian, or a motion by the mechanism's size")
        ->check(positive_number());
    command.add_option("--samples", options_.most, "Largest number of positions (default 20000)")
        ->check(positive_number());
    command
        .add_option("--starts", options_.starts,
                    "Number of random starts, to find parts that no motion connects (default 20)")
        ->check(CLI::Range(0, 1000000000));
    command.add_option("--seed", options_.seed, "Seed of the random numbers (default 1)");
    command.footer(
        "Drivers are ignored: all freedoms move within their end-stops. In the plane the boundary is a "
        "polygon,\n"
        "in space there are points only. Parts that no random start reaches are not found.\n"
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
