// What expressions mean: precedence, values, folding, names.
#include "expressions/parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "expressions/expression.h"

namespace trammel::expressions::parser_test {
namespace {

Expression parsed(const std::string& text, const Symbols& symbols) {
  auto result = Expression::parse(text, symbols);
  if (auto* error = std::get_if<ExpressionError>(&result)) {
    ADD_FAILURE() << text << ": " << error->message;
    return {};
  }
  return std::get<Expression>(result);
}

double value(const Expression& f, const std::vector<double>& x) {
  std::vector<double> scratch(static_cast<std::size_t>(f.scratch_size()));
  return f.value(x, scratch);
}

// With x = 3, y = 2, evaluated once folded and once on the tape: both must agree.
double evaluated(const std::string& text) {
  Symbols variables, constants;
  variables.variable("x");
  variables.variable("y");
  constants.constant("x", 3);
  constants.constant("y", 2);
  const double on_tape = value(parsed(text, variables), {3, 2});
  const Expression folded = parsed(text, constants);
  EXPECT_TRUE(folded.is_constant()) << text;
  const double at_parse = value(folded, {});
  EXPECT_TRUE(at_parse == on_tape || (std::isnan(at_parse) && std::isnan(on_tape))) << text;
  return on_tape;
}

TEST(Expression, Precedence) {
  EXPECT_EQ(evaluated("1 + y*x"), 7);
  EXPECT_EQ(evaluated("(1 + y)*x"), 9);
  EXPECT_EQ(evaluated("x - y - 1"), 0);
  EXPECT_EQ(evaluated("12/x/y"), 2);
  EXPECT_EQ(evaluated("-x^2"), -9);
  EXPECT_EQ(evaluated("(-x)^2"), 9);
  EXPECT_EQ(evaluated("2^x^y"), 512);
  EXPECT_EQ(evaluated("2**x**y"), 512);
  EXPECT_EQ(evaluated("2^-y"), 0.25);
  EXPECT_EQ(evaluated("2*-x"), -6);
  EXPECT_EQ(evaluated("x - -y"), 5);
  EXPECT_EQ(evaluated("+x"), 3);
  EXPECT_EQ(evaluated("1 + x < y*4"), 1);
  EXPECT_EQ(evaluated("x < y or x > y and y > x"), 0);
  EXPECT_EQ(evaluated("x > y or y > x and 0"), 1);
  EXPECT_EQ(evaluated("not x < y"), 1);
  EXPECT_EQ(evaluated("not x and 0"), 0);
  EXPECT_EQ(evaluated("not not x"), 1);
}

TEST(Expression, Comparisons) {
  EXPECT_EQ(evaluated("x <= 3"), 1);
  EXPECT_EQ(evaluated("x >= 3"), 1);
  EXPECT_EQ(evaluated("x < 3"), 0);
  EXPECT_EQ(evaluated("x > 3"), 0);
  EXPECT_EQ(evaluated("x == 3"), 1);
  EXPECT_EQ(evaluated("x != 3"), 0);
}

TEST(Expression, Numbers) {
  EXPECT_EQ(evaluated(".5"), 0.5);
  EXPECT_EQ(evaluated("5."), 5);
  EXPECT_EQ(evaluated("1e-3"), 1e-3);
  EXPECT_EQ(evaluated("2.5E+2"), 250);
  EXPECT_EQ(evaluated("pi"), std::numbers::pi);
}

TEST(Expression, Functions) {
  EXPECT_EQ(evaluated("atan2(x, y)"), std::atan2(3.0, 2.0));
  EXPECT_EQ(evaluated("log(x)"), std::log(3.0));
  EXPECT_EQ(evaluated("log10(x*100/3)"), 2);
  EXPECT_EQ(evaluated("hypot(x, 4)"), 5);
  EXPECT_EQ(evaluated("min(x, y, 5, 1)"), 1);
  EXPECT_EQ(evaluated("max(x, y, 5, 1)"), 5);
  EXPECT_EQ(evaluated("sign(-x) + sign(0*x)"), -1);
  EXPECT_EQ(evaluated("floor(-x/2)"), -2);
  EXPECT_EQ(evaluated("mod(-x, y)"), 1);
  EXPECT_EQ(evaluated("mod(x, -y)"), -1);
  EXPECT_EQ(evaluated("if(x > y, 10, 20)"), 10);
  EXPECT_EQ(evaluated("clamp(x, 0, y)"), 2);
  EXPECT_EQ(evaluated("smooth_sign(x, 0.5)"), std::tanh(6.0));
}

TEST(Expression, StepRisesBetweenItsEnds) {
  EXPECT_EQ(evaluated("step(x, 4, 1, 5, 7)"), 1);
  EXPECT_EQ(evaluated("step(x, 3, 1, 5, 7)"), 1);
  EXPECT_EQ(evaluated("step(x, 2, 1, 4, 7)"), 4);
  EXPECT_EQ(evaluated("step(x, 0, 1, 3, 7)"), 7);
  EXPECT_EQ(evaluated("step(x, 0, 1, 2, 7)"), 7);
}

TEST(Expression, DomainTroubleShowsInTheValue) {
  EXPECT_TRUE(std::isnan(evaluated("log(-x)")));
  EXPECT_TRUE(std::isnan(evaluated("sqrt(-x)")));
  EXPECT_TRUE(std::isinf(evaluated("1/(x - 3)")));
  EXPECT_TRUE(std::isnan(evaluated("min(1, log(-x))")));
  EXPECT_TRUE(std::isnan(evaluated("if(log(-x) > 0, 1, 2)")));
  EXPECT_TRUE(std::isnan(evaluated("step(log(-x), 0, 1, 2, 3)")));
  EXPECT_TRUE(std::isnan(evaluated("sign(log(-x))^0.5")));
  EXPECT_TRUE(std::isnan(evaluated("y^(log(-x) - log(-x))")));
  // A guard keeps the trouble out.
  EXPECT_EQ(evaluated("if(x > 0, x, log(-x))"), 3);
  EXPECT_EQ(evaluated("x < 0 and log(-x) > 1"), 0);
  EXPECT_EQ(evaluated("x > 0 or log(-x) > 1"), 1);
}

TEST(Expression, ConstantsFold) {
  Symbols symbols;
  symbols.constant("L", 0.3);
  symbols.variable("t");
  const Expression f = parsed("2*L + sin(pi/2)*if(1 < 2, 1, t)", symbols);
  EXPECT_TRUE(f.is_constant());
  EXPECT_EQ(f.scratch_size(), Expression::constant(1).scratch_size());
  EXPECT_EQ(value(f, {0}), 2 * 0.3 + 1);
  EXPECT_TRUE(parsed("t^0", symbols).is_constant());
  EXPECT_EQ(parsed("(2*L + 1)*t", symbols).scratch_size(), parsed("L*t", symbols).scratch_size());
}

TEST(Expression, EqualPartsAreShared) {
  Symbols symbols;
  symbols.variable("t");
  EXPECT_EQ(parsed("sin(2*t)*sin(2*t)", symbols).scratch_size(),
            parsed("sin(2*t)*(2*t)", symbols).scratch_size());
}

TEST(Expression, SlotsAreThoseItDependsOn) {
  Symbols symbols;
  for (const char* name : {"a", "b.x", "c", "d"}) symbols.variable(name);
  EXPECT_EQ(symbols.variable("b.x"), 1);
  EXPECT_EQ(symbols.size(), 4);
  EXPECT_EQ(symbols.name(1), "b.x");
  EXPECT_EQ(parsed("d + b.x*d", symbols).slots(), (std::vector<int>{1, 3}));
  EXPECT_EQ(parsed("if(0, a, c)", symbols).slots(), (std::vector<int>{2}));
}

TEST(Expression, ResolveDeclaresOnDemand) {
  Symbols symbols;
  symbols.variable("t");
  symbols.resolve = [&](const std::string& name) -> std::optional<int> {
    if (name.ends_with(".angle")) return symbols.variable(name);
    return std::nullopt;
  };
  const Expression f = parsed("t + hinge.angle*pi", symbols);
  EXPECT_EQ(f.slots(), (std::vector<int>{0, 1}));
  EXPECT_EQ(symbols.name(1), "hinge.angle");
}

TEST(Expression, NamesOfFunctionsAndUnitsAreFreeForVariables) {
  Symbols symbols;
  symbols.variable("step");
  symbols.variable("e");
  EXPECT_EQ(value(parsed("step + 2*e", symbols), {1, 2}), 5);
}

TEST(Expression, Function1ByName) {
  Symbols symbols;
  symbols.variable("t");
  symbols.function("cam", Function1::table({0, 1, 2}, {0, 1, 4}));
  EXPECT_EQ(value(parsed("2*cam(t)", symbols), {1.5}), 5);
  EXPECT_EQ(value(parsed("cam(0.5)", symbols), {}), 0.5);
  EXPECT_THROW(symbols.function("sin", Function1::table({0, 1}, {0, 1})), std::invalid_argument);
}

TEST(Expression, DefinitionsStandForTheirTexts) {
  Symbols symbols;
  symbols.variable("t");
  symbols.constant("k", 3);
  symbols.definition("sum", "t + k");
  symbols.definition("twice", "2*sum");
  EXPECT_EQ(value(parsed("twice^2 - sum*sum", symbols), {1}), 64 - 16);
  EXPECT_EQ(parsed("twice", symbols).slots(), std::vector<int>{0});
  // An error is at the place where the name stands.
  symbols.definition("wrong", "t +* 2");
  const auto error = std::get<ExpressionError>(Expression::parse("1 + wrong", symbols));
  EXPECT_EQ(error.column, 4U);
  EXPECT_EQ(error.definition, "wrong");
  // Of n definitions that use the one before twice, each is read once.
  symbols.definition("d0", "t");
  for (int i = 1; i <= 60; ++i)
    symbols.definition("d" + std::to_string(i), "d" + std::to_string(i - 1) + " + d" + std::to_string(i - 1));
  EXPECT_EQ(value(parsed("d60", symbols), {1}), std::pow(2.0, 60));
}

TEST(Expression, DefinitionsInACircleAreRefused) {
  Symbols symbols;
  symbols.definition("a", "2*b");
  symbols.definition("b", "c - 1");
  symbols.definition("c", "1/b");
  const auto error = std::get<ExpressionError>(Expression::parse("a", symbols));
  EXPECT_EQ(error.message,
            "these definitions need each other in a circle, b → c → b: define one without the others");
  EXPECT_EQ(error.circle, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(std::get<ExpressionError>(Expression::parse("c - 1", symbols, "b")).circle.size(), 2U);
}

TEST(Expression, TextAndConstant) {
  EXPECT_EQ(parsed(" 1 + 2", Symbols()).text(), " 1 + 2");
  EXPECT_EQ(Expression::constant(2.5).text(), "2.5");
  EXPECT_EQ(value(Expression::constant(2.5), {}), 2.5);
  EXPECT_EQ(value(Expression(), {}), 0);
}

}  // namespace
}  // namespace trammel::expressions::parser_test
