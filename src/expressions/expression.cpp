#include "expressions/expression.h"

#include <fmt/format.h>

#include "expressions/parser.h"

namespace trammel::expressions {

std::variant<Expression, ExpressionError> Expression::parse(std::string_view text, const Symbols& symbols,
                                                            const std::string& definition) {
  try {
    return Expression(std::string(text), Parser(text, symbols, definition).run());
  } catch (ExpressionError& error) {
    return std::move(error);
  }
}

Expression Expression::constant(double value) {
  return {fmt::format("{}", value), Tape({}, {value}, {}, {})};
}

std::vector<Expression> Expression::with_text(std::vector<Tape> tapes) const {
  std::vector<Expression> all;
  for (Tape& tape : tapes) all.push_back(Expression(text_, std::move(tape)));
  return all;
}

}  // namespace trammel::expressions
