#include "number_span.h"

#include <cmath>

#include "expressions/units.h"

namespace trammel::app {
namespace {

bool read_number(std::string_view text, double& value) {
  const auto parsed = expressions::parse_quantity(text);
  if (!parsed || !std::holds_alternative<expressions::Quantity>(*parsed)) return false;
  value = std::get<expressions::Quantity>(*parsed).value;
  return std::isfinite(value);
}

}  // namespace

std::optional<NumberSpan> read_span(std::string_view text, int count) {
  constexpr double kMost = 100000;  // of a count
  const std::size_t first = text.find(':');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = text.find(':', first + 1);
  const bool has_count = second != std::string_view::npos;
  NumberSpan span;
  double given = count;
  if (!read_number(text.substr(0, first), span.from) ||
      !read_number(text.substr(first + 1, has_count ? second - first - 1 : second), span.to) ||
      (has_count && !read_number(text.substr(second + 1), given)) || given < 2 || given > kMost)
    return std::nullopt;
  span.count = static_cast<int>(given);
  return span;
}

std::optional<NumberSpan> read_named_span(std::string_view text, int count) {
  constexpr std::string_view kParameters = "parameters.";
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  std::optional<NumberSpan> span = read_span(text.substr(equals + 1), count);
  if (!span) return span;
  span->name = text.substr(0, equals);
  if (span->name.starts_with(kParameters)) span->name.erase(0, kParameters.size());
  return span;
}

}  // namespace trammel::app
