// trammel solve inverse: efforts of drivers and reactions of a prescribed motion.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "command_options.h"
#include "output_files.h"
#include "results/report/inverse_report.h"
#include "solve.h"
#include "trammel/results.h"

namespace trammel::app {
namespace {

class InverseAnalysis final : public Analysis {
 public:
  const char* name() const override { return "inverse"; }
  const char* help() const override {
    return "Efforts of drivers and reactions that a prescribed motion needs, without integration";
  }
  void add_options(CLI::App& command) override {
    add_model_options(command, model_, false);
    add_keys(command, model_, {"duration"});
    command.add_option("--rows", rows_, "So many intervals between rows (default: those of a run)")
        ->check(CLI::Range(1, 10000000));
    command.add_option(
        "--weight", weights_,
        "DRIVER=W: where several drivers hold one motion, efforts e of least sum of W e^2 (default 1)");
    command.add_option("--idle", options_.idle, "A driver that exerts nothing: the others hold the motion");
    command.add_flag("--hold", options_.hold, "Hold freedoms that nothing drives at their start values");
    command.add_option("--out", out_, "Folder for results.csv with all columns");
    command.add_flag("--json", json_, "Print JSON instead of a table");
    command.footer(
        "Every freedom must be driven: by expressions of time, or by functions given as tables.\n"
        "End-stops are left out.\n"
        "Examples:\n"
        "  trammel solve inverse models/driven-slider-crank.yaml\n"
        "  trammel solve inverse models/andrews.yaml --hold --json");
  }
  int run() override {
    for (const std::string& text : weights_) {
      const std::size_t equals = text.find('=');
      char* end = nullptr;
      const double value = equals == std::string::npos ? 0 : std::strtod(text.c_str() + equals + 1, &end);
      if (end == nullptr || *end != '\0' || end == text.c_str() + equals + 1) {
        fmt::print(stderr, "--weight: '{}' is not DRIVER=W, as in motor=2\n", text);
        return kBadInput;
      }
      options_.weights[text.substr(0, equals)] = value;
    }
    ModelInput input;
    if (!read_or_tell(model_, input)) return kBadInput;
    Plan plan = input.mechanism.plan;
    if (rows_ > 0) plan.output_interval = plan.duration / static_cast<double>(rows_);
    const analysis::InverseDynamics found = analysis::inverse_dynamics(input.mechanism, plan, options_);
    if (!found.report.accepted()) return tell_failure(model_, found.report);
    if (!out_.empty()) write_table(out_, found.motion);
    fmt::print("{}", json_ ? results::inverse_json(found).dump() + "\n" : results::inverse_text(found));
    return kDone;
  }

 private:
  ModelOptions model_;
  analysis::InverseOptions options_;
  std::vector<std::string> weights_;
  std::string out_;
  long rows_ = 0;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Analysis> make_inverse() { return std::make_unique<InverseAnalysis>(); }

}  // namespace trammel::app
