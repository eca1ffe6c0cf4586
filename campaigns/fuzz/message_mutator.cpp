// How libFuzzer mutates journals, edits and messages of the live protocol.
#include "libfuzzer_mutators.h"
#include "mutate_messages.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return trammel::fuzz::mutate(data, size, max_size, seed, trammel::fuzz::mutated_messages);
}
