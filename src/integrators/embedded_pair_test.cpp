#include "integrators/embedded_pair.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "integrators/ode_test_forms.h"

namespace trammel::integrators::embedded_pair_test {
namespace {

using namespace test;

OdeOptions with(double tolerance) {
  OdeOptions options;
  options.tolerance = tolerance;
  return options;
}

EmbeddedPair dopri5(double tolerance) { return {kDopri5, with(tolerance)}; }

// A proposal so large that each call is one step of the rule.
void free_steps(State& state, const PairTableau& pair) {
  state.remember(control_of(pair), 0) = {1e3, 1, 0, 0, 0};
}

// Local errors add up over the steps of a turn, some ten to a hundred.
TEST(EmbeddedPair, meets_its_tolerance) {
  for (const PairTableau* pair : {&kDopri5, &kDop853})
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10})
      for (const int calls : {1, 10, 1000}) {
        TestForm form = oscillator();
        State state = state_of({1}, {0});
        EmbeddedPair rule(*pair, with(tolerance));
        ASSERT_EQ(run(rule, form, state, 2 * std::numbers::pi, calls), "");
        EXPECT_LT(std::max(std::abs(state.q[0] - 1), std::abs(state.v[0])), 50 * tolerance)
            << pair->name << " at " << tolerance << " in " << calls;
      }
}

// A tolerance that does not bind, and a proposal to match: each call is one step of the rule. Step sizes at
// which the error is far above rounding, and the order is that of small steps.
TEST(EmbeddedPair, is_of_its_order) {
  const auto error = [](const PairTableau& pair, int steps) {
    TestForm form = driven_van_der_pol();
    State state = state_of({0}, {1});
    free_steps(state, pair);
    EmbeddedPair rule(pair, with(1));
    EXPECT_EQ(run(rule, form, state, 2, steps), "");
    EXPECT_EQ(static_cast<int>(form.steps.size()), steps);
    return std::max(std::abs(state.q[0] - std::sin(2.0)), std::abs(state.v[0] - std::cos(2.0)));
  };
  EXPECT_NEAR(std::log2(error(kDopri5, 40) / error(kDopri5, 80)), 5, 0.1);
  EXPECT_NEAR(std::log2(error(kDop853, 8) / error(kDop853, 16)), 8, 0.4);
}

// In one step, where an order more is seen than over many: the dense outputs are of order 4 and 7.
TEST(EmbeddedPair, has_a_dense_output) {
  const auto error = [](const PairTableau& pair, double h) {
    TestForm form = driven_van_der_pol();
    State state = state_of({std::sin(0.5)}, {std::cos(0.5)}), at;
    state.t = 0.5;
    free_steps(state, pair);
    EmbeddedPair rule(pair, with(1));
    EXPECT_TRUE(rule.advance(form, state, h).report.accepted());
    EXPECT_TRUE(rule.between(form, 0.5 + 0.4 * h, at, Wanted::all).report.accepted());
    EXPECT_EQ(at.t, 0.5 + 0.4 * h);
    return std::abs(at.q[0] - std::sin(at.t));
  };
  EXPECT_NEAR(std::log2(error(kDopri5, 0.1) / error(kDopri5, 0.05)), 5, 0.1);
  EXPECT_NEAR(std::log2(error(kDop853, 0.4) / error(kDop853, 0.2)), 8, 0.4);
}

TEST(EmbeddedPair, has_a_dense_output_that_meets_the_ends) {
  for (const PairTableau* pair : {&kDopri5, &kDop853}) {
    TestForm form = driven_van_der_pol();
    State state = state_of({0}, {1}), at;
    EmbeddedPair rule(*pair, with(1e-6));
    while (state.t < 2) {
      const State begin = state;
      ASSERT_TRUE(rule.advance(form, state, 2 - state.t).report.accepted());
      ASSERT_TRUE(rule.between(form, begin.t, at, Wanted::all).report.accepted());
      EXPECT_NEAR(at.q[0], begin.q[0], 1e-15);
      ASSERT_TRUE(rule.between(form, state.t, at, Wanted::all).report.accepted());
      EXPECT_NEAR(at.q[0], state.q[0], 1e-15);
      EXPECT_NEAR(at.v[0], state.v[0], 1e-15);
    }
  }
}

