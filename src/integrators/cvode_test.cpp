#ifdef TRAMMEL_SUNDIALS

#include "integrators/cvode.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "integrators/ode_test_forms.h"

namespace trammel::integrators::cvode_test {
namespace {

using namespace test;

class CvodeRule : public testing::TestWithParam<CvodeMethod> {
 protected:
  static std::unique_ptr<OdeIntegrator> made(double tolerance) {
    OdeOptions options;
    options.tolerance = tolerance;
    return make_cvode(GetParam(), options);
  }
};
INSTANTIATE_TEST_SUITE_P(Ode, CvodeRule, testing::Values(CvodeMethod::adams, CvodeMethod::bdf),
                         [](const auto& test) { return test.param == CvodeMethod::adams ? "adams" : "bdf"; });

// Local errors add up over a turn's steps, tens of them for Adams and hundreds for BDF.
TEST_P(CvodeRule, meets_its_tolerance) {
  const double factor = GetParam() == CvodeMethod::adams ? 50 : 250;
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10})
    for (const int calls : {1, 10, 100}) {
      TestForm form = oscillator();
      State state = state_of({1}, {0});
      const auto rule = made(tolerance);
      ASSERT_EQ(run(*rule, form, state, 2 * std::numbers::pi, calls), "");
      EXPECT_LT(std::max(std::abs(state.q[0] - 1), std::abs(state.v[0])), factor * tolerance)
          << tolerance << " in " << calls;
    }
}

TEST_P(CvodeRule, keeps_its_history_while_the_state_is_the_one_it_left) {
  const auto evaluations = [](auto&& between) {
    TestForm form = oscillator();
    State state = state_of({1}, {0});
    state.inputs = {0};
    const auto rule = made(1e-8);
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(rule->step(form, state, 0.5).report.accepted());
      between(*rule, state);
    }
    EXPECT_NEAR(state.q[0], std::cos(10.0), 1e-5);
    return form.evaluations;
  };
  const int kept = evaluations([](OdeIntegrator&, State&) {});
  EXPECT_GT(evaluations([](OdeIntegrator& rule, State& state) { rule.prepare(state); }), 3 * kept / 2);
  EXPECT_GT(evaluations([](OdeIntegrator&, State& state) { state.v[0] *= 1 + 1e-15; }), 3 * kept / 2);
  EXPECT_GT(evaluations([](OdeIntegrator&, State& state) { state.inputs[0] += 1; }), 3 * kept / 2);
}

// Prepared at the same point, two copies go on alike.
TEST_P(CvodeRule, resumes_to_the_bit_from_where_it_is_prepared) {
  TestForm form = pendulum(), other = pendulum();
  State state = state_of({1}, {0});
  const auto rule = made(1e-8), fresh = made(1e-8);
  ASSERT_EQ(run(*rule, form, state, 2, 4), "");
  State copy = state;
  rule->prepare(state);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(rule->step(form, state, 0.3).report.accepted());
    ASSERT_TRUE(fresh->step(other, copy, 0.3).report.accepted());
  }
  EXPECT_TRUE(same(state, copy));
}

// f fails next to the motion, where only a long step's prediction goes.
class Wall : public TestForm {
 public:
  Wall() : TestForm(oscillator()) {}
  Report rate(double t, std::span<const double> y, std::span<double> y_dot) override {
    Report report = TestForm::rate(t, y, y_dot);
    if (y[0] > 1.0001) report.outcome = Outcome::singular;
    return report;
  }
};

TEST_P(CvodeRule, takes_smaller_steps_where_f_fails) {
  Wall form;
  State state = state_of({0}, {1});
  const auto rule = made(1e-6);
  ASSERT_TRUE(rule->step(form, state, 6).report.accepted());
  EXPECT_NEAR(state.q[0], std::sin(6.0), 1e-4);
}

TEST_P(CvodeRule, lets_an_exception_of_f_through) {
  TestForm form(1, 1, [](double, auto, auto) { throw std::logic_error("a bug in f"); });
  State state = state_of({1}, {});
  EXPECT_THROW((void)made(1e-6)->step(form, state, 1), std::logic_error);
  EXPECT_EQ(state.t, 0);
}

TEST_P(CvodeRule, prints_nothing_and_says_why_it_stopped) {
  TestForm form = oscillator();
  State state = state_of({1}, {0});
  const State before = state;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const StepResult result = made(1e-17)->step(form, state, 2);
  EXPECT_EQ(testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(result.report.outcome, Outcome::not_converged);
  EXPECT_NE(result.report.message.find("the tolerance is below round-off at t = 0 s"), std::string::npos)
      << result.report.message;
  EXPECT_TRUE(same(state, before));
}

// q̇ = q² from one ends at t = 1.
TEST_P(CvodeRule, does_not_pass_the_end_of_a_motion) {
  TestForm form(1, 1, [](double, auto y, auto y_dot) { y_dot[0] = y[0] * y[0]; });
  State state = state_of({1}, {});
  const State before = state;
  const StepResult result = made(1e-6)->step(form, state, 2);
  EXPECT_EQ(result.report.outcome, Outcome::not_converged);
  EXPECT_NE(result.report.message.find("the step became too small"), std::string::npos)
      << result.report.message;
  EXPECT_TRUE(same(state, before));
}

TEST(CvodeBdf, takes_large_steps_of_a_stiff_motion) {
  TestForm form = stiff_linear(1e6, 3);
  State state = state_of({1, 1, 1}, {});
  OdeOptions options;
  options.tolerance = 1e-6;
  const auto rule = make_cvode(CvodeMethod::bdf, options);
  ASSERT_TRUE(rule->step(form, state, 10).report.accepted());
  for (const double q : state.q) EXPECT_NEAR(q, std::cos(10.0), 5e-5);
  EXPECT_LT(form.evaluations, 1000);
}

}  // namespace
}  // namespace trammel::integrators::cvode_test

#endif
