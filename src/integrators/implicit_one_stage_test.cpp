#include "integrators/implicit_one_stage.h"

#include <gtest/gtest.h>

#include "integrators/ode_test_forms.h"

namespace trammel::integrators::implicit_one_stage_test {
namespace {

using namespace test;

class Implicit : public testing::TestWithParam<OneStage> {};
INSTANTIATE_TEST_SUITE_P(Ode, Implicit, testing::Values(kImplicitMidpoint, kImplicitTrapezoidal),
                         [](const auto& test) { return test.param.theta == 1 ? "trapezoidal" : "midpoint"; });

// Both rules turn the oscillator by the same angle, tan(φ/2) = h/2, without loss.
TEST_P(Implicit, turns_the_oscillator_without_loss) {
  TestForm form = oscillator();
  State state = state_of({1}, {0});
  ImplicitOneStage rule(GetParam(), {});
  const int steps = 1000;
  ASSERT_EQ(run(rule, form, state, 100, steps), "");
  const double angle = steps * 2 * std::atan(0.05);
  // A thousand steps, each converged to 10⁻¹².
  EXPECT_NEAR(state.q[0], std::cos(angle), 1e-10);
  EXPECT_NEAR(state.v[0], -std::sin(angle), 1e-10);
}

TEST_P(Implicit, converges_by_fixed_point_where_it_contracts) {
  TestForm form = pendulum();
  State state = state_of({1}, {0});
  ImplicitOneStage rule(GetParam(), {});
  const StepResult result = rule.step(form, state, 0.01);
  ASSERT_TRUE(result.report.accepted());
  // Each iteration gains a factor of h/2 at least: 10⁻¹² after six or seven.
  EXPECT_LE(result.iterations, 9);
}

// Far beyond the reach of the fixed point, at hk = 10⁵. On a motion of order one the error is at most h²/4.
TEST_P(Implicit, takes_large_steps_of_a_stiff_motion) {
  TestForm form = stiff_linear(1e6, 3);
  State state = state_of({1, 1, 1}, {});
  ImplicitOneStage rule(GetParam(), {});
  ASSERT_EQ(run(rule, form, state, 2, 20), "");
  for (const double q : state.q) EXPECT_NEAR(q, std::cos(2.0), 2.5e-3);
}

TEST_P(Implicit, follows_the_stiff_van_der_pol_oscillator) {
  TestForm form = van_der_pol(100);
  State state = state_of({2}, {-2.0 / 300});
  ImplicitOneStage rule(GetParam(), {});
  ASSERT_EQ(run(rule, form, state, 50, 500), "");
  // On the slow branch q̇ = q/(μ(1 − q²)), so ln q − q²/2 = ln 2 − 2 + t/μ but for terms of order 1/μ².
  const double q = state.q[0];
  EXPECT_NEAR(std::log(q) - q * q / 2, std::log(2.0) - 2 + 0.5, 1e-3);
}

TEST_P(Implicit, says_that_it_did_not_converge) {
  TestForm form = stiff_linear(1e3, 1);
  State state = state_of({1}, {});
  const State before = state;
  OdeOptions options;
  options.max_iterations = 1;
  ImplicitOneStage rule(GetParam(), options);
  const StepResult result = rule.step(form, state, 0.1);
  EXPECT_EQ(result.report.outcome, Outcome::not_converged);
  EXPECT_EQ(result.report.message, std::string(GetParam().name) +
                                       ": no convergence within 1 iterations in the step from t = 0 s; try a "
                                       "smaller step or a larger convergence tolerance");
  EXPECT_TRUE(same(state, before));
}

}  // namespace
}  // namespace trammel::integrators::implicit_one_stage_test
