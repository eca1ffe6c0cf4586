// trammel solve kinematics: positions, velocities and accelerations that drivers prescribe.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "command_options.h"
#include "output_files.h"
#include "results/report/kinematics_report.h"
#include "solve.h"

namespace trammel::app {
namespace {

class KinematicsAnalysis final : public Analysis {
 public:
  const char* name() const override { return "kinematics"; }
  const char* help() const override {
    return "Positions, velocities and accelerations that drivers prescribe; singular and dead positions";
  }
  void add_options(CLI::App& command) override {
    add_model_options(command, model_, false);
    add_keys(command, model_, {"duration"});
    command.add_option("--rows", rows_, "So many intervals between rows (default: those of a run)")
        ->check(CLI::Range(1, 10000000));
    command.add_option(
        "--ratio-to", choice_.ratio_to,
        "Also the speed of each joint by that of this driver, joint or planar body, and its derivative");
    command.add_option("--curve", choice_.curves,
                       "Also the curve of this point: velocity, acceleration, curvature");
    command.add_option("--out", out_, "Folder for results.csv with all columns");
    command.add_flag("--json", json_, "Print JSON instead of a table");
    command.footer(
        "Freedoms that nothing drives are held at their start values. Masses do not matter; end-stops are "
        "left out.\n"
        "Examples:\n"
        "  trammel solve kinematics models/driven-slider-crank.yaml --ratio-to motor --curve B\n"
        "  trammel solve kinematics models/cam-follower.yaml --json");
  }
  int run() override {
    ModelInput input;
    if (!read_or_tell(model_, input)) return kBadInput;
    Plan plan = input.mechanism.plan;
    if (rows_ > 0) plan.output_interval = plan.duration / static_cast<double>(rows_);
    analysis::Kinematics found;
    try {
      found = analysis::kinematics(input.mechanism, plan, choice_);
    } catch (const std::invalid_argument& error) {
      fmt::print(stderr, "{}: {}\n", model_.path, error.what());
      return kBadInput;
    }
    if (!found.report.accepted() && found.motion.rows() == 0) return tell_failure(model_, found.report);
    if (!out_.empty()) write_table(out_, found.motion);
    fmt::print("{}", json_ ? results::kinematics_json(found).dump() + "\n" : results::kinematics_text(found));
    return found.report.accepted() ? kDone : tell_failure(model_, found.report);
  }

 private:
  ModelOptions model_;
  analysis::ColumnChoice choice_;
  std::string out_;
  long rows_ = 0;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Analysis> make_kinematics() { return std::make_unique<KinematicsAnalysis>(); }

}  // namespace trammel::app
