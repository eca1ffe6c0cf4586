// What holds for every rule: its order, where it lands, resuming to the bit, and a state that a failure
// leaves untouched.
#include "integrators/ode_integrator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "integrators/ode_test_forms.h"

namespace trammel::integrators::ode_integrator_test {
namespace {

using namespace test;

std::unique_ptr<OdeIntegrator> made(const std::string& name, double tolerance = 1e-8) {
  OdeOptions options;
  options.tolerance = tolerance;
  return make_ode_integrator(name, options);
}

class EveryRule : public testing::TestWithParam<std::string> {};
class FixedStep : public testing::TestWithParam<std::string> {};

const auto kNamed = [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
};
INSTANTIATE_TEST_SUITE_P(Ode, EveryRule, testing::ValuesIn(ode_integrator_names()), kNamed);
INSTANTIATE_TEST_SUITE_P(Ode, FixedStep, testing::ValuesIn(fixed_step_rules()), kNamed);

double error_with(const std::string& name, int steps) {
  TestForm form = driven_van_der_pol();
  State state = state_of({0}, {1});
  const auto rule = made(name);
  EXPECT_EQ(run(*rule, form, state, 2, steps), "");
  return std::max(std::abs(state.q[0] - std::sin(2.0)), std::abs(state.v[0] - std::cos(2.0)));
}

// With steps this small the next term of the error is some per cent, so the slope is within 0.1.
TEST_P(FixedStep, has_the_order_it_says) {
  const double slope = std::log2(error_with(GetParam(), 200) / error_with(GetParam(), 400));
  EXPECT_NEAR(slope, made(GetParam())->order(), 0.1);
}

TEST_P(FixedStep, resumes_from_a_copied_state_to_the_bit) {
  TestForm form = pendulum(), other = pendulum();
  State state = state_of({1}, {0});
  const auto rule = made(GetParam()), fresh = made(GetParam());
  ASSERT_EQ(run(*rule, form, state, 1, 10), "");
  State copy = state;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(rule->step(form, state, 0.1).report.accepted());
    ASSERT_TRUE(fresh->step(other, copy, 0.1).report.accepted());
  }
  EXPECT_TRUE(same(state, copy));
}

TEST_P(EveryRule, lands_on_the_requested_time) {
  TestForm form = oscillator();
  State state = state_of({1}, {0});
  const auto rule = made(GetParam());
  for (const double h : {0.1, 1.0 / 3, 1e-5, 0.7, 1e-3}) {
    const double end = state.t + h;
    ASSERT_TRUE(rule->step(form, state, h).report.accepted());
    EXPECT_EQ(state.t, end);
  }
}

TEST_P(EveryRule, counts_evaluations_and_passes_on_the_largest_violation) {
  TestForm form = oscillator();
  State state = state_of({1}, {0});
  const StepResult result = made(GetParam())->step(form, state, 0.5);
  ASSERT_TRUE(result.report.accepted());
  EXPECT_EQ(result.iterations, form.evaluations);
  EXPECT_EQ(result.report.iterations, form.evaluations);
  const double largest = *std::max_element(form.steps.begin(), form.steps.end());
  EXPECT_EQ(result.violation.position, 1e-3 * largest);
  EXPECT_EQ(result.violation.velocity, 2e-3 * largest);
  EXPECT_EQ(result.violation.acceleration, 3e-3 * largest);
}

TEST_P(EveryRule, passes_on_a_failure_of_f_and_leaves_the_state) {
  // Fails at once, or on the way, where Euler's rule does not look.
  for (const double from : {-1.0, 0.05}) {
    if (from > 0 && GetParam() == "euler") continue;
    TestForm form = pendulum();
    form.fails_after = from;
    State state = state_of({1}, {0});
    const auto rule = made(GetParam());
    rule->prepare(state);
    const State before = state;
    const StepResult result = rule->step(form, state, 0.2);
    EXPECT_EQ(result.report.outcome, Outcome::singular);
    EXPECT_EQ(result.report.message, "the test's own singularity");
    EXPECT_TRUE(same(state, before));
  }
}

TEST_P(EveryRule, goes_on_after_a_failure) {
  TestForm form = pendulum(), other = pendulum();
  State state = state_of({1}, {0}), undisturbed = state;
  const auto rule = made(GetParam()), fresh = made(GetParam());
  form.fails_after = -1;
  EXPECT_FALSE(rule->step(form, state, 0.2).report.accepted());
  form.fails_after = INFINITY;
  EXPECT_TRUE(rule->step(form, state, 0.2).report.accepted());
  EXPECT_TRUE(fresh->step(other, undisturbed, 0.2).report.accepted());
  EXPECT_TRUE(same(state, undisturbed));
}

TEST_P(EveryRule, leaves_the_state_when_the_form_refuses_the_step) {
  TestForm form = pendulum();
  form.refuses = true;
  State state = state_of({1}, {0});
  const State before = state;
  EXPECT_EQ(made(GetParam())->step(form, state, 0.2).report.outcome, Outcome::angle_jump);
  EXPECT_TRUE(same(state, before));
}

TEST_P(EveryRule, never_lets_a_nan_through) {
  TestForm form(1, 2, [](double, auto, auto y_dot) {
    y_dot[0] = 0;
    y_dot[1] = std::numeric_limits<double>::quiet_NaN();
  });
  State state = state_of({1}, {0});
  const State before = state;
  const StepResult result = made(GetParam())->step(form, state, 0.2);
  EXPECT_EQ(result.report.outcome, Outcome::not_finite);
  EXPECT_NE(result.report.message.find("a NaN or an infinity appeared at t = "), std::string::npos)
      << result.report.message;
  EXPECT_TRUE(same(state, before));
}

TEST_P(EveryRule, keeps_a_mark) {
  TestForm form = oscillator();
  form.marks_after = -1;
  State state = state_of({1}, {0});
  const StepResult result = made(GetParam())->step(form, state, 0.1);
  EXPECT_EQ(result.report.outcome, Outcome::marked);
  EXPECT_EQ(state.t, 0.1);
}

// A form that turns the oscillator's energy back to one after each step: all rules follow the projected
// state.
TEST_P(EveryRule, follows_a_projected_state) {
  TestForm form = oscillator();
  form.project = [](State& state) {
    const double r = std::hypot(state.q[0], state.v[0]);
    state.q[0] /= r;
    state.v[0] /= r;
    return forms::Kept::projected;
  };
  State state = state_of({1}, {0});
  const auto rule = made(GetParam());
  ASSERT_EQ(run(*rule, form, state, 2, 200), "");
  EXPECT_NEAR(std::hypot(state.q[0], state.v[0]), 1, 1e-15);
  // What is left is an error of phase, largest, about h, in semi-implicit Euler.
  EXPECT_NEAR(state.q[0], std::cos(2.0), 0.01);
}

// A form that doubles its size on the way: the new entries follow the same equation.
class Growing : public TestForm {
 public:
  Growing() : TestForm(oscillator()) {}
  int positions() const override { return n_ / 2; }
  std::span<const double> scale() const override { return {ones_.data(), static_cast<std::size_t>(n_)}; }
  Report rate(double, std::span<const double> y, std::span<double> y_dot) override {
    const std::size_t half = y.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
      y_dot[i] = y[half + i];
      y_dot[half + i] = -y[i];
    }
    return {};
  }
  Report accepted(State& state, double, forms::Kept& kept, Violation&) override {
    if (n_ == 4 || state.t < 0.5) return {};
    n_ = 4;
    state.q.push_back(state.q[0]);
    state.v.push_back(state.v[0]);
    kept = forms::Kept::new_chart;
    return {};
  }

