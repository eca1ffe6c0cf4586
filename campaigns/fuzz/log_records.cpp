#include "log_records.h"

#include <cstddef>
#include <cstdint>

namespace trammel::fuzz {
namespace {

constexpr std::string_view kPreamble("TRAMLOG\n\1\0\0\0", 12);
constexpr std::size_t kHead = 5, kChecksum = 4;

// CRC-32 of IEEE 802.3, bit by bit.
std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + k])) << (8 * k);
  return value;
}

void append(std::string& bytes, std::uint32_t value) {
  for (int k = 0; k < 4; ++k) bytes.push_back(static_cast<char>(value >> (8 * k)));
}

}  // namespace

std::vector<LogRecord> records_of(std::string_view log) {
  std::vector<LogRecord> records;
  for (std::size_t at = kPreamble.size(); at < log.size();) {
    const std::string_view rest = log.substr(at);
    LogRecord record{rest[0], {}, false};
    const std::size_t length = rest.size() < kHead ? 0 : number_at(rest, 1);
    if (rest.size() >= kHead) record.payload = rest.substr(kHead, length);
    if (rest.size() >= kHead + length + kChecksum)
      record.is_whole = crc32(rest.substr(0, kHead + length)) == number_at(rest, kHead + length);
    records.push_back(record);
    if (!record.is_whole) break;
    at += kHead + length + kChecksum;
  }
  return records;
}

std::string log_of(const std::vector<LogRecord>& records) {
  std::string log(kPreamble);
  for (const LogRecord& record : records) {
    const std::size_t start = log.size();
    log.push_back(record.type);
    append(log, static_cast<std::uint32_t>(record.payload.size()));
    log += record.payload;
    append(log, crc32(std::string_view(log).substr(start)));
  }
  return log;
}

}  // namespace trammel::fuzz
