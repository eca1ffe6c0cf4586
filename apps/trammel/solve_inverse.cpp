// trammel solve inverse: efforts of drivers and reactions of a prescribed motion.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "solve.h"

namespace trammel::app {
namespace {

class InverseAnalysis final : public ModelAnalysis {
 public:
  const char* name() const override { return "inverse"; }
  const char* help() const override {
    return "Efforts of drivers and reactions that a prescribed motion needs, without integration";
  }
  void add_options(CLI::App& command) override {
    add_common(command);
    add_rows(command, options_.rows);
    command.add_option(
        "--weight", weights_,
        "DRIVER=W: if drivers share a motion, their efforts e minimize the sum of W e^2 (default 1)");
    command.add_option("--idle", options_.idle, "A driver without effort: the others drive the motion");
    command.add_flag("--hold", options_.hold, "Hold freedoms without a driver at their start values");
    command.footer(
        "Every freedom must have a driver: an expression of time, or a function given as a table.\n"
        "End-stops are ignored.\n"
        "Examples:\n"
        "  trammel solve inverse models/driven-slider-crank.yaml\n"
        "  trammel solve inverse models/andrews.yaml --hold --json");
  }

 private:
  std::string check_options() override {
    for (const std::string& text : weights_) {
      const std::size_t equals = text.find('=');
      char* end = nullptr;
      const double value = equals == std::string::npos ? 0 : std::strtod(text.c_str() + equals + 1, &end);
      if (end == nullptr || *end != '\0' || end == text.c_str() + equals + 1)
        return fmt::format("--weight: '{}' is not DRIVER=W, as in motor=2", text);
      options_.weights[text.substr(0, equals)] = value;
    }
    return {};
  }
  Answer solve(const Mechanism& mechanism) override {
    return answer(mechanism, solve_inverse(mechanism, options_));
  }

  InverseOptions options_;
  std::vector<std::string> weights_;
};

}  // namespace

std::unique_ptr<Analysis> make_inverse() { return std::make_unique<InverseAnalysis>(); }

}  // namespace trammel::app
