// trammel solve modes: frequencies, damping and shapes of small motions.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <numbers>

#include "command_options.h"
#include "number_span.h"
#include "output_files.h"
#include "results/files/matrices_file.h"
#include "results/report/modes_report.h"
#include "solve.h"

namespace trammel::app {
namespace {

constexpr int kResponsePoints = 600;

class ModesAnalysis final : public Analysis {
 public:
  const char* name() const override { return "modes"; }
  const char* help() const override {
    return "Frequencies, damping and shapes of small motions about rest or steady motion; A, B, C, D";
  }
  void add_options(CLI::App& command) override {
    add_model_options(command, model_, false);
    command
        .add_option(
            "--at", at_,
            "equilibrium: first find the equilibrium nearest the start, or the steady motion if the start "
            "moves (default); stable: first go downhill to a stable equilibrium; start: take the start as it "
            "is")
        ->check(CLI::IsMember({"equilibrium", "stable", "start"}));
    command.add_option("--matrices", matrices_, "Write A, B, C, D to this file: .mat, .h5 or .csv");
    command.add_option(
        "--vary", vary_,
        "Also at other values of a parameter, NAME=FROM:TO:COUNT, for a Campbell diagram or a root "
        "locus");
    command.add_option("--response", response_,
                       "Frequency response from `inputs:` to the columns of `outputs:`, FROM:TO in Hz");
    command.add_option("--report", report_, "Write a page with tables and plots");
    command.add_flag("--json", json_, "Print JSON instead of a table");
    command.footer(
        "Examples:\n"
        "  trammel solve modes models/double-pendulum.yaml\n"
        "  trammel solve modes models/controlled-pendulum.yaml --matrices pendulum.mat\n"
        "  trammel solve modes models/flyball-governor.yaml --vary k=4e5:8e5:9 --report governor.html");
  }
  int run() override {
    std::optional<NumberSpan> varied, frequencies;
    if (!vary_.empty()) {
      varied = read_named_span(vary_, 21);
      if (!varied) return refuse("--vary", vary_, "NAME=FROM:TO:COUNT, as in speed=0:10:51");
    }
    if (!response_.empty()) {
      frequencies = read_span(response_, kResponsePoints);
      if (!frequencies || !(frequencies->from > 0) || !(frequencies->to > frequencies->from))
        return refuse("--response", response_, "FROM:TO with 0 < FROM < TO, in Hz, as in 0.1:100");
    }
    ModelInput input;
    if (!read_or_tell(model_, input)) return kBadInput;
    const analysis::ModesAt at = at_ == "start"    ? analysis::ModesAt::start
                                 : at_ == "stable" ? analysis::ModesAt::stable
                                                   : analysis::ModesAt::equilibrium;
    results::ModesResult result;
    result.modes = analysis::find_modes(input.mechanism, at);
    if (!result.modes.report.accepted()) return tell_failure(model_, result.modes.report);
    if (frequencies && (input.mechanism.inputs.empty() || input.mechanism.outputs.empty())) {
      fmt::print(stderr, "{}: a frequency response needs `inputs:` and `outputs: columns:` in the model\n",
                 model_.path);
      return kBadInput;
    }
    if (frequencies) respond(*frequencies, result);
    if (varied) {
      if (!input.mechanism.parameters.contains(varied->name)) {
        fmt::print(stderr, "{}: there is no parameter '{}'\n", model_.path, varied->name);
        return kBadInput;
      }
      result.parameter = varied->name;
      for (int k = 0; k < varied->count; ++k) {
        results::VariedModes& one = result.varied.emplace_back();
        one.value = varied->from + (varied->to - varied->from) * k / (varied->count - 1);
        Mechanism mechanism = input.mechanism;
        try {
          mechanism.set_parameter(varied->name, one.value);
          one.modes = analysis::find_modes(mechanism, at);
        } catch (const std::invalid_argument& error) {
          one.modes.report.outcome = Outcome::refused;
          one.modes.report.message = error.what();
        }
      }
    }
    if (!matrices_.empty()) results::write_matrices(matrices_, result.modes.vibration.linear);
    if (!report_.empty()) write_text(report_, results::modes_page(input.mechanism, result));
    fmt::print("{}", json_ ? results::modes_json(input.mechanism, result).dump(2) + "\n"
                           : results::modes_text(input.mechanism, result));
    if (!json_ && !report_.empty()) fmt::print("Report: {}\n", report_);
    if (!json_ && !matrices_.empty()) fmt::print("Matrices: {}\n", matrices_);
    return kDone;
  }

 private:
  static int refuse(const char* option, const std::string& value, const char* wanted) {
    fmt::print(stderr, "{}: '{}' is not {}\n", option, value, wanted);
    return kBadInput;
  }

  static void respond(const NumberSpan& span, results::ModesResult& result) {
    const double ratio = std::log(span.to / span.from);
    for (int k = 0; k < span.count; ++k)
      result.omega.push_back(2 * std::numbers::pi * span.from * std::exp(ratio * k / (span.count - 1)));
    result.response = analysis::frequency_response(result.modes.vibration.linear, result.omega);
  }

  ModelOptions model_;
  std::string at_ = "equilibrium", matrices_, vary_, response_, report_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Analysis> make_modes() { return std::make_unique<ModesAnalysis>(); }

}  // namespace trammel::app
