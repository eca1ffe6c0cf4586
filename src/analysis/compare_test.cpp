#include "analysis/compare.h"

#include <gtest/gtest.h>

#include "trammel/model.h"

namespace trammel::tests::compare_test {
namespace {

Mechanism pendulum(const std::string& plan) {
  return read_model_text(
             "trammel: 1\nplane: xy\ngravity: [0, -9.81]\n"
             "points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [2, 0]}\n"
             "bodies: {upper: {rod: [O, A], mass: 1}, lower: {rod: [A, B], mass: 1}}\nsimulate: " +
                 plan + "\n",
             "compare.yaml")
      .value();
}

// Steps of a tolerance end elsewhere than at the times that are compared.
TEST(Compare, TakesTheMotionWithinStepsAtItsOwnTimes) {
  const Mechanism mechanism = pendulum("{duration: 1, tolerance: 1e-8}");
  const analysis::Comparisons all = analysis::compare(mechanism, mechanism.plan, {{"automatic"}, {}});
  ASSERT_EQ(all.rows.size(), 1U);
  EXPECT_EQ(all.rows[0].status, "ok");
  ASSERT_TRUE(all.rows[0].max_difference);
  EXPECT_LT(*all.rows[0].max_difference, 1e-6);
}

// A penalty as soft as this lets the pendulum fall.
TEST(Compare, CallsAnotherMotionLost) {
  const Mechanism mechanism = pendulum("{duration: 1, step: 1 ms}");
  Plan plan = mechanism.plan;
  plan.penalty = 1;
  const analysis::Comparisons all = analysis::compare(mechanism, plan, {{"penalty"}, {}});
  ASSERT_EQ(all.rows.size(), 1U);
  EXPECT_EQ(all.rows[0].status, "lost");
  EXPECT_NE(all.rows[0].reason.find("departs from the reference"), std::string::npos);
}

}  // namespace
}  // namespace trammel::tests::compare_test
