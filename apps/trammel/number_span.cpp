#include "number_span.h"

#include <fmt/format.h>

#include <cmath>

#include "model/parameter_units.h"

namespace trammel::app {
namespace {

// The number, and in `error` why there is none.
double read_number(std::string_view text, std::optional<expressions::Dimension>& unit, std::string& error) {
  const auto parsed = expressions::parse_quantity(text);
  if (!parsed) {
    error = fmt::format("'{}' is not a number; formulas are not evaluated here", text);
    return 0;
  }
  if (const auto* wrong = std::get_if<expressions::ExpressionError>(&*parsed)) {
    error = fmt::format("'{}': {}", text, wrong->message);
    return 0;
  }
  const auto& quantity = std::get<expressions::Quantity>(*parsed);
  unit = quantity.dimension;
  if (!std::isfinite(quantity.value)) error = fmt::format("'{}' is not finite", text);
  return quantity.value;
}

int read_count(std::string_view text, std::string& error) {
  constexpr double kMost = 100000;
  std::optional<expressions::Dimension> unit;
  const double count = read_number(text, unit, error);
  if (error.empty() && (unit || count != std::floor(count) || count < 2 || count > kMost))
    error = fmt::format("the number of values is '{}'; give a whole number from 2 to {}", text, kMost);
  return error.empty() ? static_cast<int>(count) : 0;
}

}  // namespace

std::string NumberSpan::unit_error(const expressions::Dimension& expected, const char* name_of_unit) const {
  for (const auto& unit : {from_unit, to_unit})
    if (unit && *unit != expected)
      return fmt::format("a value is in {}, but {} is expected", expressions::to_string(*unit), name_of_unit);
  return {};
}

std::string NumberSpan::parameter_error(const Mechanism& mechanism) const {
  const model::ParameterUnits units = model::parameter_units(mechanism);
  const auto known = units.find(name);
  for (const auto& unit : {from_unit, to_unit}) {
    if (!unit || (known != units.end() && expressions::compatible(*unit, known->second))) continue;
    if (known != units.end())
      return fmt::format("a value is in {}, but the parameter '{}' is in {}; give it in that unit",
                         expressions::to_string(*unit), name, expressions::to_string(known->second));
    if (mechanism.parameters.contains(name))
      return fmt::format(
          "a value is in {}, but the parameter '{}' has no unit in the model; give plain numbers",
          expressions::to_string(*unit), name);
  }
  return {};
}

NumberSpan read_span(std::string_view text, int count) {
  NumberSpan span;
  const std::size_t first = text.find(':');
  if (first == std::string_view::npos) {
    span.error = fmt::format("'{}' has no ':' between its first and its last value", text);
    return span;
  }
  const std::size_t second = text.find(':', first + 1);
  const bool has_count = second != std::string_view::npos;
  if (has_count && count == kNoCount) {
    span.error = fmt::format("'{}' has more than a first and a last value", text);
    return span;
  }
  span.count = has_count ? read_count(text.substr(second + 1), span.error) : count;
  span.from = read_number(text.substr(0, first), span.from_unit, span.error);
  span.to =
      read_number(text.substr(first + 1, has_count ? second - first - 1 : second), span.to_unit, span.error);
  return span;
}

NumberSpan read_named_span(std::string_view text, int count) {
  constexpr std::string_view kParameters = "parameters.";
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    NumberSpan span;
    span.error = fmt::format("'{}' has no name before a '='", text);
    return span;
  }
  NumberSpan span = read_span(text.substr(equals + 1), count);
  span.name = text.substr(0, equals);
  if (span.name.starts_with(kParameters)) span.name.erase(0, kParameters.size());
  return span;
}

NumberSpan read_parameter_span(std::string_view text, int count) {
  NumberSpan span = read_named_span(text, count);
  if (span.error.empty() && span.from_unit && span.to_unit && *span.from_unit != *span.to_unit)
    span.error = fmt::format("its values are in {} and in {}", expressions::to_string(*span.from_unit),
                             expressions::to_string(*span.to_unit));
  return span;
}

}  // namespace trammel::app
