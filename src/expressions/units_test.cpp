#include "expressions/units.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace trammel::expressions::units_test {
namespace {

using std::numbers::pi;

struct Case {
  std::string text;
  double value;
  std::string dimension;
};

TEST(Units, ReadIntoSI) {
  const std::vector<Case> cases = {
      {"0.3 m", 0.3, "m"},
      {"9 mm", 0.009, "m"},
      {"-2 mm", -0.002, "m"},
      {"+2cm", 0.02, "m"},
      {"3 km", 3000, "m"},
      {"7 um", 7e-6, "m"},
      {"1 in", 0.0254, "m"},
      {"1 ft", 0.3048, "m"},
      {" 1 kg ", 1, "kg"},
      {"5 g", 0.005, "kg"},
      {"2 t", 2000, "kg"},
      {"1 lb", 0.45359237, "kg"},
      {"10 s", 10, "s"},
      {"1 ms", 0.001, "s"},
      {"3 us", 3e-6, "s"},
      {"2 min", 120, "s"},
      {"1 h", 3600, "s"},
      {"2 rad", 2, "rad"},
      {"180 deg", pi, "rad"},
      {"1 rev", 2 * pi, "rad"},
      {"0.5 turn", pi, "rad"},
      {"60 rpm", 2 * pi, "rad/s"},
      {"50 Hz", 50, "1/s"},
      {"2 N", 2, "N"},
      {"2 kN", 2000, "N"},
      {"2 mN", 0.002, "N"},
      {"3 J", 3, "N.m"},
      {"3 W", 3, "W"},
      {"1 Pa", 1, "N/m^2"},
      {"1 kPa", 1e3, "N/m^2"},
      {"1 MPa", 1e6, "N/m^2"},
      {"210 GPa", 210e9, "N/m^2"},
      {"100 N/m", 100, "N/m"},
      {"2 kg.m^2", 2, "kg.m^2"},
      {"2 kg*m^2", 2, "kg.m^2"},
      {"5 N.m/rad", 5, "N.m/rad"},
      {"1e-3 m/s^2", 1e-3, "m/s^2"},
      {"36 km/h", 10, "m/s"},
      {"4 N/(m/s)", 4, "N.s/m"},
      {"4 N/(m.s)", 4, "N/m/s"},
      {"8 1/s", 8, "1/s"},
      {"8 s^-1", 8, "1/s"},
      {"2 m/m", 2, "1"},
  };
  for (const Case& c : cases) {
    const auto result = parse_quantity(c.text);
    ASSERT_TRUE(result && std::holds_alternative<Quantity>(*result)) << c.text;
    const Quantity& quantity = std::get<Quantity>(*result);
    EXPECT_DOUBLE_EQ(quantity.value, c.value) << c.text;
    ASSERT_TRUE(quantity.dimension) << c.text;
    EXPECT_EQ(to_string(*quantity.dimension), c.dimension) << c.text;
  }
}

TEST(Units, MillimetresAreRoundedOnce) {
  for (int n = 1; n <= 1000; ++n) {
    const auto result = parse_quantity(std::to_string(n) + " mm");
    EXPECT_EQ(std::get<Quantity>(*result).value, n / 1000.0);
  }
}

TEST(Units, DimensionsAreReadBack) {
  for (const Dimension& d : {Dimension{2, 1, -2, -1}, Dimension{-1, 0, -1, 0}, Dimension{0, 0, -2, 1}}) {
    const auto result = parse_quantity("1 " + to_string(d));
    ASSERT_TRUE(result && std::holds_alternative<Quantity>(*result)) << to_string(d);
    EXPECT_EQ(std::get<Quantity>(*result).dimension, d);
  }
}

TEST(Units, PlainNumbersHaveNoDimension) {
  for (const std::string text : {"3.5", " 3.5 ", "+3.5", "35e-1"}) {
    const auto result = parse_quantity(text);
    ASSERT_TRUE(result && std::holds_alternative<Quantity>(*result)) << text;
    EXPECT_EQ(std::get<Quantity>(*result).value, 3.5);
    EXPECT_FALSE(std::get<Quantity>(*result).dimension);
  }
  EXPECT_EQ(std::get<Quantity>(*parse_quantity("1e3")).value, 1000);
}

TEST(Units, ExpressionsAreLeftAlone) {
  for (const std::string text : {"", " ", "2*L", "3 * t", "3 - 2", "L", "speed*t", "2/s", "2^3", "(2)",
                                 "2 (m)", "-x", "- 2 mm", "-", "3 < 2"})
    EXPECT_FALSE(parse_quantity(text)) << text;
}

TEST(Units, RadianCountsAsANumber) {
  const Dimension rate{.time = -1, .angle = 1}, frequency{.time = -1}, speed{.length = 1, .time = -1};
  EXPECT_TRUE(compatible(rate, frequency));
  EXPECT_FALSE(rate == frequency);
  EXPECT_FALSE(compatible(rate, speed));
}

void expect_error(const std::string& text, std::size_t column, const std::string& message) {
  const auto result = parse_quantity(text);
  ASSERT_TRUE(result && std::holds_alternative<ExpressionError>(*result)) << text;
  EXPECT_EQ(std::get<ExpressionError>(*result).message, message) << text;
  EXPECT_EQ(std::get<ExpressionError>(*result).column, column) << text;
}

TEST(Units, ErrorsNameTheRemedy) {
  expect_error("2 L", 2,
               "unknown unit 'L': to multiply write 2*L; use one of m mm cm km um in ft kg g mg t lb s ms us "
               "min h rad "
               "deg rev turn rpm Hz N kN mN J W Pa kPa MPa GPa");
  expect_error("5 N/mmm", 4, "unknown unit 'mmm': did you mean 'mm'?");
  expect_error("2 inch", 2, "unknown unit 'inch': did you mean 'in'?");
  expect_error("2 kW", 2, "unknown unit 'kW': 1 kW is 1000 W; write the number in that unit");
  expect_error("2 mrad", 2, "unknown unit 'mrad': 1 mrad is 0.001 rad; write the number in that unit");
  expect_error("3 lbf", 2, "unknown unit 'lbf': 1 lbf is 4.448222 N; write the number in that unit");
  expect_error("2 MPA", 2, "unknown unit 'MPA': did you mean 'MPa'?");
  expect_error("2 m/", 4, "a unit is missing here: write one such as m, kg, N.m or rad/s");
  expect_error(
      "2 m + 1", 4,
      "units do not mix with expressions: make 2 m a parameter and write its name instead, as in speed*t");
  expect_error("2 N/m.s", 6, "a product after '/' can be read in two ways: use parentheses, as in N/(m.s)");
  expect_error("2 N/(m.s", 8, "missing ')' in the unit");
  expect_error("2 m^x", 4, "the power of a unit is a whole number from -9 to 9, as in m^2");
  expect_error("2 m^99999999999", 4, "the power of a unit is a whole number from -9 to 9, as in m^2");
  expect_error("2 m/" + std::string(30, '('), 25,
               "too many parentheses in the unit: write it plainly, as in N.s/m");
  expect_error("1e999", 0, "the number is outside the range 1e-308 to 1e308");
  expect_error("1e300 km^9", 0, "the number is outside the range 1e-308 to 1e308");
}

TEST(Units, WrongUnitsSayWhatWasMeant) {
  const std::pair<const char*, const char*> cases[] = {
      {"Nm", "N.m"},   {"kgm", "kg.m"},      {"kgm^2", "kg.m^2"}, {"kgm2", "kg.m^2"},  {"m2", "m^2"},
      {"Nms", "N.ms"}, {"kNm", "kN.m"},      {"Nmm", "N.mm"},     {"\xC2\xB0", "deg"}, {"degrees", "deg"},
      {"sec", "s"},    {"s\xC2\xB2", "s^2"}, {"kgs", "kg"},       {"KG", "kg"}};
  for (const auto& [text, meant] : cases)
    expect_error(fmt::format("5 {}", text), 2,
                 fmt::format("unknown unit '{}': did you mean '{}'?", text, meant));
  expect_error("5 m/s\xC2\xB2", 4, "unknown unit 's\xC2\xB2': did you mean 's^2'?");
  expect_error("5 kg m^2", 5, "unexpected 'm^2' after the unit: between units write '.', as in N.m");
  expect_error("5 N-m", 3, "unexpected '-m' after the unit: between units write '.', as in N.m");
}

TEST(Units, AMiddleDotIsAProduct) {
  const auto result = parse_quantity("5 N\xC2\xB7mm");
  EXPECT_DOUBLE_EQ(std::get<Quantity>(*result).value, 0.005);
}

TEST(Units, ExpressionsTakeNone) {
  const std::string mixed =
      "units do not mix with expressions: make {} a parameter and write its name instead, as in speed*t";
  expect_error("60 rpm * t", 9, fmt::format(fmt::runtime(mixed), "60 rpm"));
  expect_error("60 rpm*sin(t)", 7, fmt::format(fmt::runtime(mixed), "60 rpm"));
  expect_error("5 N.m*speed", 6, fmt::format(fmt::runtime(mixed), "5 N.m"));
  expect_error("5 N - 3", 4, fmt::format(fmt::runtime(mixed), "5 N"));
  EXPECT_EQ(leading_quantity("30 m/s + 2"), "30 m/s");
  EXPECT_EQ(leading_quantity("30 + 2"), "");
}

TEST(Units, NoTextDoesWorse) {
  std::mt19937 random(7);
  const std::string alphabet = "0123456789 .*/^()-+emskgNrad\xC2\xB5";
  for (int trial = 0; trial < 20'000; ++trial) {
    std::string text = "2 ";
    for (std::size_t k = random() % 12; k > 0; --k) text += alphabet[random() % alphabet.size()];
    const auto result = parse_quantity(text);
    if (!result || !std::holds_alternative<ExpressionError>(*result)) continue;
    ASSERT_LE(std::get<ExpressionError>(*result).column, text.size());
  }
}

}  // namespace
}  // namespace trammel::expressions::units_test
