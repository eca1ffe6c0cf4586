#include "integrators/dormand_prince.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "integrators/ode_test_forms.h"

namespace trammel {
namespace {

using namespace test;

OdeOptions with(double tolerance) {
  OdeOptions options;
  options.tolerance = tolerance;
  return options;
}

// Local errors add up over the steps of a turn, some ten to a hundred.
TEST(DormandPrince, meets_its_tolerance) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10})
    for (const int calls : {1, 10, 1000}) {
      TestForm form = oscillator();
      State state = state_of({1}, {0});
      DormandPrince rule(with(tolerance));
      ASSERT_EQ(run(rule, form, state, 2 * std::numbers::pi, calls), "");
      EXPECT_LT(std::max(std::abs(state.q[0] - 1), std::abs(state.v[0])), 50 * tolerance)
          << tolerance << " in " << calls;
    }
}

// A tolerance that does not bind, and a proposal to match: each call is one step of the rule.
TEST(DormandPrince, is_of_fifth_order) {
  const auto error = [](int steps) {
    TestForm form = driven_van_der_pol();
    State state = state_of({0}, {1});
    state.remember("dopri5", 2) = {1, 1};
    DormandPrince rule(with(1));
    EXPECT_EQ(run(rule, form, state, 2, steps), "");
    EXPECT_EQ(static_cast<int>(form.steps.size()), steps);
    return std::max(std::abs(state.q[0] - std::sin(2.0)), std::abs(state.v[0] - std::cos(2.0)));
  };
  EXPECT_NEAR(std::log2(error(40) / error(80)), 5, 0.1);
}

// In one step, where an order more is seen than over many.
TEST(DormandPrince, has_a_dense_output_of_fourth_order) {
  const auto error = [](double h) {
    TestForm form = driven_van_der_pol();
    State state = state_of({std::sin(0.5)}, {std::cos(0.5)});
    state.t = 0.5;
    state.remember("dopri5", 2) = {1, 1};
    DormandPrince rule(with(1));
    EXPECT_TRUE(rule.step(form, state, h).report.accepted());
    std::vector<double> y(rule.last_step().size());
    rule.last_step().at(0.4, y);
    return std::abs(y[0] - std::sin(0.5 + 0.4 * h));
  };
  EXPECT_NEAR(std::log2(error(0.1) / error(0.05)), 5, 0.1);
}

TEST(DormandPrince, has_a_dense_output_that_meets_the_ends) {
  TestForm form = driven_van_der_pol();
  State state = state_of({0}, {1});
  DormandPrince rule(with(1e-6));
  ASSERT_TRUE(rule.step(form, state, 2).report.accepted());
  const DenseStep& dense = rule.last_step();
  EXPECT_EQ(dense.h, form.steps.back());
  EXPECT_NEAR(dense.t0 + dense.h, 2, 1e-15);
  std::vector<double> y(2);
  dense.at(0, y);
  EXPECT_NEAR(y[0], std::sin(dense.t0), 1e-5);
  dense.at(1, y);
  EXPECT_NEAR(y[0], state.q[0], 1e-15);
  EXPECT_NEAR(y[1], state.v[0], 1e-15);
}

TEST(DormandPrince, resumes_from_a_copied_state_to_the_bit) {
  TestForm form = van_der_pol(5), other = van_der_pol(5);
  State state = state_of({2}, {0});
  DormandPrince rule(with(1e-7)), fresh(with(1e-7));
  rule.prepare(state);
  ASSERT_EQ(run(rule, form, state, 3.3, 7), "");
  State copy = state;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(rule.step(form, state, 0.31).report.accepted());
    ASSERT_TRUE(fresh.step(other, copy, 0.31).report.accepted());
  }
  EXPECT_TRUE(same(state, copy));
  EXPECT_GT(fresh.rejected(), 0);
}

