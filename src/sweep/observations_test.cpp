// Reductions of columns against closed forms, and expressions of them.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sweep/observations.h"

namespace trammel::sweep::observations_test {
namespace {

constexpr double kPi = std::numbers::pi;

// 2 s in 2001 rows: A.x = 3 sin(2π·5 t) + 1, A.y = 4 t, B = 1 − t, gaps: NaN in every second row.
ObservedRows rows_of(const std::vector<std::string>& needed) {
  ObservedRows rows;
  rows.width = needed.size() + 1;
  for (int k = 0; k <= 2000; ++k) {
    const double t = k * 1e-3;
    rows.values.push_back(t);
    for (const std::string& name : needed)
      rows.values.push_back(name == "t"      ? t
                            : name == "A.x"  ? 3 * std::sin(2 * kPi * 5 * t) + 1
                            : name == "A.y"  ? 4 * t
                            : name == "gaps" ? (k % 2 == 0 ? t * t : std::nan(""))
                            : name == "none" ? std::nan("")
                                             : 1 - t);
  }
  return rows;
}

const std::vector<Channel> kChannels = {{"", "time", "", "s", "t"},       {"a", "x", "x", "m", "A.x"},
                                        {"a", "x", "y", "m", "A.y"},      {"b", "b", "", "N", "B"},
                                        {"g", "g", "", "", "gaps", true}, {"g", "n", "", "", "none", true}};

struct Observed {
  std::vector<std::string> errors;
  Observations made;
  std::vector<double> values;
  explicit Observed(const std::vector<std::string>& texts)
      : made(texts, kChannels, {"L", "m"}, {0, 1, 2}, errors) {
    if (errors.empty()) made.evaluate(rows_of(made.needed()), {10, 20}, values);
  }
};

double value(const std::string& text) {
  const Observed observed({text});
  EXPECT_TRUE(observed.errors.empty()) << text << ": " << observed.errors.front();
  return observed.values.empty() ? 1e300 : observed.values.front();
}

std::string error(const std::string& text) {
  const Observed observed({text});
  return observed.errors.empty() ? "" : observed.errors.front();
}

// Rows are 1 ms apart; the sine has its extremes in rows, and ten whole periods.
TEST(Observations, AgreeWithClosedForms) {
  EXPECT_NEAR(value("peak(A.x)"), 4, 1e-12);
  EXPECT_NEAR(value("max(A.x)"), 4, 1e-12);
  EXPECT_NEAR(value("min(A.x)"), -2, 1e-12);
  EXPECT_NEAR(value("peak(-A.x)"), 4, 1e-12);
  EXPECT_NEAR(value("peak_time(A.x)"), 0.05, 1e-12);
  // The trapezoidal rule is exact to rounding for whole periods; rms takes the straight lines between rows.
  EXPECT_NEAR(value("mean(A.x)"), 1, 1e-12);
  EXPECT_NEAR(value("rms(A.x - 1)"), 3 / std::sqrt(2.0), 1e-3);
  EXPECT_NEAR(value("rms(B)"), std::sqrt(1.0 / 3), 1e-12);
  EXPECT_NEAR(value("integral(A.y)"), 8, 1e-12);
  EXPECT_EQ(value("final(B)"), -1);
  EXPECT_NEAR(value("at(A.y, 0.12345)"), 4 * 0.12345, 1e-12);
  EXPECT_NEAR(value("at(A.y, L/100)"), 0.4, 1e-12);
  double magnitude = 0;
  for (int k = 0; k <= 2000; ++k)
    magnitude = std::max(magnitude, std::hypot(3 * std::sin(2 * kPi * 5 * k * 1e-3) + 1, 4e-3 * k));
  EXPECT_NEAR(value("peak(A)"), magnitude, 1e-12);
  EXPECT_NEAR(value("max(min(A.y, 5))"), 5, 1e-12);
  EXPECT_NEAR(value("rms(A.x - mean(A.x))/m"), 3 / std::sqrt(2.0) / 20, 1e-4);
  EXPECT_NEAR(value("max(peak(A.y), final(B))"), 8, 1e-12);
}

TEST(Observations, FindWhenAConditionHolds) {
  EXPECT_NEAR(value("first_time(A.y > 1.2345)"), 1.2345 / 4, 1e-12);  // between rows
  EXPECT_NEAR(value("first_time(B < 0.5)"), 0.5, 1e-12);
  EXPECT_EQ(value("first_time(B <= 1)"), 0);
  EXPECT_NEAR(value("first_time(A.y > 1 and B < 0.5)"), 0.501, 1e-12);  // the first row in which it holds
  EXPECT_TRUE(std::isnan(value("first_time(A.y > 100)")));
  // What is missing stays missing.
  EXPECT_TRUE(std::isnan(value("first_time(A.y > 100) > 3")));
}

TEST(Observations, LeaveOutRowsWithoutAValue) {
  EXPECT_EQ(value("final(gaps)"), 4);
  EXPECT_NEAR(value("mean(gaps)"), 4.0 / 3, 1e-6);
  EXPECT_NEAR(value("at(gaps, 1.001)"), (1 + 1.002 * 1.002) / 2, 1e-12);
  for (const char* text : {"peak(none)", "mean(none)", "rms(none)", "final(none)", "integral(none)"})
    EXPECT_TRUE(std::isnan(value(text))) << text;
  EXPECT_TRUE(std::isnan(value("at(A.y, 2.5)")));  // after the end
}

TEST(Observations, HaveCurvesAndSpectra) {
  const Observed observed(
      {"c=curve(A.y)", "d=curve(A.y, 0.5, 1.5, 3)", "s=spectrum(A.x, 0, 10, 11)", "z=final(B)"});
  ASSERT_TRUE(observed.errors.empty()) << observed.errors.front();
  const auto& columns = observed.made.columns();
  EXPECT_EQ(columns[0].points, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(columns[1].points, (std::vector<double>{0.5, 1, 1.5}));
  EXPECT_EQ(columns[0].point_unit, "s");
  EXPECT_EQ(columns[2].point_unit, "Hz");
  ASSERT_EQ(observed.values.size(), 3U + 3 + 11 + 1);
  EXPECT_NEAR(observed.values[4], 4, 1e-12);
  EXPECT_NEAR(observed.values[6], 1, 1e-9);      // f = 0: the mean
  EXPECT_NEAR(observed.values[6 + 5], 3, 1e-9);  // the amplitude of the sine
  EXPECT_NEAR(observed.values[6 + 9], 0, 1e-9);
  EXPECT_EQ(observed.values.back(), -1);
  // Above the Nyquist frequency there is nothing to know.
  const Observed fast({"spectrum(A.x, 400, 600, 3)"});
  EXPECT_FALSE(std::isnan(fast.values[1]));
  EXPECT_TRUE(std::isnan(fast.values[2]));
}

TEST(Observations, KnowNamesAndUnits) {
  const Observed observed({"F = peak(B)", "peak(A)", "peak(B)*2", "first_time(B < 0.5)"});
  ASSERT_TRUE(observed.errors.empty()) << observed.errors.front();
  const auto& columns = observed.made.columns();
  EXPECT_EQ(columns[0].name, "F");
  EXPECT_EQ(columns[0].unit, "N");
  EXPECT_EQ(columns[1].unit, "m");
  EXPECT_EQ(columns[2].unit, "");
  EXPECT_EQ(columns[3].unit, "s");
}

TEST(Observations, MistakesAreNamedWithTheirPlaceAndRemedy) {
  EXPECT_NE(error("peak(A.xx)").find("observe 'peak(A.xx)': character 6: "), std::string::npos)
      << error("peak(A.xx)");
  EXPECT_NE(error("peak(A.xx)").find("A.x"), std::string::npos);
  EXPECT_NE(error("A.x").find("'A.x' is a column, which has a value for each time; observe peak(A.x), say"),
            std::string::npos);
  EXPECT_NE(error("paek(A.x)").find("there is no function 'paek'; did you mean 'peak'?"), std::string::npos)
      << error("paek(A.x)");
  EXPECT_NE(error("peak(3)").find("'3' has no column of the results in it"), std::string::npos);
  EXPECT_NE(error("at(A.x)").find("there are 1 arguments; write at(x, time)"), std::string::npos);
  EXPECT_NE(error("at(A.x, A.y)").find("'A.y' changes with time; give a number"), std::string::npos);
  EXPECT_NE(error("2*curve(A.x)").find("cannot be part of an expression"), std::string::npos);
  EXPECT_NE(error("spectrum(A.x, 5, 1, 10)").find("'to' above it"), std::string::npos);
  EXPECT_NE(error("curve(A.x, 0, 1, 1.5)").find("'count' is 1.5; give a whole number"), std::string::npos);
  EXPECT_NE(error("curve(A.x, 0, L, 5)").find("cannot depend on a run"), std::string::npos);
  EXPECT_NE(error("peak(A.x").find("this parenthesis is not closed"), std::string::npos);
  const Observed twice({"peak(B)", "peak(B)"});
  EXPECT_NE(twice.errors.front().find("is observed twice"), std::string::npos);
  EXPECT_NE(Observed({}).errors.front().find("nothing is observed; give --observe"), std::string::npos);
}

}  // namespace
}  // namespace trammel::sweep::observations_test
