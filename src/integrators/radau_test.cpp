#include "integrators/radau.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrators/ode_test_forms.h"

namespace trammel::integrators::radau_test {
namespace {

using namespace test;

OdeOptions with(double tolerance) {
  OdeOptions options;
  options.tolerance = tolerance;
  return options;
}

const std::vector<const RadauTableau*> kBoth{&radau5(), &radau9()};

// A proposal so large that each call is one step of the rule.
void free_steps(State& state, const RadauTableau& tableau) {
  state.remember(control_of(tableau), 0) = {1e3, 1, 0};
}

// Van der Pol's equation in the time of its slow part: ε q̈ = (1 − q²) q̇ − q
TestForm slow_van_der_pol(double epsilon) {
  return {1, 2, [epsilon](double, auto y, auto y_dot) {
            y_dot[0] = y[1];
            y_dot[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) / epsilon;
          }};
}

// The entries in closed form: Hairer & Wanner (1996), IV.5 and IV.8.
TEST(RadauTableau, is_that_of_the_book) {
  const RadauTableau& r = radau5();
  const double root = std::sqrt(6.0);
  EXPECT_NEAR(r.c[0], (4 - root) / 10, 1e-16);
  EXPECT_NEAR(r.c[1], (4 + root) / 10, 1e-16);
  EXPECT_NEAR(1 / r.gamma, (6 + std::cbrt(81.0) - std::cbrt(9.0)) / 30, 1e-15);
  const double e[] = {-13 - 7 * root, -13 + 7 * root, -1};
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(r.error[i] * r.gamma, e[i] / 3, 1e-14);
}

// T⁻¹A⁻¹T is made of γ and blocks [α −β; β α]; its entries are of the order of ten.
TEST(RadauTableau, parts_into_one_real_system_and_complex_ones) {
  for (const RadauTableau* r : kBoth) {
    RadauTableau::Square parts = r->T_inverse * r->inverse * r->T;
    parts(0, 0) -= r->gamma;
    for (std::size_t k = 0; k < r->pairs.size(); ++k) {
      const auto i = static_cast<Eigen::Index>(1 + 2 * k), j = i + 1;
      parts(i, i) -= r->pairs[k].real();
      parts(j, j) -= r->pairs[k].real();
      parts(i, j) += r->pairs[k].imag();
      parts(j, i) -= r->pairs[k].imag();
    }
    EXPECT_LT(parts.cwiseAbs().maxCoeff(), 1e-13) << r->name;
  }
}

// Against the whole matrix: positions that follow velocities, and others.
TEST(StageSystems, solve_what_they_say) {
  for (const Eigen::Index followed : {0, 2}) {
    constexpr Eigen::Index n = 5;
    Eigen::MatrixXd J(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) J(i, j) = std::sin(static_cast<double>(1 + 7 * i + 3 * j));
    if (followed > 0) {
      J.topRows(followed).setZero();
      J.block(0, followed, followed, followed).setIdentity();
    }
    const RadauTableau& tableau = radau5();
    StageSystems systems(tableau);
    constexpr double h = 0.1;
    systems.factor(h, J, 2);
    Eigen::MatrixXd g = Eigen::MatrixXd::NullaryExpr(
        n, 3, [](Eigen::Index i, Eigen::Index j) { return std::cos(static_cast<double>(i + 5 * j)); });
    Eigen::MatrixXd w = g;
    systems.solve(w);
    const double gamma = tableau.gamma / h;
    const double alpha = tableau.pairs[0].real() / h, beta = tableau.pairs[0].imag() / h;
    // What is left, of numbers of the order of one hundred.
    const auto left = [&](const Eigen::VectorXd& x) { return x.cwiseAbs().maxCoeff(); };
    EXPECT_LT(left(gamma * w.col(0) - J * w.col(0) - g.col(0)), 1e-13);
    EXPECT_LT(left(alpha * w.col(1) - beta * w.col(2) - J * w.col(1) - g.col(1)), 1e-13);
    EXPECT_LT(left(beta * w.col(1) + alpha * w.col(2) - J * w.col(2) - g.col(2)), 1e-13);
  }
}

// A tolerance that does not bind, and a proposal to match: each call is one step of the rule. The equations
// are linear, so that Newton's method leaves nothing. Step sizes at which the error is far above rounding.
TEST(Radau, is_of_its_order) {
  const auto error = [](const RadauTableau& tableau, TestForm form, State state, int steps) {
    free_steps(state, tableau);
    Radau rule(tableau, with(1));
    EXPECT_EQ(run(rule, form, state, 2, steps), "");
    EXPECT_EQ(static_cast<int>(form.steps.size()), steps);
    return std::abs(state.q[0] - std::cos(2.0));
  };
  const auto order = [&](const RadauTableau& tableau, const TestForm& form, const State& state, int steps) {
    return std::log2(error(tableau, form, state, steps) / error(tableau, form, state, 2 * steps));
  };
  EXPECT_NEAR(order(radau5(), oscillator(), state_of({1}, {0}), 20), 5, 0.1);
  EXPECT_NEAR(order(radau9(), oscillator(), state_of({1}, {0}), 3), 9, 0.3);
  EXPECT_NEAR(order(radau5(), stiff_linear(1, 1), state_of({1}, {}), 20), 5, 0.1);
  EXPECT_NEAR(order(radau9(), stiff_linear(1, 1), state_of({1}, {}), 3), 9, 0.3);
}

// In one step: the polynomial errs by h⁴ and h⁶ within it.
TEST(Radau, has_a_dense_output) {
  const auto error = [](const RadauTableau& tableau, double h) {
    TestForm form = oscillator();
    State state = state_of({std::cos(0.5)}, {-std::sin(0.5)}), at;
    state.t = 0.5;
    free_steps(state, tableau);
    Radau rule(tableau, with(1));
    EXPECT_TRUE(rule.advance(form, state, h).report.accepted());
    EXPECT_TRUE(rule.between(form, 0.5 + 0.2 * h, at, Wanted::all).report.accepted());
    EXPECT_EQ(at.t, 0.5 + 0.2 * h);
    return std::abs(at.q[0] - std::cos(at.t));
  };
  EXPECT_NEAR(std::log2(error(radau5(), 0.1) / error(radau5(), 0.05)), 4, 0.2);
  EXPECT_NEAR(std::log2(error(radau9(), 0.4) / error(radau9(), 0.2)), 6, 0.3);
}

TEST(Radau, has_a_dense_output_that_meets_the_ends) {
  for (const RadauTableau* tableau : kBoth) {
    TestForm form = driven_van_der_pol();
    State state = state_of({0}, {1}), at;
    Radau rule(*tableau, with(1e-6));
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

// Local errors add up over the steps of a turn, some ten to a hundred.
TEST(Radau, meets_its_tolerance) {
  for (const RadauTableau* tableau : kBoth)
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10})
      for (const int calls : {1, 10, 100}) {
        TestForm form = pendulum(), fine = pendulum();
        State state = state_of({2}, {0}), exact = state;
        Radau rule(*tableau, with(tolerance));
        ASSERT_EQ(run(rule, form, state, 8, calls), "");
        ASSERT_EQ(run(*make_ode_integrator("dop853", with(1e-13)), fine, exact, 8, 1), "");
        EXPECT_LT(std::max(std::abs(state.q[0] - exact.q[0]), std::abs(state.v[0] - exact.v[0])),
                  50 * tolerance)
            << tableau->name << " at " << tolerance << " in " << calls;
      }
}

// y = cos t however fast it is drawn there: the number of steps does not grow with that.
TEST(Radau, takes_long_steps_through_a_stiff_motion) {
  for (const RadauTableau* tableau : kBoth)
    for (const double k : {1e2, 1e4, 1e6, 1e8}) {
      TestForm form = stiff_linear(k, 3);
      State state = state_of({1, 1, 1}, {});
      Radau rule(*tableau, with(1e-7));
      ASSERT_TRUE(rule.step(form, state, 10).report.accepted());
      EXPECT_NEAR(state.q[1], std::cos(10.0), 1e-6) << tableau->name << ", " << k;
      EXPECT_LT(form.steps.size(), 200u) << tableau->name << ", " << k;
    }
}

// Hairer & Wanner (1996), IV.10: VDPOL with ε = 1e-6; q and q̇ at 1 and 2. Between two turns what a step errs
// by dies out; a turn comes late by some ten times the tolerance, and q̇ grows there.
TEST(Radau, follows_van_der_pol) {
  for (const RadauTableau* tableau : kBoth) {
    TestForm form = slow_van_der_pol(1e-6);
    State state = state_of({2}, {-0.66});
    constexpr double kTolerance = 1e-8;
    Radau rule(*tableau, with(kTolerance));
    ASSERT_TRUE(rule.step(form, state, 1).report.accepted());
    EXPECT_NEAR(state.q[0], -1.863646254808130, 100 * kTolerance) << tableau->name;
    EXPECT_NEAR(state.v[0], 0.7535430865435460, 100 * kTolerance) << tableau->name;
    ASSERT_TRUE(rule.step(form, state, 1).report.accepted());
    EXPECT_NEAR(state.q[0], 1.706167732170456, 100 * kTolerance) << tableau->name;
    EXPECT_NEAR(state.v[0], -0.8928097010248257, 100 * kTolerance) << tableau->name;
    EXPECT_LT(form.evaluations, 50'000) << tableau->name;
  }
}

// Also where the fresh rule has no factors of the old ∂f/∂y, and where the other has those of another state.
TEST(Radau, resumes_from_a_copied_state_to_the_bit) {
  for (const RadauTableau* tableau : kBoth) {
    TestForm form = slow_van_der_pol(1e-3), other = slow_van_der_pol(1e-3);
    State state = state_of({2}, {-0.66});
    Radau rule(*tableau, with(1e-6)), fresh(*tableau, with(1e-6));
    rule.prepare(state);
    ASSERT_EQ(run(rule, form, state, 0.33, 7), "");
    State copy = state, aside = state;
    ASSERT_TRUE(rule.step(form, aside, 0.5).report.accepted());
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(rule.step(form, state, 0.061).report.accepted());
      ASSERT_TRUE(fresh.step(other, copy, 0.061).report.accepted());
    }
    EXPECT_TRUE(same(state, copy)) << tableau->name;
    EXPECT_GT(fresh.rejected(), 0) << tableau->name;
  }
}

// ∂f/∂y of a linear motion is made once; without it 41 evaluations of f more would be made in each step.
TEST(Radau, keeps_a_jacobian_that_serves) {
  TestForm form = stiff_linear(1e3, 40);
  State state = state_of(std::vector<double>(40, 1.0), {});
  Radau rule(radau5(), with(1e-8));
  ASSERT_TRUE(rule.step(form, state, 2).report.accepted());
  const auto steps = static_cast<int>(form.steps.size());
  ASSERT_GT(steps, 20);
  EXPECT_LT(form.evaluations, 41 * 2 + 10 * steps);
}

// q̈ = −q, and ∫ q q̇ dt, which nothing feels.
class Accompanied : public TestForm {
 public:
  Accompanied()
      : TestForm(1, 3, [](double, auto y, auto y_dot) {
          y_dot[0] = y[1];
          y_dot[1] = -y[0];
          y_dot[2] = y[0] * y[1];
        }) {}
  std::size_t felt() const override { return 2; }
};

// What nothing feels costs no evaluation; it is integrated all the same.
TEST(Radau, does_not_differentiate_by_what_is_not_felt) {
  Accompanied form;
  State state = state_of({1}, {0, 0});
  Radau rule(radau9(), with(1e-9));
  ASSERT_TRUE(rule.step(form, state, 2).report.accepted());
  // ∫ −cos t sin t dt
  EXPECT_NEAR(state.v[1], 0.5 * (std::pow(std::cos(2.0), 2) - 1), 1e-8);
}

// Newton's method ends without what is not felt, and its error must not be that of a prediction: the first
// step has none.
TEST(Radau, estimates_the_error_of_what_is_not_felt_from_its_stages) {
  Accompanied form;
  State state = state_of({0.6}, {0.8, 0});
  Radau rule(radau9(), with(1e-9));
  ASSERT_TRUE(rule.step(form, state, 2).report.accepted());
  EXPECT_LE(rule.rejected(), 1);
}

// q̈ = −(1 + t/10) q: ∂f/∂y becomes old, slowly. Steps that need one iteration do not see that by themselves.
TEST(Radau, finds_out_that_a_jacobian_has_become_old) {
  const auto end = [](double tolerance) {
    TestForm form(1, 2, [](double t, auto y, auto y_dot) {
      y_dot[0] = y[1];
      y_dot[1] = -(1 + 0.1 * t) * y[0];
    });
    State state = state_of({1}, {0});
    Radau rule(radau5(), with(tolerance));
    for (int k = 0; k < 20; ++k) EXPECT_TRUE(rule.step(form, state, 1).report.accepted());
    return state.q[0];
  };
  const double exact = end(1e-12);
  for (const double tolerance : {1e-6, 1e-8}) {
    EXPECT_LT(std::abs(end(tolerance) - exact), 20 * tolerance) << tolerance;
  }
}

TEST(Radau, repeats_a_step_that_the_form_refuses_or_moves_too_far) {
  for (const bool refuses : {true, false}) {
    TestForm form = oscillator();
    constexpr double kLong = 0.05;
    if (refuses)
      form.refuses_longer = kLong;
    else
      form.project = [&](State& s) {
        if (form.steps.back() > kLong) s.q[0] += 0.1;
        return forms::Kept::projected;
      };
    State state = state_of({1}, {0});
    Radau rule(radau5(), with(1e-3));
    ASSERT_TRUE(rule.step(form, state, 1).report.accepted());
    EXPECT_GT(rule.rejected(), 0);
    EXPECT_NEAR(state.q[0], std::cos(1.0), 1e-3);
  }
}

// q̇ = q² from one ends at t = 1.
TEST(Radau, says_that_its_step_became_too_small) {
  TestForm form(1, 1, [](double, auto y, auto y_dot) { y_dot[0] = y[0] * y[0]; });
  State state = state_of({1}, {});
  const State before = state;
  Radau rule(radau5(), with(1e-6));
  const StepResult result = rule.step(form, state, 2);
  EXPECT_FALSE(result.report.accepted());
  EXPECT_NE(result.report.message.find("radau5: the step became too small at t = 1 s"), std::string::npos)
      << result.report.message;
  EXPECT_TRUE(same(state, before));
}

}  // namespace
}  // namespace trammel::integrators::radau_test