// Six evaluations an internal step with the last stage kept, seven without; one more for the first step's
// size.
TEST(DormandPrince, keeps_its_last_stage_unless_the_form_projects) {
  TestForm form = oscillator(), projecting = oscillator();
  projecting.project = [](State&) { return Kept::projected; };
  State a = state_of({1}, {0}), b = a;
  DormandPrince rule(with(1e-8)), other(with(1e-8));
  ASSERT_TRUE(rule.step(form, a, 3).report.accepted());
  ASSERT_TRUE(other.step(projecting, b, 3).report.accepted());
  const int steps = static_cast<int>(form.steps.size());
  EXPECT_EQ(form.evaluations, 6 * (steps + static_cast<int>(rule.rejected())) + 2);
  EXPECT_EQ(projecting.evaluations, form.evaluations + steps - 1);
  EXPECT_TRUE(same(a, b)) << "the projection moves nothing here";
}

// The same, where the projection moves the state: a kept stage would be that of another state.
TEST(DormandPrince, takes_its_first_stage_from_the_projected_state) {
  const auto project = [](State& state) {
    state.v[0] *= 0.5;
    return Kept::projected;
  };
  TestForm form = oscillator(), again = oscillator();
  form.project = again.project = project;
  State state = state_of({1}, {0}), single = state;
  DormandPrince rule(with(1e-6));
  ASSERT_TRUE(rule.step(form, state, 1).report.accepted());
  ASSERT_GT(form.steps.size(), 3u);
  // The same internal steps, one call each, where nothing is kept.
  for (const double h : form.steps) {
    single.remember("dopri5", 2) = {10, 1};
    DormandPrince loose(with(1e3));
    ASSERT_TRUE(loose.step(again, single, h).report.accepted());
  }
  ASSERT_EQ(again.steps.size(), form.steps.size());
  EXPECT_NEAR(single.q[0], state.q[0], 1e-14);
  EXPECT_NEAR(single.v[0], state.v[0], 1e-14);
}

TEST(DormandPrince, lands_without_a_tiny_last_step) {
  TestForm form = oscillator();
  State state = state_of({1}, {0});
  DormandPrince rule(with(1e-8));
  ASSERT_TRUE(rule.step(form, state, 20).report.accepted());
  ASSERT_GT(form.steps.size(), 20u);
  const std::vector<double> settled(form.steps.begin() + 5, form.steps.end());
  EXPECT_GT(*std::min_element(settled.begin(), settled.end()),
            0.45 * *std::max_element(settled.begin(), settled.end()));
}

// Called for output more often than its accuracy needs, it loses nothing of its step size.
TEST(DormandPrince, remembers_its_step_through_short_calls) {
  TestForm form = oscillator();
  State state = state_of({1}, {0});
  DormandPrince rule(with(1e-8));
  ASSERT_TRUE(rule.step(form, state, 20).report.accepted());
  const double proposed = (*state.recall("dopri5"))[0];
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(rule.step(form, state, 1e-4).report.accepted());
  EXPECT_GT((*state.recall("dopri5"))[0], 0.5 * proposed);
}

TEST(DormandPrince, counts_what_it_rejects) {
  TestForm form = van_der_pol(20);
  State state = state_of({2}, {0});
  DormandPrince rule(with(1e-6));
  ASSERT_TRUE(rule.step(form, state, 50).report.accepted());
  EXPECT_GT(rule.rejected(), 5);
}

// q̇ = q² from one ends at t = 1.
TEST(DormandPrince, says_that_its_step_became_too_small) {
  TestForm form(1, 1, [](double, auto y, auto y_dot) { y_dot[0] = y[0] * y[0]; });
  State state = state_of({1}, {});
  const State before = state;
  DormandPrince rule(with(1e-6));
  const StepResult result = rule.step(form, state, 2);
  EXPECT_EQ(result.report.outcome, Outcome::not_converged);
  EXPECT_NE(result.report.message.find("dopri5: the step became too small at t = 1 s"), std::string::npos)
      << result.report.message;
  EXPECT_TRUE(same(state, before));
}

TEST(DormandPrince, stops_after_a_million_internal_steps) {
  TestForm form = stiff_linear(1e7, 1);
  State state = state_of({1}, {});
  DormandPrince rule(with(1e-6));
  const StepResult result = rule.step(form, state, 10);
  EXPECT_EQ(result.report.outcome, Outcome::not_converged);
  EXPECT_NE(result.report.message.find("a million internal steps"), std::string::npos)
      << result.report.message;
  EXPECT_EQ(state.t, 0);
}

}  // namespace
}  // namespace trammel
