// Jacobi's elliptic functions: identities, limits, and the published closed form of the IFToMM pendulum.
#include "reproduce/jacobi.h"

#include <gtest/gtest.h>

namespace trammel::reproduce::jacobi_test {
namespace {

constexpr double kRounding = 1e-14;  // a few units of the recursion's handful of steps

TEST(Jacobi, BecomesTrigonometricWithoutModulus) {
  const Jacobi j = jacobi(0.7, 0);
  EXPECT_NEAR(j.sn, std::sin(0.7), kRounding);
  EXPECT_NEAR(j.cn, std::cos(0.7), kRounding);
  EXPECT_NEAR(j.dn, 1, kRounding);
}

TEST(Jacobi, InvertsTheIncompleteIntegral) {
  for (const double m : {0.1, 0.5, 0.9}) {
    const double phi = 1.1, u = std::ellint_1(std::sqrt(m), phi);
    EXPECT_NEAR(jacobi(u, m).sn, std::sin(phi), kRounding);
    EXPECT_NEAR(jacobi(u, m).cn, std::cos(phi), kRounding);
  }
}

TEST(Jacobi, HasItsQuarterPeriod) {
  const double m = 0.5, K = std::comp_ellint_1(std::sqrt(m));
  EXPECT_NEAR(jacobi(K, m).sn, 1, kRounding);
  EXPECT_NEAR(jacobi(K, m).dn, std::sqrt(1 - m), kRounding);
  EXPECT_NEAR(jacobi(2.5 * K, m).sn, -jacobi(0.5 * K, m).sn, kRounding);
}

}  // namespace
}  // namespace trammel::reproduce::jacobi_test
