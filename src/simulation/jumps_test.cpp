// Jumps of what constraints ask for: the mechanism follows a speed by an impulse, which is an event and work.
#include <gtest/gtest.h>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::jumps_test {
namespace {

RunResult run_text(const std::string& text, const std::vector<std::string>& settings = {}) {
  const Mechanism mechanism = read_model_text("trammel: 1\n" + text, "jumps.yaml", settings).value();
  Simulation simulation(mechanism, mechanism.plan);
  return run(simulation);
}

std::vector<Event> jumps_of(const RunResult& result) {
  std::vector<Event> jumps;
  for (const Event& e : result.summary.events)
    if (e.kind == Event::Kind::jump) jumps.push_back(e);
  return jumps;
}

const char* const kPlans[] = {"simulate.tolerance=1e-6", "simulate.step=1e-2"};

// 2 kg from 0 to 1 m/s and further to 3 m/s: impulses of 2 and 4 N.s, energies of 1 and 8 J.
TEST(Jumps, AVelocityJointIsFollowedByAnImpulse) {
  for (const char* coordinates : {"natural", "reference", "relative"})
    for (const char* plan : kPlans) {
      const RunResult result = run_text(R"(
plane: xy
bodies: {m: {mass: 2, inertia: 1}}
joints:
  s: {prismatic: [m, ground], axis: [1, 0]}
  pull: {velocity: {s.rate: 1}, equals: 'if(t < 1, 0, if(t < 2, 1, 3))'}
simulate: {duration: 3 s}
)",
                                        {plan, std::string("simulate.coordinates=") + coordinates});
      ASSERT_EQ(result.summary.status, RunStatus::ok) << coordinates << ", " << plan;
      const std::vector<Event> jumps = jumps_of(result);
      ASSERT_EQ(jumps.size(), 2U) << coordinates << ", " << plan;
      EXPECT_EQ(jumps[0].name, "pull");
      EXPECT_NEAR(jumps[0].t, 1, 1e-9);
      EXPECT_NEAR(jumps[0].after - jumps[0].before, 1, 1e-9);
      EXPECT_NEAR(jumps[0].impulse, 2, 1e-8);
      EXPECT_NEAR(jumps[0].energy, 1, 1e-8);
      EXPECT_NEAR(jumps[1].before, 1, 1e-9);
      EXPECT_NEAR(jumps[1].impulse, 4, 1e-8);
      EXPECT_NEAR(jumps[1].energy, 8, 1e-8);
      EXPECT_NEAR(result.trajectory.column("energy.work").back(), 9, 1e-8);
      EXPECT_LT(result.summary.energy_drift, 1e-8);
    }
}

// Two speeds are tied, and the coefficient jumps: v1 + c v2 = 2 m/s with masses of 1 and 3 kg, v2 = 0 before.
// With c = 1: impulse p, v1 = 2 + p, v2 = p/3, v1 + v2 = 2, so that nothing jumps; with the sum 2 → 4 it is
// p = 3/2, v1 = 3.5, v2 = 0.5, an energy of (12.25 + 0.75 − 4)/2 J.
TEST(Jumps, ATieOfTwoSpeeds) {
  for (const char* plan : kPlans) {
    const RunResult result = run_text(R"(
plane: xy
bodies: {a: {mass: 1, inertia: 1}, b: {mass: 3, inertia: 1, at: [0, 1]}}
joints:
  s: {prismatic: [a, ground], axis: [1, 0]}
  r: {prismatic: [b, ground], at: [0, 1], axis: [1, 0]}
  tie: {velocity: {s.rate: 1, r.rate: 1}, equals: 'if(t < 1, 2, 4)'}
initial: {s: {speed: 2}, r: {speed: 0}}
simulate: {duration: 2 s}
)",
                                      {plan});
    ASSERT_EQ(result.summary.status, RunStatus::ok) << plan;
    const std::vector<Event> jumps = jumps_of(result);
    ASSERT_EQ(jumps.size(), 1U) << plan;
    EXPECT_NEAR(jumps[0].impulse, 1.5, 1e-8);
    EXPECT_NEAR(jumps[0].energy, 4.5, 1e-8);
    EXPECT_NEAR(result.trajectory.column("a.v.x").back(), 3.5, 1e-8);
    EXPECT_NEAR(result.trajectory.column("b.v.x").back(), 0.5, 1e-8);
    EXPECT_NEAR(result.trajectory.column("energy.work").back(), 4.5, 1e-8);
  }
}

// The speed depends on the place: 1 m/s up to 0.5 m, 2 m/s beyond, reached at t = 0.5 s.
TEST(Jumps, AVelocityJointThatJumpsWithThePlace) {
  for (const char* plan : kPlans) {
    const RunResult result = run_text(R"(
plane: xy
bodies: {m: {mass: 2, inertia: 1}}
joints:
  s: {prismatic: [m, ground], axis: [1, 0]}
  pull: {velocity: {s.rate: 1}, equals: 'if(s.displacement < 0.5, 1, 2)'}
initial: {s: {speed: 1}}
simulate: {duration: 1 s}
)",
                                      {plan});
    ASSERT_EQ(result.summary.status, RunStatus::ok) << plan;
    const std::vector<Event> jumps = jumps_of(result);
    ASSERT_EQ(jumps.size(), 1U) << plan;
    EXPECT_NEAR(jumps[0].t, 0.5, 1e-9);
    EXPECT_NEAR(jumps[0].impulse, 2, 1e-8);
    EXPECT_NEAR(jumps[0].energy, 3, 1e-8);
    EXPECT_NEAR(result.trajectory.column("m.x").back(), 1.5, 1e-8);
    EXPECT_LT(result.summary.energy_drift, 1e-8);
  }
}

// Of one's own coordinates: x = max(0, t − 1) has a kink, and a jump is refused with its name.
TEST(Jumps, AConstraintOfOnesOwnCoordinates) {
  const auto with = [](const std::string& law) {
    return run_text("coordinates: {x: 0, y: 0}\nmass: {x: 2, y: 1}\nconstraints: {lead: '" + law +
                    "'}\nsimulate: {duration: 2 s, tolerance: 1e-6}\n");
  };
  const RunResult kink = with("x - max(0, t - 1)");
  EXPECT_EQ(kink.summary.status, RunStatus::ok) << kink.summary.message;
  ASSERT_EQ(jumps_of(kink).size(), 1U);
  EXPECT_NEAR(jumps_of(kink).front().energy, 1, 1e-8);
  EXPECT_LT(kink.summary.energy_drift, 1e-8);
  const RunResult jump = with("x - if(t < 1, 0, 1)");
  EXPECT_EQ(jump.summary.status, RunStatus::failed);
  EXPECT_NE(jump.summary.message.find("constraint 'lead' jumps by -1 at t = 1 s"), std::string::npos)
      << jump.summary.message;
}

}  // namespace
}  // namespace trammel::tests::jumps_test
