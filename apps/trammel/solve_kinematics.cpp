// trammel solve kinematics: positions, velocities and accelerations that drivers prescribe.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>

#include "number_span.h"
#include "solve.h"

namespace trammel::app {
namespace {

// Values of a sweep whose number is not given.
constexpr int kSwept = 361;

class KinematicsAnalysis final : public ModelAnalysis {
 public:
  const char* name() const override { return "kinematics"; }
  const char* help() const override {
    return "Positions, velocities and accelerations that drivers prescribe; singular and dead positions";
  }
  void add_options(CLI::App& command) override {
    add_common(command);
    add_rows(command, options_.rows);
    command.add_option(
        "--drive", drive_,
        "Instead of time, sweep the coordinate of this driver, joint or planar body: NAME=FROM:TO:COUNT, as "
        "in crank=0:360deg:361 (361 values if COUNT is left out). Everything else stays as at t = 0; speeds "
        "are derivatives with respect to the coordinate");
    command.add_option("--ratio-to", options_.ratio_to,
                       "Also write the speed of each joint relative to this driver, joint or planar body, "
                       "and its derivative");
    command.add_option("--curve", options_.curves,
                       "Also write the curve of this point: velocity, acceleration, curvature");
    command.footer(
        "Freedoms without a driver are held at their start values. Masses do not matter; end-stops are "
        "ignored.\n"
        "Examples:\n"
        "  trammel solve kinematics models/driven-slider-crank.yaml --ratio-to motor --curve B\n"
        "  trammel solve kinematics models/four-bar.yaml --drive A=0:360deg:361\n"
        "  trammel solve kinematics models/cam-follower.yaml --json");
  }

 private:
  std::string check_options() override {
    if (drive_.empty()) return {};
    if (options_.rows > 0) return "--drive: its COUNT is the number of rows; leave out --rows";
    if (std::ranges::any_of(model_.simulate,
                            [](const std::string& one) { return one.starts_with("--duration="); }))
      return "--drive: a sweep goes from FROM to TO instead of through time; leave out --duration";
    span_ = read_named_span(drive_, kSwept);
    if (!span_.error.empty())
      return fmt::format("--drive: {}; give NAME=FROM:TO:COUNT, as in crank=0:360deg:361", span_.error);
    options_.drive = {span_.name, span_.from, span_.to, span_.count};
    return {};
  }
  Answer solve(const Mechanism& mechanism) override {
    if (options_.drive) check_unit(mechanism);
    const Kinematics found = solve_kinematics(mechanism, options_);
    if (found.motion.rows() == 0) return {found.report, std::nullopt};
    return {found.report, AnalysisReport(mechanism, found)};
  }

  void check_unit(const Mechanism& mechanism) const {
    const bool turns = sweeps_angle(mechanism, *options_.drive);
    const std::string error =
        turns ? span_.unit_error({.angle = 1}, "an angle") : span_.unit_error({.length = 1}, "a length");
    if (!error.empty()) throw std::invalid_argument(fmt::format("--drive {}: {}", drive_, error));
  }

  KinematicsOptions options_;
  std::string drive_;
  NumberSpan span_;
};

}  // namespace

std::unique_ptr<Analysis> make_kinematics() { return std::make_unique<KinematicsAnalysis>(); }

}  // namespace trammel::app
