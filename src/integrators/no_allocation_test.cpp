// step() takes nothing from the heap once its first steps have made room.
#include <gtest/gtest.h>

#include "integrators/ode_test_forms.h"
#include "math/count_malloc.h"

namespace trammel::integrators::no_allocation_test {
namespace {

using namespace test;

class NoAllocation : public testing::Test {
 protected:
  void SetUp() override {
#ifndef TRAMMEL_COUNTS_MALLOC
    GTEST_SKIP() << "malloc cannot be counted in this build";
#endif
  }

  // Allocations of twenty steps after the first three.
  static long count(const std::string& name, TestForm form, State state) {
    form.steps.reserve(10'000);
    const auto rule = make_ode_integrator(name, {});
    rule->prepare(state);
    bool ok = true;
    for (int i = 0; i < 3; ++i) ok = rule->step(form, state, 0.1).report.accepted() && ok;
    const long before = allocations;
    for (int i = 0; i < 20; ++i) ok = rule->step(form, state, 0.1).report.accepted() && ok;
    const long after = allocations;
    EXPECT_TRUE(ok);
    return after - before;
  }
};

TEST_F(NoAllocation, in_a_step_of_our_own_rules) {
  for (const std::string& name : fixed_step_rules())
    EXPECT_EQ(count(name, pendulum(), state_of({1}, {0})), 0) << name;
  for (const char* name : {"dopri5", "dop853", "radau5", "radau9"})
    EXPECT_EQ(count(name, pendulum(), state_of({1}, {0})), 0) << name;
}

// Newton's method with a factor of 40 rows.
TEST_F(NoAllocation, in_an_implicit_step_of_a_stiff_motion) {
  const State state = state_of(std::vector<double>(40, 1.0), {});
  for (const char* name : {"implicit-midpoint", "implicit-trapezoidal", "radau5", "radau9"})
    EXPECT_EQ(count(name, stiff_linear(1e5, 40), state), 0) << name;
}

}  // namespace
}  // namespace trammel::integrators::no_allocation_test
