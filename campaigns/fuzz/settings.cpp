// Fuzz target: settings of the command line, one a line ("bodies.crank.mass=2", "--step=0.01"), on a fixed
// model. If they are taken, the model's text, as results keep it, holds them: read again it is the same
// model.
#include <fmt/format.h>

#include <stdexcept>

#include "messages.h"
#include "settings_model.h"
#include "support.h"
#include "trammel/model.h"

namespace trammel::fuzz {
namespace {

std::string written(const Mechanism& mechanism) {
  try {
    return write_model(mechanism);
  } catch (const std::runtime_error& refused) {
    return refused.what();
  }
}

void check_settings(const std::string& text) {
  const ModelInput input = read_model_text(kSettingsModel, "settings.yaml", lines_of(text));
  for (const InputError& error : input.errors) require(!error.message.empty(), "an error has a message");
  if (!input.errors.empty() || !is_small(input.mechanism)) return;
  const ModelInput kept = read_model_text(input.mechanism.text, "kept.yaml");
  require(kept.errors.empty(),
          "the text that is kept is read: " + (kept.errors.empty() ? "" : to_string(kept.errors[0])));
  require(same_but_rounding(written(input.mechanism), written(kept.mechanism)),
          "the text that is kept is the same model");
  few_steps(input.mechanism);
}

}  // namespace
}  // namespace trammel::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (trammel::fuzz::repeats_little(text)) trammel::fuzz::check_settings(text);
  return 0;
}
