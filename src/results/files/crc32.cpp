#include "results/files/crc32.h"

#include <array>

#include "math/bytes.h"

namespace trammel::results {
namespace {

// Reflected, polynomial 0xEDB88320, eight bytes at a time: table k advances a
// byte over k further bytes (Kounavis & Berry 2005, "slicing-by-8").
constexpr auto kCrcTables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 255U];
    }
  }
  return tables;
}();

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
  const auto& t = kCrcTables;
  std::uint32_t crc = ~0U;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    const std::uint32_t a = crc ^ math::number_at<std::uint32_t>(bytes, 0);
    const auto b = math::number_at<std::uint32_t>(bytes, 4);
    crc = t[7][a & 255U] ^ t[6][(a >> 8) & 255U] ^ t[5][(a >> 16) & 255U] ^ t[4][a >> 24] ^  //
          t[3][b & 255U] ^ t[2][(b >> 8) & 255U] ^ t[1][(b >> 16) & 255U] ^ t[0][b >> 24];
  }
  for (const char c : bytes) crc = t[0][(crc ^ static_cast<unsigned char>(c)) & 255U] ^ (crc >> 8);
  return ~crc;
}

}  // namespace trammel::results
