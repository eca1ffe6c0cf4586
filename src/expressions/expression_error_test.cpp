// Every error a person can meet, word for word, and that no text does worse than an error.
#include "expressions/expression_error.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "expressions/expression.h"

namespace trammel::expressions::expression_error_test {
namespace {

Symbols model() {
  Symbols symbols;
  symbols.variable("t");
  symbols.variable("hinge.angle");
  symbols.constant("speed", 2);
  symbols.function("cam", Function1::table({0, 1}, {0, 1}));
  symbols.suggestions = [] { return std::vector<std::string>{"slider.position"}; };
  return symbols;
}

void expect_error(const std::string& text, std::size_t column, const std::string& message) {
  const auto result = Expression::parse(text, model());
  const auto* error = std::get_if<ExpressionError>(&result);
  ASSERT_NE(error, nullptr) << text;
  EXPECT_EQ(error->message, message) << text;
  EXPECT_EQ(error->column, column) << text;
}

TEST(ExpressionErrors, Names) {
  expect_error("2*hinge.agle", 2, "unknown name 'hinge.agle': did you mean 'hinge.angle'?");
  expect_error("slider.positoin", 0, "unknown name 'slider.positoin': did you mean 'slider.position'?");
  expect_error(
      "1 + friction", 4,
      "unknown name 'friction': declare it as a parameter, or use one of the known names (t, hinge.angle, "
      "speed, pi, slider.position)");
  expect_error("sin + 1", 0, "'sin' is a function: write sin(x)");
  expect_error("cam", 0, "'cam' is a function: write cam(x)");
}

TEST(ExpressionErrors, Functions) {
  expect_error("1 + sine(t)", 4, "unknown function 'sine': did you mean 'sin'?");
  expect_error("came(t)", 0, "unknown function 'came': did you mean 'cam'?");
  expect_error(
      "derivative(t)", 0,
      "unknown function 'derivative': use one of the known functions (sin, cos, tan, asin, acos, atan, "
      "atan2, sinh, cosh, tanh, exp, log, ...)");
  expect_error("speed(t + 1)", 0, "'speed' is not a function: to multiply write speed*( )");
  expect_error("sin()", 0, "sin takes 1 argument, not 0: write sin(x)");
  expect_error("1 + atan2(t)", 4, "atan2 takes 2 arguments, not 1: write atan2(y, x)");
  expect_error("min(t)", 0, "min takes at least 2 arguments, not 1: write min(a, b, ...)");
  expect_error("if(t, 1)", 0, "if takes 3 arguments, not 2: write if(condition, a, b)");
  expect_error("cam(t, 1)", 0, "cam takes 1 argument, not 2: write cam(x)");
  expect_error("2*step(t, 1, 0, 1, 5)", 2,
               "step(x, x0, y0, x1, y1) has x0 equal to x1: make them differ, or write if(x < x0, y0, y1)");
  expect_error("clamp(t, 2, 1)", 0, "clamp(x, lo, hi) has lo above hi: exchange them");
  expect_error("smooth_sign(t, 0)", 0,
               "smooth_sign(x, width) has width 0: give a positive width, or use sign(x)");
}

TEST(ExpressionErrors, Parentheses) {
  expect_error("2*(t + 1", 2, "missing ')': this '(' is never closed");
  expect_error("sin(t", 3, "missing ')': this '(' is never closed");
  expect_error("t + 1)", 5, "this ')' closes nothing: remove it or add '('");
  expect_error("()", 1, "a value is missing after '(' before ')': write a number, a name or ( )");
}

TEST(ExpressionErrors, MissingValues) {
  expect_error("", 0, "empty expression: write a number or a formula");
  expect_error("  \t", 0, "empty expression: write a number or a formula");
  expect_error("t +", 3, "a value is missing after '+': the expression ends too soon");
  expect_error("* t", 0, "a value is missing before '*': write a number, a name or ( )");
  expect_error("t * / 2", 4, "a value is missing after '*' before '/': write a number, a name or ( )");
  expect_error("max(t, )", 7, "a value is missing after ',' before ')': write a number, a name or ( )");
  expect_error("t and or t", 6, "a value is missing after 'and' before 'or': write a number, a name or ( )");
}

TEST(ExpressionErrors, TrailingCharacters) {
  expect_error(
      "2 t", 2,
      "missing operator between '2' and 't': write 2*t; units stand only after a single number, as in 0.3 m");
  expect_error("t 2", 2, "missing operator between 't' and '2': write * to multiply");
  expect_error("2(t)", 1, "missing operator between '2' and '(': write * to multiply");
  expect_error("(t t)", 3, "missing operator between 't' and 't': write * to multiply");
  expect_error("1,5", 1,
               "unexpected ',': it only separates the arguments of a function; decimals take a point");
}

TEST(ExpressionErrors, UnitsInside) {
  expect_error("2*30 deg", 2,
               "units do not mix with expressions: make 30 deg a parameter and write its name instead, as in "
               "speed*t");
  expect_error("t + 5 m/s*2", 4,
               "units do not mix with expressions: make 5 m/s a parameter and write its name instead, as in "
               "speed*t");
}

TEST(ExpressionErrors, Operators) {
  expect_error("1 < t < 2", 6, "comparisons do not chain: write a < b and b < c");
  expect_error("2*not t", 2, "'not' binds loosely: write (not ...) here");
  expect_error("t = 2", 2, "unexpected character '=': write == to compare");
  expect_error("t && 1", 2, "unexpected character '&': write and");
  expect_error("t || 1", 2, "unexpected character '|': write or");
  expect_error("!t", 0, "unexpected character '!': write not, or != to compare");
  expect_error("t % 2", 2, "unexpected character '%': write mod(a, b)");
  expect_error("[t]", 0, "unexpected character '[': write ( )");
  expect_error("2 \xC2\xB7 t", 2, "unexpected character '\xC2\xB7': write *");
  expect_error(
      "2 \xC2\xA7 t", 2,
      "unexpected character '\xC2\xA7': names have letters, digits, _ and inner dots; operators are + - * / "
      "^ < <= > >= == !=");
}

TEST(ExpressionErrors, Limits) {
  expect_error("1 + 1e999", 4, "the number 1e999 is outside the range 1e-308 to 1e308");
  const std::string deep = "nested deeper than 200 levels: split the expression";
  expect_error(std::string(201, '(') + "t", 201, deep);
  expect_error(std::string(5000, '-') + "t", 201, deep);
  std::string tower = "t";
  for (int i = 0; i < 201; ++i) tower += "^t";
  expect_error(tower, 402, deep);
  expect_error(std::string(10001, ' '), 10000,
               "the expression has 10001 characters, more than 10000: use a table or a spline for data");
}

TEST(ExpressionErrors, LongAndDeepWithinTheLimits) {
  std::string sum = "t";
  while (sum.size() < 9990) sum += "+t*t";
  EXPECT_TRUE(std::holds_alternative<Expression>(Expression::parse(sum, model())));
  const std::string deep = std::string(200, '(') + "t" + std::string(200, ')');
  EXPECT_TRUE(std::holds_alternative<Expression>(Expression::parse(deep, model())));
}

// Random texts, half of them made of whole words so that many of them parse, are evaluated or refused in
// place.
TEST(ExpressionErrors, NoTextDoesWorse) {
  const std::vector<std::string> words = {
      "t",    "hinge.angle", "speed", "pi", "sin(", "min(", "if(", "step(", "cam(", "mod(", "(", ")",   ",",
      "+",    "-",           "*",     "/",  "^",    "**",   "<",   "<=",    "==",   "!=",   ">", "and", "or",
      "not ", " ",           "1",     ".5", "1e-3", "1e",   "0",   "x",     ".",    "\xC3", "=", "e",   "\n"};
  std::mt19937 random(20240601);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  const Symbols symbols = model();
  const std::vector<double> x{0.3, -1.2};
  int valid = 0;
  for (int trial = 0; trial < 40'000; ++trial) {
    std::string text;
    const std::size_t length = 1 + below(12);
    for (std::size_t k = 0; k < length; ++k)
      text += trial % 2 == 0 ? words[below(words.size())] : std::string(1, static_cast<char>(below(256)));
    const auto result = Expression::parse(text, symbols);
    if (const auto* error = std::get_if<ExpressionError>(&result)) {
      ASSERT_FALSE(error->message.empty());
      ASSERT_LE(error->column, text.size());
      continue;
    }
    ++valid;
    const Expression& f = std::get<Expression>(result);
    std::vector<double> g(2), h(4), scratch(static_cast<std::size_t>(f.scratch_size()));
    f.hessian(x, g, h, scratch);
    f.taylor(x, 0, scratch);
  }
  EXPECT_GT(valid, 500);
}

}  // namespace
}  // namespace trammel::expressions::expression_error_test
