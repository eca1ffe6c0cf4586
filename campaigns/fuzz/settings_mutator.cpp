// How libFuzzer mutates settings of the command line.
#include "libfuzzer_mutators.h"
#include "mutate_model.h"
#include "settings_model.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  const auto by_structure = [](const std::string& text, unsigned s) {
    return trammel::fuzz::mutated_settings(text, trammel::fuzz::kSettingsModel, s);
  };
  return trammel::fuzz::mutate(data, size, max_size, seed, by_structure);
}
