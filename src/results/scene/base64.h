// Bytes as text, for pages.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace trammel::results {

std::string base64(std::span<const std::byte> bytes);

}  // namespace trammel::results
