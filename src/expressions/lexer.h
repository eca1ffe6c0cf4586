// Cuts an expression into numbers, names and operators. Throws ExpressionError.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "expressions/expression_error.h"

namespace trammel::expressions {

enum class TokenKind { kNumber, kName, kOperator, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  std::size_t column = 0;
  double number = 0;
  bool is(std::string_view word) const { return kind != TokenKind::kEnd && text == word; }
};

// An unsigned decimal number at the start of the text; length 0 if there is none, value inf if a double
// cannot hold it.
struct NumberText {
  double value = 0;
  std::size_t length = 0;
};
NumberText read_number(std::string_view text);

// A character with all its UTF-8 bytes, for messages.
std::string_view first_character(std::string_view text);

// The expression with another one in the place of the time `t`.
std::string with_time(const std::string& text, std::string_view instead);

// Whether a text starts with a character that looks like one of expressions, as "−" does.
bool is_lookalike(std::string_view text);

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace trammel::expressions
