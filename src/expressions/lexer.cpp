#include "expressions/lexer.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <system_error>

namespace trammel::expressions {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Length of the name at the start; a dot belongs to it only between two of its characters.
std::size_t name_length(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return 0;
  const auto inner = [](char c) { return is_letter(c) || is_digit(c); };
  std::size_t n = 1;
  while (n < text.size() && (inner(text[n]) || (text[n] == '.' && n + 1 < text.size() && inner(text[n + 1]))))
    ++n;
  return n;
}

std::size_t operator_length(std::string_view text) {
  for (const std::string_view two : {"**", "<=", ">=", "==", "!="})
    if (text.substr(0, 2) == two) return 2;
  return std::string_view("+-*/^(),<>").find(text[0]) != std::string_view::npos ? 1 : 0;
}

// Characters that look like one that expressions have, as word processors and web pages put them.
struct Lookalike {
  std::string_view character, remedy;
};
constexpr Lookalike kLookalikes[] = {
    {"\u2212", "write -, the minus sign of the keyboard"},  // −
    {"\u2013", "write -, the minus sign of the keyboard"},  // –
    {"\u2014", "write -, the minus sign of the keyboard"},  // —
    {"\u00a0", "it is a no-break space; write a plain space"},
    {"\u202f", "it is a no-break space; write a plain space"},
    {"\u00d7", "write *"},  // ×
    {"\u00b7", "write *"},  // ·
    {"\u22c5", "write *"},  // ⋅
    {"\u00f7", "write /"},  // ÷
    {"\u00b2", "write ^2"},
    {"\u00b3", "write ^3"},
    {"\u221a", "write sqrt(x)"},  // √
    {"\u03c0", "write pi"},       // π
    {"\u2264", "write <="},       // ≤
    {"\u2265", "write >="},       // ≥
    {"\u2260", "write !="},       // ≠
    {"\u201c", "leave quotes out"},
    {"\u201d", "leave quotes out"},
};

std::string_view remedy(std::string_view character) {
  for (const Lookalike& one : kLookalikes)
    if (character == one.character) return one.remedy;
  switch (character[0]) {
    case '=':
      return "write == to compare";
    case '&':
      return "write and";
    case '|':
      return "write or";
    case '!':
      return "write not, or != to compare";
    case '%':
      return "write mod(a, b)";
    case '?':
      return "write if(condition, a, b)";
    case '[':
    case '{':
      return "write ( )";
    default:
      return "names have letters, digits, _ and inner dots; operators are + - * / ^ < <= > >= == !=";
  }
}

}  // namespace

NumberText read_number(std::string_view text) {
  const bool starts =
      !text.empty() && (is_digit(text[0]) || (text[0] == '.' && text.size() > 1 && is_digit(text[1])));
  if (!starts) return {};
  double value = std::numeric_limits<double>::infinity();
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return {value, static_cast<std::size_t>(end - text.data())};
}

std::string_view first_character(std::string_view text) {
  std::size_t n = text.empty() ? 0 : 1;
  while (n > 0 && n < text.size() && (static_cast<unsigned char>(text[n]) & 0xC0U) == 0x80U) ++n;
  return text.substr(0, n);
}

bool is_lookalike(std::string_view text) {
  const std::string_view character = first_character(text);
  for (const Lookalike& one : kLookalikes)
    if (character == one.character) return true;
  return false;
}

Token Lexer::next() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  const std::string_view rest = text_.substr(at_);
  Token token{TokenKind::kEnd, rest, at_, 0};
  std::size_t length = 0;
  if (rest.empty()) return token;
  if (const NumberText number = read_number(rest); number.length > 0) {
    token.kind = TokenKind::kNumber;
    token.number = number.value;
    length = number.length;
    if (std::isinf(number.value))
      throw ExpressionError{
          fmt::format("the number {} is outside the range 1e-308 to 1e308", rest.substr(0, length)), at_};
  } else if (length = name_length(rest); length > 0) {
    token.kind = TokenKind::kName;
  } else if (length = operator_length(rest); length > 0) {
    token.kind = TokenKind::kOperator;
  } else {
    throw ExpressionError{
        fmt::format("unexpected character '{}': {}", first_character(rest), remedy(first_character(rest))),
        at_};
  }
  token.text = rest.substr(0, length);
  at_ += length;
  return token;
}

std::string with_time(const std::string& text, std::string_view instead) {
  std::string out;
  std::size_t done = 0;
  Lexer lexer(text);
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    if (token.kind != TokenKind::kName || token.text != "t") continue;
    const auto at = static_cast<std::size_t>(token.text.data() - text.data());
    out += text.substr(done, at - done);
    out += instead;
    done = at + token.text.size();
  }
  return out + text.substr(done);
}

}  // namespace trammel::expressions
