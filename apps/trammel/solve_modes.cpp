// trammel solve modes: frequencies, damping and shapes of small motions.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <stdexcept>

#include "number_span.h"
#include "solve.h"

namespace trammel::app {
namespace {

constexpr int kResponsePoints = 600, kVaried = 21;
// Hz: ratios and squares of such frequencies are still numbers.
constexpr double kLowest = 1e-100;

class ModesAnalysis final : public ModelAnalysis {
 public:
  const char* name() const override { return "modes"; }
  const char* help() const override {
    return "Frequencies, damping and shapes of small motions about rest or steady motion; A, B, C, D";
  }
  void add_options(CLI::App& command) override {
    add_common(command);
    command
        .add_option(
            "--at", at_,
            "equilibrium: first find the equilibrium nearest the start, or the steady motion if the start "
            "moves (default); stable: first go downhill to a stable equilibrium; start: use the start itself")
        ->check(CLI::IsMember(std::vector<std::string>(std::begin(kModesAt), std::end(kModesAt))));
    command.add_option("--matrices", matrices_, "Write A, B, C, D to this file: .mat, .h5 or .csv");
    command.add_option(
        "--vary", vary_,
        "Repeat for several values of a parameter, NAME=FROM:TO:COUNT: Campbell diagram or root locus");
    command.add_option(
        "--response", response_,
        "Frequency response from `inputs:` to the columns of `outputs:`, FROM:TO:COUNT in Hz (600 "
        "values if COUNT is left out); --out writes the curve to response.csv");
    command.footer(
        "Examples:\n"
        "  trammel solve modes models/double-pendulum.yaml\n"
        "  trammel solve modes models/controlled-pendulum.yaml --matrices pendulum.mat\n"
        "  trammel solve modes models/flyball-governor.yaml --vary k=4e5:8e5:9 --report governor.html");
  }

 private:
  std::string check_options() override {
    options_.at = *modes_at(at_);
    if (!vary_.empty()) {
      varied_ = read_parameter_span(vary_, kVaried);
      const NumberSpan& span = varied_;
      if (!span.error.empty())
        return fmt::format("--vary: {}; give NAME=FROM:TO:COUNT, as in speed=0:10:51", span.error);
      options_.parameter = span.name;
      for (int k = 0; k < span.count; ++k)
        options_.values.push_back(span.from + (span.to - span.from) * k / (span.count - 1));
    }
    if (!response_.empty()) {
      NumberSpan span = read_span(response_, kResponsePoints);
      if (span.error.empty()) span.error = span.unit_error({.time = -1}, "Hz");
      if (span.error.empty() && !(span.from > 0 && span.to > span.from))
        span.error = fmt::format("'{}' does not rise from a positive frequency", response_);
      if (span.error.empty() && !(span.from >= kLowest))
        span.error = fmt::format("'{}' begins below {:.0e} Hz", response_, kLowest);
      if (!span.error.empty())
        return fmt::format("--response: {}; give FROM:TO with 0 < FROM < TO, in Hz, as in 0.1:100",
                           span.error);
      options_.frequencies = frequency_range(span.from, span.to, span.count);
    }
    return {};
  }
  Answer solve(const Mechanism& mechanism) override {
    if (const std::string error = varied_.parameter_error(mechanism); !error.empty())
      throw std::invalid_argument(fmt::format("--vary {}: {}", vary_, error));
    const Modes found = solve_modes(mechanism, options_);
    Answer told = answer(mechanism, found);
    if (told.told && !matrices_.empty()) {
      write_matrices(matrices_, found.linear);
      told.notes = fmt::format("Matrices: {}\n", matrices_);
    }
    return told;
  }

  ModesOptions options_;
  std::string at_ = kModesAt[0], matrices_, vary_, response_;
  NumberSpan varied_;
};

}  // namespace

std::unique_ptr<Analysis> make_modes() { return std::make_unique<ModesAnalysis>(); }

}  // namespace trammel::app
