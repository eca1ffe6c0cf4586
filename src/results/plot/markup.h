// Text and numbers for HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace trammel::results {

// With & < > " ' as entities and control characters as spaces.
std::string escaped(std::string_view text);

// 10⁻⁶.
std::string power_of_ten(int exponent);

// Two significant digits: 1.2·10⁻⁶, 0.034, 12. Not finite: –.
std::string scientific(double x);

}  // namespace trammel::results
