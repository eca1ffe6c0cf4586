#include "live/typed_number.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "expressions/expression.h"
#include "expressions/units.h"

namespace trammel::live {
namespace {

[[noreturn]] void refuse_text(const std::string& text, const std::string& why) {
  throw std::invalid_argument(fmt::format("'{}' is not a number: {}", text, why));
}

double in_unit(const std::string& text, const expressions::Quantity& given, const std::string& unit) {
  if (!given.dimension || unit.empty()) return given.value;
  const auto wanted = expressions::parse_quantity("1 " + unit);
  const auto* known = wanted ? std::get_if<expressions::Quantity>(&*wanted) : nullptr;
  if (known == nullptr || !known->dimension || expressions::compatible(*given.dimension, *known->dimension))
    return given.value;
  throw std::invalid_argument(fmt::format("'{}' is in {}; this number is in {}", text,
                                          expressions::to_string(*given.dimension), unit));
}

}  // namespace

double typed_number(const Mechanism& mechanism, const std::string& text, const std::string& unit) {
  if (const auto quantity = expressions::parse_quantity(text)) {
    if (const auto* wrong = std::get_if<expressions::ExpressionError>(&*quantity))
      refuse_text(text, wrong->message);
    return in_unit(text, std::get<expressions::Quantity>(*quantity), unit);
  }
  expressions::Symbols symbols;
  for (const auto& [name, value] : mechanism.parameters) symbols.constant(name, value);
  const auto parsed = expressions::Expression::parse(text, symbols);
  if (const auto* wrong = std::get_if<expressions::ExpressionError>(&parsed))
    refuse_text(text, wrong->message);
  const auto& expression = std::get<expressions::Expression>(parsed);
  std::vector<double> scratch(static_cast<std::size_t>(expression.scratch_size()));
  const double value = expression.value({}, scratch);
  if (!std::isfinite(value)) refuse_text(text, "its value is not finite");
  return value;
}

}  // namespace trammel::live