TEST(EmbeddedPair, resumes_from_a_copied_state_to_the_bit) {
  TestForm form = van_der_pol(5), other = van_der_pol(5);
  State state = state_of({2}, {0});
  EmbeddedPair rule = dopri5(1e-7), fresh = dopri5(1e-7);
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
TEST(EmbeddedPair, keeps_its_last_stage_unless_the_form_projects) {
  TestForm form = oscillator(), projecting = oscillator();
  projecting.project = [](State&) { return forms::Kept::projected; };
  State a = state_of({1}, {0}), b = a;
  EmbeddedPair rule = dopri5(1e-8), other = dopri5(1e-8);
  ASSERT_TRUE(rule.step(form, a, 3).report.accepted());
  ASSERT_TRUE(other.step(projecting, b, 3).report.accepted());
  const int steps = static_cast<int>(form.steps.size());
  EXPECT_EQ(form.evaluations, 6 * (steps + static_cast<int>(rule.rejected())) + 2);
  EXPECT_EQ(projecting.evaluations, form.evaluations + steps - 1);
  EXPECT_EQ(a.q, b.q) << "the projection moves nothing here";
  EXPECT_EQ(a.v, b.v);
}

// The same, where the projection moves the state: a kept stage would be that of another state.
TEST(EmbeddedPair, takes_its_first_stage_from_the_projected_state) {
  const auto project = [](State& state) {
    state.v[0] *= 1 - 1e-7;  // within the tolerance, else the step would be repeated
    return forms::Kept::projected;
  };
  TestForm form = oscillator(), again = oscillator();
  form.project = again.project = project;
  State state = state_of({1}, {0}), single = state;
  EmbeddedPair rule = dopri5(1e-6);
  ASSERT_TRUE(rule.step(form, state, 1).report.accepted());
  ASSERT_GT(form.steps.size(), 3u);
  // The same internal steps, one call each, where nothing is kept.
  for (const double h : form.steps) {
    free_steps(single, kDopri5);
    EmbeddedPair loose = dopri5(1e3);
    ASSERT_TRUE(loose.step(again, single, h).report.accepted());
  }
  ASSERT_EQ(again.steps.size(), form.steps.size());
  EXPECT_NEAR(single.q[0], state.q[0], 1e-14);
  EXPECT_NEAR(single.v[0], state.v[0], 1e-14);
}

TEST(EmbeddedPair, lands_without_a_tiny_last_step) {
  TestForm form = oscillator();
  State state = state_of({1}, {0});
  EmbeddedPair rule = dopri5(1e-8);
  ASSERT_TRUE(rule.step(form, state, 20).report.accepted());
  ASSERT_GT(form.steps.size(), 20u);
  const std::vector<double> settled(form.steps.begin() + 5, form.steps.end());
  EXPECT_GT(*std::min_element(settled.begin(), settled.end()),
            0.45 * *std::max_element(settled.begin(), settled.end()));
}

// Called for output more often than its accuracy needs, it loses nothing of its step size.
TEST(EmbeddedPair, remembers_its_step_through_short_calls) {
  TestForm form = oscillator();
  State state = state_of({1}, {0});
  EmbeddedPair rule = dopri5(1e-8);
  ASSERT_TRUE(rule.step(form, state, 20).report.accepted());
  const double proposed = (*state.recall(control_of(kDopri5)))[0];
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(rule.step(form, state, 1e-4).report.accepted());
  EXPECT_GT((*state.recall(control_of(kDopri5)))[0], 0.5 * proposed);
}

TEST(EmbeddedPair, counts_what_it_rejects) {
  TestForm form = van_der_pol(20);
  State state = state_of({2}, {0});
  EmbeddedPair rule = dopri5(1e-6);
  ASSERT_TRUE(rule.step(form, state, 50).report.accepted());
  EXPECT_GT(rule.rejected(), 5);
}

// q̇ = q² from one ends at t = 1.
TEST(EmbeddedPair, says_that_its_step_became_too_small) {
  TestForm form(1, 1, [](double, auto y, auto y_dot) { y_dot[0] = y[0] * y[0]; });
  State state = state_of({1}, {});
  const State before = state;
  EmbeddedPair rule = dopri5(1e-6);
  const StepResult result = rule.step(form, state, 2);
  EXPECT_EQ(result.report.outcome, Outcome::not_converged);
  EXPECT_NE(result.report.message.find("dopri5: the step became too small at t = 1 s"), std::string::npos)
      << result.report.message;
  EXPECT_TRUE(same(state, before));
}

TEST(EmbeddedPair, stops_after_a_million_internal_steps) {
  TestForm form = stiff_linear(1e7, 1);
  State state = state_of({1}, {});
  EmbeddedPair rule = dopri5(1e-6);
  const StepResult result = rule.step(form, state, 10);
  EXPECT_EQ(result.report.outcome, Outcome::not_converged);
  EXPECT_NE(result.report.message.find("a million internal steps"), std::string::npos)
      << result.report.message;
  EXPECT_EQ(state.t, 0);
}

// Where a projection moves the end by far more than the error, as onto another branch, the step is repeated
// shorter: so is one that the form does not accept.
TEST(EmbeddedPair, repeats_a_step_that_projections_move_too_far) {
  TestForm form = oscillator();
  constexpr double kLong = 0.05;
  form.project = [&](State& state) {
    if (form.steps.back() > kLong) state.q[0] += 0.1;
    return forms::Kept::projected;
  };
  State state = state_of({1}, {0});
  EmbeddedPair rule = dopri5(1e-3);
  ASSERT_TRUE(rule.step(form, state, 1).report.accepted());
  EXPECT_GT(rule.rejected(), 0);
  EXPECT_NEAR(state.q[0], std::cos(1.0), 1e-3);
}

TEST(EmbeddedPair, repeats_a_step_that_the_form_refuses) {
  TestForm form = oscillator();
  form.refuses_longer = 0.05;
  State state = state_of({1}, {0});
  EmbeddedPair rule = dopri5(1e-3);
  ASSERT_TRUE(rule.step(form, state, 1).report.accepted());
  EXPECT_GT(rule.rejected(), 0);
  EXPECT_NEAR(state.q[0], std::cos(1.0), 1e-3);
}

// q̈ = −ω²(q − cos t) − 2ω(q̇ + sin t) − cos t, whose q = cos t the trapezoidal rule follows at longer steps
// than stability leaves to explicit ones where ω is large.
TEST(EmbeddedPair, tells_a_stiff_motion) {
  const auto follower = [](double omega) {
    return TestForm(1, 2, [=](double t, std::span<const double> y, std::span<double> y_dot) {
      y_dot[0] = y[1];
      y_dot[1] = -omega * omega * (y[0] - std::cos(t)) - 2 * omega * (y[1] + std::sin(t)) - std::cos(t);
    });
  };
  for (const PairTableau* pair : {&kDopri5, &kDop853}) {
    const auto stiff = [&](TestForm form, State state) {
      EmbeddedPair rule(*pair, with(1e-5));
      const StepResult result = rule.step(form, state, 3);
      EXPECT_TRUE(result.report.accepted());
      return result.stiff;
    };
    EXPECT_TRUE(stiff(follower(3000), state_of({1}, {0}))) << pair->name;
    EXPECT_FALSE(stiff(follower(3), state_of({1}, {0}))) << pair->name;
    EXPECT_FALSE(stiff(pendulum(), state_of({3}, {0}))) << pair->name;
  }
}

// A place that no stage may come near, as a singular position: shorter steps only come closer to it, a step
// over it does not see it.
TEST(EmbeddedPair, leaps_over_a_place_that_shorter_steps_do_not_pass) {
  TestForm form(1, 2, [](double t, std::span<const double> y, std::span<double> y_dot) {
    y_dot[0] = y[1];
    y_dot[1] = -y[0] + (std::abs(t - 0.7) < 1e-3 ? 1e9 : 0);
  });
  form.guards = true;
  State state = state_of({1}, {0});
  for (const PairTableau* pair : {&kDopri5, &kDop853}) {
    EmbeddedPair rule(*pair, with(1e-6));
    state = state_of({1}, {0});
    const StepResult result = rule.step(form, state, 2);
    ASSERT_TRUE(result.report.accepted()) << pair->name;
    EXPECT_NEAR(state.q[0], std::cos(2.0), 1e-5) << pair->name;
  }
}

}  // namespace
}  // namespace trammel::integrators::embedded_pair_test
