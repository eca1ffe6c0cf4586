// Fuzz target: model files. A model that is read without errors is valid, and what is written of it reads as
// the same model; it is assembled, takes a few steps, and what is written of it as it then moves can be read.
#include <fmt/format.h>

#include <stdexcept>

#include "support.h"
#include "trammel/model.h"
#include "trammel/validate.h"

namespace trammel::fuzz {
namespace {

std::string joined(const std::vector<InputError>& errors) {
  std::string all;
  for (const InputError& error : errors) all += to_string(error) + "\n";
  return all;
}

// Empty: a file cannot say it, which is said.
std::string written(const Mechanism& mechanism) {
  try {
    return write_model(mechanism);
  } catch (const std::runtime_error& refused) {
    require(*refused.what() != '\0', "a refusal says why");
    return {};
  }
}

Mechanism again(const std::string& text) {
  ModelInput input = read_model_text(text, "written.yaml");
  require(input.errors.empty(), fmt::format("what was written is read:\n{}{}", joined(input.errors), text));
  return std::move(input.mechanism);
}

void check_writing(const Mechanism& mechanism) {
  const std::string first = written(mechanism);
  if (first.empty()) return;
  const std::string second = written(again(first));
  require(same_but_rounding(first, second),
          fmt::format("a model written, read and written is the same:\n{}---\n{}", first, second));
}

void check_model(const std::string& text) {
  const ModelInput input = read_model_text(text, "fuzz.yaml");
  for (const InputError& error : input.errors) require(!error.message.empty(), "an error has a message");
  if (!input.errors.empty() || !is_small(input.mechanism)) return;
  require(validate(input.mechanism).empty(), "a model without errors is valid");
  check_writing(input.mechanism);
  const auto simulation = few_steps(input.mechanism);
  if (simulation == nullptr) return;
  try {
    const std::string now = written(moving_as(input.mechanism, *simulation));
    if (!now.empty()) again(now);
  } catch (const std::runtime_error& refused) {
    require(*refused.what() != '\0', "a refusal says why");
  }
}

}  // namespace
}  // namespace trammel::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (trammel::fuzz::repeats_little(text)) trammel::fuzz::check_model(text);
  return 0;
}
