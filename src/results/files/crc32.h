// CRC-32 of IEEE 802.3, by which records of files are known to be whole.
#pragma once

#include <cstdint>
#include <string_view>

namespace trammel::results {

std::uint32_t crc32(std::string_view bytes);

}  // namespace trammel::results
