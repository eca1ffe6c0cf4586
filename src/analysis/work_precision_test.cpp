// Work against precision: errors fall by the order of the rule, the reference is better than every point and
// checked by another formulation, and what cannot be measured says why.
#include "analysis/work_precision.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/models_testing.h"
#include "results/report/compare_report.h"
#include "trammel/model.h"

namespace trammel::tests::work_precision_test {
namespace {

Mechanism model(const std::string& name, double duration) {
  Mechanism mechanism = tests::model(name);
  mechanism.plan.duration = duration;
  return mechanism;
}

struct Measured {
  std::vector<analysis::Comparison> rows;
  analysis::WorkPrecision curves;
};

Measured measure(const Mechanism& mechanism, const analysis::Compared& what) {
  const analysis::Comparisons compared = analysis::compare(mechanism, mechanism.plan, what);
  return {compared.rows, analysis::work_precision(mechanism, compared)};
}

TEST(WorkPrecision, ErrorsFallWithTheStepByTheOrderOfTheRule) {
  const Mechanism mechanism = model("double-pendulum", 0.8);
  const Measured m =
      measure(mechanism, {{"augmented-lagrangian-index3", "lagrange"}, {"trapezoidal", "rk4"}});
  ASSERT_EQ(m.rows.size(), 3U);
  ASSERT_EQ(m.curves.reference.problem, "");
  const double order[] = {2, 2, 4};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& points = m.curves.curves[i].points;
    ASSERT_EQ(points.size(), 5U);
    for (std::size_t k = 0; k + 1 < points.size(); ++k) {
      const bool is_accurate =
          *points[k].error <= mechanism.plan.accuracy * m.curves.reference.motion.extent();
      EXPECT_EQ(points[k].status, is_accurate ? "ok" : "limited") << points[k].reason;
      EXPECT_DOUBLE_EQ(points[k].step, 2 * points[k + 1].step);
      EXPECT_GT(points[k].seconds, 0);
      // The coarsest steps of 8 and 4 ms are still a little outside the range of the leading term.
      EXPECT_NEAR(std::log2(*points[k].error / *points[k + 1].error), order[i], 0.3)
          << m.rows[i].integrator << k;
    }
    // The finest error is known to two digits at least.
    EXPECT_LT(m.curves.reference.agreement, 0.01 * *points.back().error);
    EXPECT_EQ(*m.curves.curves[i].as_is->error, *points[2].error);
  }
}

TEST(WorkPrecision, ErrorsFallWithTheTolerance) {
  const Mechanism mechanism = model("double-pendulum", 2);
  const Measured m = measure(mechanism, {{"lagrange"}, {"dopri5"}});
  const auto& points = m.curves.curves[0].points;
  ASSERT_EQ(points.size(), 7U);
  for (const analysis::WorkPrecisionPoint& p : points) EXPECT_EQ(p.step, 0);
  // Six decades of tolerance: the error of a run follows the local one's in proportion; one decade for what
  // this motion amplifies.
  EXPECT_LT(*points.back().error, 1e-5 * *points.front().error);
}

TEST(WorkPrecision, RefusedRowsHaveNoPointsAndAReason) {
  const Mechanism mechanism = model("bricard", 0.2);
  const Measured m = measure(mechanism, {{"lagrange", "augmented-lagrangian"}, {"rk4", "dopri5"}});
  // What lagrange refuses it refuses with every integrator: one row.
  ASSERT_EQ(m.rows.size(), 3U);
  EXPECT_EQ(m.rows[0].status, "refused");
  EXPECT_NE(m.rows[0].reason.find("depend on others"), std::string::npos);
  EXPECT_TRUE(m.curves.curves[0].points.empty());
  EXPECT_EQ(m.curves.curves[1].points.size(), 5U);
  // The redundant mechanism takes its references from formulations that can do it.
  const analysis::Reference& r = m.curves.reference;
  EXPECT_EQ(r.problem, "");
  EXPECT_NE(r.first.find("augmented-lagrangian by dopri5"), std::string::npos) << r.first;
  EXPECT_NE(r.second.find("augmented-lagrangian-index3"), std::string::npos) << r.second;
  EXPECT_LT(r.agreement, 1e-9);
}

TEST(WorkPrecision, KeepsTheBranchThroughSingularPositions) {
  // Three passages. The references agree, so both have kept the branch; a motion on another one is called
  // lost.
  const Mechanism mechanism = model("double-four-bar", 5);
  const Measured m = measure(mechanism, {{"augmented-lagrangian-index3", "penalty"}, {}});
  EXPECT_EQ(m.curves.reference.problem, "");
  EXPECT_LT(m.curves.reference.agreement, 1e-4);
  EXPECT_LT(*m.curves.curves[0].points.back().error, 0.01);
  for (const analysis::WorkPrecisionPoint& p : m.curves.curves[1].points)
    if (p.error && *p.error > 1) {
      EXPECT_TRUE(p.status == "lost" || p.status == "failed") << p.status;
      EXPECT_NE(p.reason, "");
    }
}

TEST(WorkPrecision, SaysWhenNoReferenceCanBeTrusted) {
  // A double pendulum forgets its start: rounding itself grows to the size of the motion.
  const Mechanism mechanism = model("double-pendulum", 60);
  const Measured m = measure(mechanism, {{"augmented-lagrangian-index3"}, {}});
  EXPECT_NE(m.curves.reference.problem.find("shorter duration"), std::string::npos);
  for (const analysis::WorkPrecisionPoint& p : m.curves.curves[0].points) EXPECT_FALSE(p.error);
  const std::string page = results::comparison_page(mechanism, mechanism.plan, m.rows, m.curves);
  EXPECT_NE(page.find("Errors cannot be told"), std::string::npos);
}

TEST(Compare, CountsErrorsOfOrientation) {
  // A gyrostat floats about its centre of mass, which does not move.
  const Mechanism mechanism = model("gyrostat", 2);
  const std::vector<analysis::Comparison> rows =
      analysis::compare(mechanism, mechanism.plan, {{"augmented-lagrangian-index3"}, {}}).rows;
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_GT(*rows[0].max_difference, 1e-9);
}

}  // namespace
}  // namespace trammel::tests::work_precision_test
