#include "results/plot/markup.h"

#include <fmt/format.h>

#include <cmath>

namespace trammel::results {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  return out;
}

std::string power_of_ten(int exponent) {
  static const char* const kRaised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) text += kRaised[digit - '0'];
  return text;
}

std::string scientific(double x) {
  if (!std::isfinite(x)) return "–";
  if (x == 0) return "0";
  if (std::abs(x) >= 0.01 && std::abs(x) < 1000) return fmt::format("{:.2g}", x);
  // The digits and the exponent as the library rounds them: 9.96e-7 is 1.0·10⁻⁶.
  const std::string text = fmt::format("{:.1e}", x);
  const std::size_t e = text.find('e');
  return text.substr(0, e) + "·" + power_of_ten(std::stoi(text.substr(e + 1)));
}

}  // namespace trammel::results
