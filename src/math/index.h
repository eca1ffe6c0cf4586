// Indices of patterns and tables are int, those of std::vector are not.
#pragma once

#include <cstddef>

namespace trammel::math {

constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace trammel::math
