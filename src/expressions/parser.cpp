#include "expressions/parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "expressions/builtins.h"
#include "expressions/nearest_name.h"
#include "expressions/units.h"

namespace trammel::expressions {
namespace {

constexpr int kNotLevel = 3, kComparisonLevel = 4;

// Precedence of an operator between two operands; 0 for anything else.
int level_of(const Token& token) {
  static constexpr std::pair<std::string_view, int> kLevels[] = {{"or", 1}, {"and", 2}, {"<", 4},  {"<=", 4},
                                                                 {">", 4},  {">=", 4},  {"==", 4}, {"!=", 4},
                                                                 {"+", 5},  {"-", 5},   {"*", 6},  {"/", 6}};
  for (const auto& [text, level] : kLevels)
    if (token.is(text)) return level;
  return 0;
}

// "did you mean ...?", or what there is to choose from.
std::string advice(const std::string& unknown, const std::vector<std::string>& known,
                   std::string_view otherwise) {
  constexpr std::size_t kListed = 12;
  const std::string nearest = nearest_name(unknown, known);
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  const std::vector<std::string> listed(
      known.begin(), known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), kListed)));
  return fmt::format("{} ({}{})", otherwise, fmt::join(listed, ", "), known.size() > kListed ? ", ..." : "");
}

std::string arity(const Builtin& builtin) {
  if (builtin.max_arguments == Builtin::kAnyNumber)
    return fmt::format("at least {} arguments", builtin.min_arguments);
  return fmt::format("{} argument{}", builtin.min_arguments, builtin.min_arguments == 1 ? "" : "s");
}

[[noreturn]] void fail_arity(const Token& token, std::string_view takes, std::string_view usage,
                             std::size_t given) {
  throw ExpressionError{fmt::format("{} takes {}, not {}: write {}", token.text, takes, given, usage),
                        token.column};
}

}  // namespace

Parser::Parser(std::string_view text, const Symbols& symbols, const std::string& definition)
    : text_(text), symbols_(symbols), lexer_(text) {
  if (!definition.empty()) inside_.push_back(definition);
}

Tape Parser::run() { return tape_.finish(whole()); }

// The text from its first to its last token.
int Parser::whole() {
  if (text_.size() > kMaxLength)
    throw ExpressionError{
        fmt::format("the expression has {} characters, more than {}: use a table or a spline for data",
                    text_.size(), kMaxLength),
        kMaxLength};
  take();
  if (token_.kind == TokenKind::kEnd)
    throw ExpressionError{"empty expression: write a number or a formula", 0};
  const int result = binary(1);
  if (token_.kind != TokenKind::kEnd) fail_at_token();
  return result;
}

// What the name stands for, as if it were written in brackets.
int Parser::definition(const std::string& name, const std::string& text, std::size_t column) {
  if (const auto known = defined_.find(name); known != defined_.end()) return known->second;
  const auto begin = std::find(inside_.begin(), inside_.end(), name);
  if (begin != inside_.end()) {
    std::vector<std::string> circle(begin, inside_.end());
    throw ExpressionError{
        fmt::format("these definitions need each other in a circle, {} → {}: define one without the others",
                    fmt::join(circle, " → "), name),
        column, "", std::move(circle)};
  }
  const std::string_view outer = std::exchange(text_, std::string_view(text));
  const Lexer lexer = std::exchange(lexer_, Lexer(text));
  const Token token = std::exchange(token_, Token()), previous = std::exchange(previous_, Token());
  inside_.push_back(name);
  int result = 0;
  try {
    result = nested([&] { return whole(); });
  } catch (ExpressionError& error) {
    error.definition = name;
    error.column = column;
    throw;
  }
  inside_.pop_back();
  text_ = outer;
  lexer_ = lexer;
  token_ = token;
  previous_ = previous;
  defined_[name] = result;
  return result;
}

// The current token becomes the previous one and is returned.
Token Parser::take() {
  previous_ = token_;
  token_ = lexer_.next();
  return previous_;
}

bool Parser::accept(std::string_view word) {
  if (!token_.is(word)) return false;
  take();
  return true;
}

template <typename Rule>
int Parser::nested(Rule rule) {
  if (++depth_ > kMaxDepth)
    throw ExpressionError{fmt::format("nested deeper than {} levels: split the expression", kMaxDepth),
                          token_.column};
  const int result = rule();
  --depth_;
  return result;
}

int Parser::binary(int level) {
  int left = level <= kNotLevel && accept("not")
                 ? tape_.unary(Op::kNot, nested([&] { return binary(kNotLevel); }))
                 : unary();
  for (int found = level_of(token_); found != 0 && found >= level; found = level_of(token_)) {
    const Token op = take();
    left = apply_binary(op.text, left, binary(found + 1));
    if (found == kComparisonLevel && level_of(token_) == kComparisonLevel)
      throw ExpressionError{"comparisons do not chain: write a < b and b < c", token_.column};
  }
  return left;
}

int Parser::apply_binary(std::string_view op, int a, int b) {
  if (op == "+") return tape_.binary(Op::kAdd, a, b);
  if (op == "-") return tape_.binary(Op::kSubtract, a, b);
  if (op == "*") return tape_.binary(Op::kMultiply, a, b);
  if (op == "/") return tape_.binary(Op::kDivide, a, b);
  if (op == "<") return tape_.binary(Op::kLess, a, b);
  if (op == ">") return tape_.binary(Op::kLess, b, a);
  if (op == "<=") return tape_.binary(Op::kLessEqual, a, b);
  if (op == ">=") return tape_.binary(Op::kLessEqual, b, a);
  if (op == "==") return tape_.binary(Op::kEqual, a, b);
  if (op == "!=") return tape_.unary(Op::kNot, tape_.binary(Op::kEqual, a, b));
  return tape_.binary(op == "and" ? Op::kAnd : Op::kOr, a, b);
}

