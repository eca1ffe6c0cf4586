#include "analysis/compare.h"

#include <gtest/gtest.h>

#include "results/report/compare_report.h"
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

// Without step and tolerance, and without a formulation: what 'trammel run' would do is the first row.
TEST(Compare, ListsTheDefaultPlanAndSaysWhatEachRowRanBy) {
  const Mechanism mechanism = pendulum("{duration: 0.5}");
  const analysis::Comparisons all = analysis::compare(mechanism, mechanism.plan, {});
  EXPECT_EQ(all.rows[0].formulation, "automatic");
  EXPECT_EQ(all.rows[0].integrator, "dop853");
  EXPECT_EQ(all.rows[0].status, "ok");
  EXPECT_LT(*all.rows[0].max_difference, 1e-5);
  EXPECT_EQ(all.rows[1].formulation, "augmented-lagrangian-index3");
  const std::string text = results::comparison_text(all);
  EXPECT_NE(text.find("tolerance 1e-06"), std::string::npos) << text;
  EXPECT_NE(text.find("step 0.0005 s"), std::string::npos) << text;
  const auto json = results::comparison_json(all, nullptr);
  EXPECT_EQ(json[0]["tolerance"], 1e-6);
  EXPECT_TRUE(json[0]["step"].is_null());
  EXPECT_EQ(json[2]["formulation"], "lagrange");
  EXPECT_EQ(json[2]["step"], 0.0005);
  EXPECT_TRUE(json[2]["tolerance"].is_null());
  // Where a step is given, the plan that it means is the row of index 3.
  const Mechanism fixed = pendulum("{duration: 0.5, step: 1 ms}");
  EXPECT_EQ(analysis::compare(fixed, fixed.plan, {}).rows[0].formulation, "augmented-lagrangian-index3");
}

// At 20 ms the trapezoidal rule is off by millimetres: not what `accuracy` asks for, and said so.
TEST(Compare, CallsARowLimitedThatIsNotAsExactAsAsked) {
  const Mechanism mechanism = pendulum("{duration: 1, step: 20 ms}");
  const analysis::Comparisons all =
      analysis::compare(mechanism, mechanism.plan, {{"augmented-lagrangian-index3"}, {}});
  ASSERT_EQ(all.rows.size(), 1U);
  EXPECT_GT(*all.rows[0].max_difference, 1e-3 * all.reference.motion.extent());
  EXPECT_EQ(all.rows[0].status, "limited");
  EXPECT_NE(all.rows[0].reason.find("more than accuracy 0.001"), std::string::npos) << all.rows[0].reason;
  Plan coarse = mechanism.plan;
  coarse.accuracy = 0.09;
  EXPECT_EQ(analysis::compare(mechanism, coarse, {{"augmented-lagrangian-index3"}, {}}).rows[0].status, "ok");
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
