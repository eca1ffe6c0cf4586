#include "simulation/step_cubic.h"

#include <gtest/gtest.h>

#include <vector>

namespace trammel::tests::step_cubic_test {
namespace {

using simulation::StepCubic;

std::vector<double> listed(const StepCubic::Places& places) { return {places.begin(), places.end()}; }

// Values and rates of (θ − 0.2)(θ − 0.5)(θ − 0.9) at both ends.
const StepCubic kCubic(-0.09, 0.73, 0.04, 0.53);

TEST(StepCubic, IsTheCubicItself) {
  for (const double theta : {0.0, 0.1, 0.37, 0.8, 1.0})
    EXPECT_NEAR(kCubic.at(theta), (theta - 0.2) * (theta - 0.5) * (theta - 0.9), 1e-15);
}

TEST(StepCubic, PassesLevelsInOrder) {
  const std::vector<double> zeros = listed(kCubic.passes(0));
  ASSERT_EQ(zeros.size(), 3);
  EXPECT_NEAR(zeros[0], 0.2, 1e-14);
  EXPECT_NEAR(zeros[1], 0.5, 1e-14);
  EXPECT_NEAR(zeros[2], 0.9, 1e-14);
  EXPECT_TRUE(listed(kCubic.passes(1)).empty());
}

// 3θ² − 3.2θ + 0.73 = 0
TEST(StepCubic, TurnsTwice) {
  const std::vector<double> turns = listed(kCubic.turns());
  ASSERT_EQ(turns.size(), 2);
  EXPECT_NEAR(turns[0], (3.2 - std::sqrt(3.2 * 3.2 - 12 * 0.73)) / 6, 1e-14);
  EXPECT_NEAR(turns[1], (3.2 + std::sqrt(3.2 * 3.2 - 12 * 0.73)) / 6, 1e-14);
}

// A parabola and a line, whose leading coefficients are zero, and what does not move.
TEST(StepCubic, LowerDegreesAreNoException) {
  const StepCubic parabola(0, 1, 0, -1), line(0, 1, 1, 1), rest(2, 0, 2, 0);
  ASSERT_EQ(listed(parabola.turns()).size(), 1);
  EXPECT_NEAR(listed(parabola.turns())[0], 0.5, 1e-15);
  EXPECT_EQ(listed(parabola.passes(0.1)).size(), 2);
  EXPECT_TRUE(listed(line.turns()).empty());
  ASSERT_EQ(listed(line.passes(0.25)).size(), 1);
  EXPECT_NEAR(listed(line.passes(0.25))[0], 0.25, 1e-15);
  EXPECT_TRUE(listed(rest.turns()).empty());
  EXPECT_TRUE(listed(rest.passes(2)).empty());
}

}  // namespace
}  // namespace trammel::tests::step_cubic_test