int Parser::unary() {
  if (accept("-")) return tape_.unary(Op::kNegate, nested([&] { return unary(); }));
  if (accept("+")) return nested([&] { return unary(); });
  return power();
}

int Parser::power() {
  const int base = primary();
  if (!accept("^") && !accept("**")) return base;
  return tape_.power(base, nested([&] { return unary(); }));
}

int Parser::primary() {
  if (token_.kind == TokenKind::kNumber) return tape_.number(take().number);
  if (token_.is("(")) {
    const Token open = take();
    const int inner = nested([&] { return binary(1); });
    close(open);
    return inner;
  }
  if (token_.is("not")) throw ExpressionError{"'not' binds loosely: write (not ...) here", token_.column};
  if (token_.kind == TokenKind::kName && level_of(token_) == 0) {
    const Token word = take();
    return token_.is("(") ? call(word) : name(word);
  }
  const std::string place = previous_.text.empty() ? "" : fmt::format(" after '{}'", previous_.text);
  if (token_.kind == TokenKind::kEnd)
    throw ExpressionError{fmt::format("a value is missing{}: the expression ends too soon", place),
                          token_.column};
  throw ExpressionError{
      fmt::format("a value is missing{} before '{}': write a number, a name or ( )", place, token_.text),
      token_.column};
}

int Parser::name(const Token& token) {
  const std::string word(token.text);
  if (const auto slot = symbols_.find_variable(word)) return tape_.variable(*slot);
  if (const auto value = symbols_.find_constant(word)) return tape_.number(*value);
  if (const auto text = symbols_.find_definition(word)) return definition(word, *text, token.column);
  if (const Builtin* builtin = find_builtin(word))
    throw ExpressionError{fmt::format("'{}' is a function: write {}", word, builtin->usage), token.column};
  if (symbols_.find_function(word) != nullptr)
    throw ExpressionError{fmt::format("'{}' is a function: write {}(x)", word, word), token.column};
  throw ExpressionError{
      fmt::format("unknown name '{}': {}", word,
                  advice(word, symbols_.names(), "declare it as a parameter, or use one of the known names")),
      token.column};
}

int Parser::call(const Token& token) {
  const std::string word(token.text);
  const Builtin* builtin = find_builtin(word);
  const Function1* function = symbols_.find_function(word);
  if (builtin == nullptr && function == nullptr) {
    if (symbols_.find_variable(word) || symbols_.find_constant(word) || symbols_.find_definition(word))
      throw ExpressionError{fmt::format("'{}' is not a function: to multiply write {}*( )", word, word),
                            token.column};
    throw ExpressionError{
        fmt::format("unknown function '{}': {}", word,
                    advice(word, symbols_.function_names(), "use one of the known functions")),
        token.column};
  }
  const std::vector<int> given = arguments(take());
  if (builtin == nullptr) {
    if (given.size() != 1) fail_arity(token, "1 argument", word + "(x)", given.size());
    return tape_.function1(*function, given[0]);
  }
  const int count = static_cast<int>(given.size());
  const bool too_many = builtin->max_arguments != Builtin::kAnyNumber && count > builtin->max_arguments;
  if (count < builtin->min_arguments || too_many)
    fail_arity(token, arity(*builtin), builtin->usage, given.size());
  try {
    return builtin->build(tape_, given);
  } catch (const std::invalid_argument& wrong) {
    throw ExpressionError{wrong.what(), token.column};
  }
}

std::vector<int> Parser::arguments(const Token& open) {
  std::vector<int> given;
  if (accept(")")) return given;
  do given.push_back(nested([&] { return binary(1); }));
  while (accept(","));
  close(open);
  return given;
}

void Parser::close(const Token& open) {
  if (accept(")")) return;
  if (token_.kind != TokenKind::kEnd) fail_at_token();
  throw ExpressionError{"missing ')': this '(' is never closed", open.column};
}

// A whole operand has been read and the token cannot follow it.
void Parser::fail_at_token() const {
  if (token_.is(")")) throw ExpressionError{"this ')' closes nothing: remove it or add '('", token_.column};
  if (token_.is(","))
    throw ExpressionError{
        "unexpected ',': it only separates the arguments of a function; decimals take a point",
        token_.column};
  const bool is_factor = previous_.kind == TokenKind::kNumber && token_.kind == TokenKind::kName;
  // 2*30 deg
  const std::string word(token_.text);
  if (is_factor && !symbols_.find_variable(word) && !symbols_.find_constant(word)) {
    const std::string_view quantity = leading_quantity(text_.substr(previous_.column));
    if (!quantity.empty()) throw ExpressionError{mixed_units(quantity), previous_.column};
  }
  const std::string hint =
      is_factor ? fmt::format("write {}*{}; units stand only after a single number, as in 0.3 m",
                              previous_.text, token_.text)
      : previous_.kind == TokenKind::kNumber && token_.kind == TokenKind::kNumber
          ? fmt::format("write {}{} if it is one number, * to multiply", previous_.text, token_.text)
          : "write * to multiply";
  throw ExpressionError{
      fmt::format("missing operator between '{}' and '{}': {}", previous_.text, token_.text, hint),
      token_.column};
}

}  // namespace trammel::expressions
