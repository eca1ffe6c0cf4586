// The yardsticks follow the same algorithm as the default method: the same steps to rounding.
//
// Both iterate each step to increments of 1e-11 or less; a thousand steps, some of them next to singular
// positions, leave 1e-9 of the mechanism's size at most. Another rule, or another treatment of the
// constraints, would differ by the local error, 1e-6 and more.
#include <gtest/gtest.h>

#include "problem.h"
#include "trammel/simulation.h"
#include "yardsticks/yardstick.h"

namespace trammel::bench::yardstick_test {
namespace {

constexpr int kSteps = 1000;
constexpr double kTolerance = 1e-8;

class YardstickTest : public testing::TestWithParam<std::string> {};

TEST_P(YardstickTest, MakesTheStepsOfTheDefaultMethod) {
  const Problem* problem = nullptr;
  for (const Problem& p : judged_problems())
    if (p.name == GetParam()) problem = &p;
  ASSERT_NE(problem, nullptr);
  const Mechanism mechanism = mechanism_of(*problem);
  Plan plan = mechanism.plan;
  plan.step = problem->step;
  Simulation simulation(mechanism, plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const std::unique_ptr<Yardstick> yardstick = make_yardstick(problem->name, simulation.state());
  ASSERT_NE(yardstick, nullptr);
  State state;
  for (int i = 0; i < kSteps; ++i) {
    ASSERT_TRUE(simulation.step(plan.step).report.accepted());
    ASSERT_TRUE(yardstick->step(plan.step));
    yardstick->copy_to(state);
    for (std::size_t k = 0; k < state.q.size(); ++k) {
      ASSERT_NEAR(state.q[k], simulation.state().q[k], kTolerance * problem->length) << "step " << i;
      ASSERT_NEAR(plan.step * state.v[k], plan.step * simulation.state().v[k], kTolerance * problem->length)
          << "step " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, YardstickTest,
                         testing::Values("double-four-bar", "n-four-bar-40", "bricard", "andrews",
                                         "three-link-pendulum", "chain-10"),
                         [](const auto& given) {
                           std::string name = given.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

TEST(Yardsticks, AreWrittenForNoOtherProblem) {
  EXPECT_FALSE(has_yardstick("lattice"));
  EXPECT_EQ(make_yardstick("lattice", {}), nullptr);
}

}  // namespace
}  // namespace trammel::bench::yardstick_test