 private:
  int n_ = 2;
  std::vector<double> ones_ = {1, 1, 1, 1};
};

TEST_P(EveryRule, follows_a_form_that_changes_its_size) {
  Growing form;
  State state = state_of({1}, {0});
  const auto rule = made(GetParam());
  ASSERT_EQ(run(*rule, form, state, 2, 200), "");
  ASSERT_EQ(state.q.size(), 2u);
  EXPECT_NEAR(state.q[0], std::cos(2.0), 0.02);  // Euler: h/2 · t
  EXPECT_NEAR(state.q[1], state.q[0], 1e-12);
}

TEST(SemiImplicitEuler, keeps_the_oscillators_energy_bounded) {
  TestForm form = oscillator();
  State state = state_of({1}, {0});
  const auto rule = made("semi-implicit-euler");
  for (int i = 0; i < 10000; ++i) ASSERT_TRUE(rule->step(form, state, 0.1).report.accepted());
  // It conserves q² + v² − h q v exactly; ten thousand steps of round-off.
  const double q = state.q[0], v = state.v[0];
  EXPECT_NEAR(q * q + v * v - 0.1 * q * v, 1, 1e-10);
}

TEST(OdeIntegrators, are_made_by_name) {
  for (const std::string& name : ode_integrator_names()) EXPECT_NE(made(name), nullptr) << name;
  EXPECT_NE(made("trapezoidal"), nullptr);
  EXPECT_EQ(made("rk5"), nullptr);
  EXPECT_THROW((void)made("dopri5", 0), std::logic_error);
#ifndef TRAMMEL_SUNDIALS
  EXPECT_EQ(made("cvode-bdf"), nullptr);
#endif
}

}  // namespace
}  // namespace trammel::integrators::ode_integrator_test
