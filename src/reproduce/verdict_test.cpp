// The rules of verdicts, each at its edge.
#include "reproduce/verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace trammel::reproduce::verdict_test {
namespace {

Row row(const std::string& published, double noise = 0) {
  Row r;
  r.key = r.label = "row";
  r.published = published;
  r.noise = noise;
  return r;
}

std::string verdict(const Row& r, double value) {
  Measured m;
  m.value = value;
  return to_string(judge(r, m));
}

std::string verdict(const Row& r, double value, bool holds) {
  Measured m;
  m.value = value;
  m.holds = holds;
  return to_string(judge(r, m));
}

TEST(Verdict, ReadsHalfAUnitOfTheLastPrintedDigit) {
  EXPECT_DOUBLE_EQ(parse_printed("0.0377")->half_unit, 0.00005);
  EXPECT_DOUBLE_EQ(parse_printed("-5.277e-1")->half_unit, 0.5e-4);
  EXPECT_DOUBLE_EQ(parse_printed("-5.277e-1")->value, -0.5277);
  EXPECT_DOUBLE_EQ(parse_printed("10")->half_unit, 0.5);
  EXPECT_FALSE(parse_printed("linear"));
  EXPECT_FALSE(parse_printed("< 3e-6"));
  EXPECT_FALSE(parse_printed("1.9 % more"));
  EXPECT_FALSE(parse_printed(""));
}

TEST(Verdict, IsReproducedUpToTheRoundingOfThePrint) {
  EXPECT_EQ(verdict(row("0.833"), 0.8334), "reproduced");
  EXPECT_EQ(verdict(row("0.833"), 0.8335), "reproduced");
  EXPECT_EQ(verdict(row("0.833"), 0.83351), "within 0.1 %");
  // noise is added to it
  EXPECT_EQ(verdict(row("2.443655269310963e0", 1e-11), 2.443655269310963 + 9e-12), "reproduced");
  EXPECT_EQ(verdict(row("2.443655269310963e0", 1e-11), 2.443655269310963 + 2e-11), "within 0.001 %");
}

TEST(Verdict, StatesTheNextOfOneTwoThreeFive) {
  EXPECT_EQ(verdict(row("100.0"), 104), "within 5 %");
  EXPECT_EQ(verdict(row("100.0"), 95), "within 5 %");
  EXPECT_EQ(verdict(row("100.0"), 94), "within 10 %");
  EXPECT_EQ(verdict(row("100.0"), 101.5), "within 2 %");
  EXPECT_EQ(verdict(row("100.0"), 130), "within 30 %");
  EXPECT_EQ(verdict(row("100.0"), 131), "not reproduced");
  EXPECT_EQ(verdict(row("100.0"), -100), "not reproduced");
}

TEST(Verdict, FallsBackOnBehaviourOnlyWhereItHolds) {
  EXPECT_EQ(verdict(row("3.5e-4"), 2e-4, true), "same behaviour");
  EXPECT_EQ(verdict(row("3.5e-4"), 2e-4, false), "not reproduced");
  EXPECT_EQ(verdict(row("quadratic"), NAN, true), "same behaviour");
  EXPECT_EQ(verdict(row("quadratic"), NAN, false), "not reproduced");
  EXPECT_EQ(verdict(row("0.0664"), INFINITY), "not reproduced");
}

TEST(Verdict, BoundsAndPowersOfTenThatArePrinted) {
  EXPECT_EQ(verdict(row("<3e-6"), 2.9e-6), "reproduced");
  EXPECT_EQ(verdict(row("< 3e-6"), 3.1e-6), "not reproduced");
  EXPECT_EQ(verdict(row("~1e-14"), 3e-14), "reproduced");
  EXPECT_EQ(verdict(row("~1e-14"), 4e-14), "not reproduced");
  EXPECT_EQ(verdict(row("<3e-6"), -1), "not reproduced");
}

TEST(Verdict, AFittedFigureIsAtBestTheSameBehaviour) {
  Row fitted = row("2.33");
  fitted.fitted = "ρ, so that it comes out";
  EXPECT_EQ(verdict(fitted, 2.33, true), "same behaviour");
  EXPECT_EQ(verdict(fitted, 2.33, false), "not reproduced");
  EXPECT_EQ(verdict(fitted, 2.33), "not reproduced");
}

TEST(Verdict, AnUnpublishedBoundIsCheckedOrFails) {
  Row check = row("");
  check.bound = 1e-8;
  EXPECT_EQ(verdict(check, 1e-8), "checked");
  EXPECT_EQ(verdict(check, -1.1e-8), "failed");
  EXPECT_EQ(verdict(check, INFINITY), "failed");
  EXPECT_THROW(verdict(check, NAN), std::logic_error);
  EXPECT_LT(badness("checked"), badness("within 0.01 %"));
}

TEST(Verdict, NothingMeasuredIsADefect) {
  EXPECT_THROW(verdict(row("0.833"), NAN), std::logic_error);
  EXPECT_THROW(verdict(row("linear"), 1), std::logic_error);
}

TEST(Verdict, AreOrderedFromBestToWorst) {
  const char* const order[] = {"reproduced",     "within 0.01 %",  "within 5 %", "within 30 %",
                               "same behaviour", "not reproduced", "not run",    "failed"};
  for (std::size_t i = 1; i < std::size(order); ++i)
    EXPECT_LT(badness(order[i - 1]), badness(order[i])) << order[i];
  EXPECT_THROW(badness("fine"), std::runtime_error);
}

TEST(Verdict, ShowsOneDigitMoreThanPrinted) {
  EXPECT_EQ(shown(0.8333333, "0.833"), "0.8333");
  EXPECT_EQ(shown(3.19618e-5, "3.1960e-5"), "3.19618e-05");
  EXPECT_EQ(shown(INFINITY, "0.0664"), "∞");
}

}  // namespace
}  // namespace trammel::reproduce::verdict_test
