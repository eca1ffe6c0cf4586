#include "results/files/model_text.h"

#include <fmt/chrono.h>

#include <ctime>
#include <stdexcept>

#include "trammel/model.h"

namespace trammel::results {

std::string model_text(const Mechanism& mechanism) {
  ModelInput kept = read_model_text(mechanism.text, "", {}, UnreadOptions::allowed);
  // These say how a mechanism came to be, not what it is.
  kept.mechanism.source = mechanism.source;
  kept.mechanism.changed_parameters = mechanism.changed_parameters;
  if (kept && kept.mechanism == mechanism) return mechanism.text;
  try {
    return write_model(mechanism);
  } catch (const std::runtime_error&) {
    return {};
  }
}

nlohmann::json creation_now() {
  return {{"date", fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)))}};
}

}  // namespace trammel::results
