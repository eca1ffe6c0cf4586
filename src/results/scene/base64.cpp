#include "results/scene/base64.h"

namespace trammel::results {

std::string base64(std::span<const std::byte> bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  const auto byte = [&](std::size_t i) { return std::to_integer<unsigned>(bytes[i]); };
  char* out = text.data();
  const auto put = [&](unsigned group, int digits) {
    for (int k = 0; k < digits; ++k) *out++ = kDigits[group >> (18 - 6 * k) & 63U];
  };
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) put(byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2), 4);
  // The last byte or two have two or three digits.
  if (bytes.size() - i == 1) put(byte(i) << 16U, 2);
  if (bytes.size() - i == 2) put(byte(i) << 16U | byte(i + 1) << 8U, 3);
  return text;
}

}  // namespace trammel::results
