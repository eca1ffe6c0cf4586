// Expression text to tape, by recursive descent. From loosest to tightest:
//
//   or | and | not | < <= > >= == != | + - | * / | unary - + | ^ ** (right)      so -x^2 = -(x^2), 2^-1 = 0.5
//   number, name, pi, ( ... ), function( ... )
//
// Comparisons do not chain. Nesting is limited, so no text can exhaust the stack.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "expressions/lexer.h"
#include "expressions/symbols.h"
#include "expressions/tape_builder.h"

namespace trammel::expressions {

class Parser {
 public:
  static constexpr std::size_t kMaxLength = 10'000;
  static constexpr int kMaxDepth = 200;

  // definition: the name that the text defines; empty: none
  Parser(std::string_view text, const Symbols& symbols, const std::string& definition);

  // Throws ExpressionError.
  Tape run();

 private:
  int binary(int level);
  int unary();
  int power();
  int primary();
  int name(const Token& token);
  int definition(const std::string& name, const std::string& text, std::size_t column);
  int whole();
  int call(const Token& token);
  std::vector<int> arguments(const Token& open);
  int apply_binary(std::string_view op, int a, int b);

  template <typename Rule>
  int nested(Rule rule);
  Token take();
  bool accept(std::string_view word);
  void close(const Token& open);
  [[noreturn]] void fail_at_token() const;

  std::string_view text_;
  const Symbols& symbols_;
  Lexer lexer_;
  Token token_;
  Token previous_;
  int depth_ = 0;
  std::vector<std::string> inside_;     // definitions whose texts are being read, outermost first
  std::map<std::string, int> defined_;  // what definitions that were read stand for
  TapeBuilder tape_;
};

}  // namespace trammel::expressions
