// How libFuzzer mutates model files.
#include "libfuzzer_mutators.h"
#include "mutate_model.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return trammel::fuzz::mutate(data, size, max_size, seed, trammel::fuzz::mutated_model);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data, std::size_t size,
                                                 const std::uint8_t* other, std::size_t other_size,
                                                 std::uint8_t* out, std::size_t max_size, unsigned seed) {
  using trammel::fuzz::text_of;
  return trammel::fuzz::put(
      trammel::fuzz::crossed_models(text_of(data, size), text_of(other, other_size), seed), out, max_size);
}
