// The paper's two schemes on its three-link pendulum: they start from a consistent state, and |Φ| falls with
// the powers that the paper prints, 3 for its own scheme and 2 for Baumgarte's stabilization.
#include "reproduce/welch_links.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trammel::reproduce::welch_links_test {
namespace {

using Scheme = void (*)(double, double, const LookAtLinks&);

struct Seen {
  double first = 0, largest = 0, drift = 0;  // |Φ|, |Φ|, J
};

Seen see(Scheme scheme, double h) {
  Seen seen;
  double start = 0;
  scheme(h, 0.5, [&](const LinksState& s) {
    if (s.t == 0) {
      seen.first = s.violation;
      start = s.energy;
    }
    seen.largest = std::max(seen.largest, s.violation);
    seen.drift = std::max(seen.drift, std::abs(s.energy - start));
  });
  return seen;
}

double order(double coarse, double fine) { return std::log2(coarse / fine); }

TEST(WelchLinks, StartConsistentAndConvergeAsPrinted) {
  // half a second: the motion is smooth, so that halving the step shows the order within a tenth or two
  constexpr double kStep = 1e-3, kNear = 0.2;
  const Seen heun = see(links_by_heun, kStep), heun_fine = see(links_by_heun, kStep / 2);
  const Seen own = see(links_by_algebraic, kStep), own_fine = see(links_by_algebraic, kStep / 2);
  EXPECT_LT(heun.first, 1e-14);  // rounding of lengths of 5.5 m
  EXPECT_NEAR(order(heun.largest, heun_fine.largest), 2, kNear);
  EXPECT_NEAR(order(own.largest, own_fine.largest), 3, kNear);
  // of 415 J: what steps of a millisecond of first and second order leave of it
  EXPECT_LT(own.drift, 0.1);
  EXPECT_LT(heun.drift, 0.01);
}

}  // namespace
}  // namespace trammel::reproduce::welch_links_test
