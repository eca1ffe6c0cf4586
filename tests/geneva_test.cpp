// A Geneva drive (models/geneva-drive.yaml): the wheel's angle and speed against the closed form in the slot,
// rest between, no jump of speed at entry and exit, and the force of the pin across the slot.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/acceptance.h"
#include "machine_testing.h"
#include "model/models_testing.h"

namespace trammel::tests::geneva_test {
namespace {

constexpr double kPi = std::numbers::pi;
const double kc = 0.1, ka = 0.1 / std::sqrt(2.0);

// Of the crank's angle α from the line of centres, |α| ≤ 45 deg: tan β = a sin α/(c − a cos α), and β' by α.
double wheel_angle(double alpha) { return -std::atan2(ka * std::sin(alpha), kc - ka * std::cos(alpha)); }
double wheel_ratio(double alpha) {
  return -(kc * ka * std::cos(alpha) - ka * ka) / (kc * kc + ka * ka - 2 * kc * ka * std::cos(alpha));
}

TEST(GenevaDrive, TheWheelFollowsThePinAndRestsBetween) {
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(model("geneva-drive"), coordinates);
    int in_slot = 0, at_rest = 0;
    double fastest = 0;
    for (int k = 1; k <= 300; ++k) {
      run.to(0.005 * k);
      const Pose crank = run.body(0), wheel = run.body(1);
      // the crank starts pointing away from the wheel, at 180 deg
      const double alpha = std::remainder(crank.angle, 2 * kPi), turns = std::round(crank.angle / (2 * kPi));
      const double w = crank.angular_velocity.z();
      if (std::abs(alpha) < kPi / 4 - 1e-6) {
        ++in_slot;
        // each turn before has moved the wheel by a quarter, from −45 deg of this one's slot
        const double whole = -kPi / 2 * (turns - 1);
        EXPECT_NEAR(wheel.angle, whole + wheel_angle(alpha) - kPi / 4, 1e-7) << alpha;
        EXPECT_NEAR(wheel.angular_velocity.z(), w * wheel_ratio(alpha), 1e-6 * w);
        fastest = std::max(fastest, std::abs(wheel.angular_velocity.z()) / w);
      } else if (std::abs(alpha) > kPi / 4 + 1e-6) {
        ++at_rest;
        EXPECT_NEAR(wheel.angular_velocity.z(), 0, 1e-9);
      }
    }
    EXPECT_GT(in_slot, 50);
    EXPECT_GT(at_rest, 100);
    EXPECT_NEAR(fastest, 1 / (std::sqrt(2.0) - 1), 0.02);
    // No impulse: nothing is told of jumps.
    for (const Event& event : run.events) EXPECT_LT(std::abs(event.impulse), 1e-8);
  }
}

// Its joint uses names of `define:`, which a part of the mechanism must know too.
TEST(GenevaDrive, MayBeDividedIntoSubsystems) {
  const Mechanism m = model("geneva-drive");
  Plan plan = m.plan;
  plan.formulation = "modular";
  plan.coordinates = "natural";
  EXPECT_EQ(analysis::refusal(m, plan), "");
}

// The torque of the pin on the wheel is the force across the slot times the pin's distance, and turns it.
TEST(GenevaDrive, ThePinPressesAcrossTheSlot) {
  Moved run(model("geneva-drive"), "natural");
  while (std::abs(std::remainder(run.body(0).angle, 2 * kPi)) > 0.2)
    run.to(run.simulation().state().t + 0.002);
  const double alpha = std::remainder(run.body(0).angle, 2 * kPi);
  const Vec3 pin(ka * std::cos(alpha), ka * std::sin(alpha), 0), arm = pin - Vec3(kc, 0, 0);
  Report report;
  const State s = run.simulation().with_reactions(report);
  system::Terms terms = run.simulation().system().make_terms();
  system::Wrench on_wheel;
  for (const system::Wrench& w : run.simulation().system().reactions(s, terms))
    if (w.joint == "W") on_wheel = w;
  // The wheel's centre does not move: its bearing carries the force of the pin, which has no part along the
  // slot.
  EXPECT_GT(on_wheel.force.norm(), 1e-3);
  EXPECT_LT(std::abs(on_wheel.force.dot(arm)), 1e-6 * arm.norm() * on_wheel.force.norm());
}

}  // namespace
}  // namespace trammel::tests::geneva_test
