// libFuzzer's own mutation of bytes, and a mutation of texts in its place for most inputs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace trammel::fuzz {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Puts a text in libFuzzer's buffer, cut to its size.
inline std::size_t put(const std::string& text, std::uint8_t* data, std::size_t max_size) {
  const std::size_t size = std::min(text.size(), max_size);
  std::memcpy(data, text.data(), size);
  return size;
}

// One input in four has its bytes mutated, as damage does; the others keep their structure.
template <class Mutate>
std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed,
                   Mutate by_structure) {
  if (seed % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  return put(by_structure(text_of(data, size), seed / 4), data, max_size);
}

}  // namespace trammel::fuzz
