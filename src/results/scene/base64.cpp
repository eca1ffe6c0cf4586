#include "results/scene/base64.h"

#include <array>
#include <cstring>

namespace trammel::results {
namespace {

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Two digits of each number of twelve bits.
constexpr auto kPairs = [] {
  std::array<std::array<char, 2>, 4096> pairs{};
  for (std::size_t bits = 0; bits < pairs.size(); ++bits)
    pairs[bits] = {kDigits[bits >> 6U], kDigits[bits & 63U]};
  return pairs;
}();

}  // namespace

std::string base64(std::span<const std::byte> bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  const auto byte = [&](std::size_t i) { return std::to_integer<unsigned>(bytes[i]); };
  char* out = text.data();
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3, out += 4) {
    const unsigned group = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    std::memcpy(out, kPairs[group >> 12U].data(), 2);
    std::memcpy(out + 2, kPairs[group & 4095U].data(), 2);
  }
  // The last byte or two have two or three digits.
  if (bytes.size() - i == 1) std::memcpy(out, kPairs[byte(i) << 4U].data(), 2);
  if (bytes.size() - i == 2) {
    const unsigned group = byte(i) << 10U | byte(i + 1) << 2U;  // of 18 bits
    std::memcpy(out, kPairs[group >> 6U].data(), 2);
    out[2] = kDigits[group & 63U];
  }
  return text;
}

}  // namespace trammel::results
