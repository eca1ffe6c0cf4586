// Dry friction in proportion to the joint's own reaction: slopes and threads that lock by themselves,
// journals that run down, loads that friction makes itself, and frictions that jam.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "machine_testing.h"
#include "trammel/run.h"

namespace trammel::tests::load_friction_test {
namespace {

using std::numbers::pi;
constexpr double kGravity = 9.81;

std::string slope(double beta, double mu, double speed) {
  return fmt::format(R"yaml(
plane: xy
gravity: [0, -9.81]
bodies: {{block: {{mass: 2, inertia: 0.1}}}}
joints: {{guide: {{prismatic: [block, ground], at: [0, 0], axis: [{}, {}]}}}}
forces: {{rub: {{dry-friction: guide, coefficient: {}}}}}
initial: {{guide: {{speed: {}}}}}
)yaml",
                     std::cos(beta), std::sin(beta), mu, speed);
}

// A block rests on a slope for μ > tan β, and slides for μ < tan β.
TEST(LoadFriction, HoldsABlockAboveTheTangentOfTheSlope) {
  const double beta = 0.08;
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved locked(read(slope(beta, 1.001 * std::tan(beta), 0)), coordinates);
    locked.to(1);
    EXPECT_NEAR(locked.reading("guide", "displacement"), 0, 1e-12);
    // What holds it is the load's part along the slope, not the capacity.
    EXPECT_NEAR(locked.effort("rub"), 2 * kGravity * std::sin(beta), 1e-9);
    const double mu = 0.999 * std::tan(beta);
    Moved turning(read(slope(beta, mu, 0)), coordinates);
    turning.to(1);
    EXPECT_NEAR(turning.reading("guide", "displacement"),
                -0.5 * kGravity * (std::sin(beta) - mu * std::cos(beta)), 1e-9);
  }
}

// Thrown up it stops at v/(g (sin β + μ cos β)), and slides back, or stays.
TEST(LoadFriction, ActsAgainstTheMotionBothWays) {
  const double beta = 0.3, v = 2;
  for (const double mu : {0.1, 0.5})
    for (const char* coordinates : kCoordinates) {
      SCOPED_TRACE(fmt::format("{} {}", mu, coordinates));
      Moved run(read(slope(beta, mu, v)), coordinates);
      const double up = kGravity * (std::sin(beta) + mu * std::cos(beta)), top = v / up;
      const double down = std::max(0.0, kGravity * (std::sin(beta) - mu * std::cos(beta))), t = 1;
      run.to(t);
      EXPECT_NEAR(run.reading("guide", "displacement"), 0.5 * v * top - 0.5 * down * (t - top) * (t - top),
                  1e-8);
    }
}

// A wheel that a journal of radius r carries runs down by μ r m g/I.
TEST(LoadFriction, OfAJournalGrowsWithItsRadius) {
  const Mechanism m = read(R"yaml(
gravity: [0, 0, -9.81]
bodies: {wheel: {mass: 4, inertia: [0.02, 0.01, 0.01]}}
joints: {axle: {revolute: [wheel, ground], at: [0, 0, 0], axis: [1, 0, 0]}}
forces: {rub: {dry-friction: axle, coefficient: 0.15, static-coefficient: 0.2, radius: 10 mm}}
initial: {axle: {speed: 5}}
)yaml");
  const double slowing = 0.15 * 0.01 * 4 * kGravity / 0.02, stop = 5 / slowing;
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(m, coordinates);
    run.to(0.5 * stop);
    EXPECT_NEAR(run.reading("axle", "rate"), 2.5, 1e-8);
    EXPECT_NEAR(run.effort("rub"), -0.15 * 0.01 * 4 * kGravity, 1e-9);
    run.to(stop + 1);
    EXPECT_NEAR(run.reading("axle", "angle"), 2.5 * stop, 1e-8);
    EXPECT_NEAR(run.reading("axle", "rate"), 0, 1e-12);
  }
}

// A pendulum's bearing feels the swing, and the friction changes the swing: in every row both belong
// together. Several formulations give one motion.
TEST(LoadFriction, BelongsToTheReactionThatItMakes) {
  const Mechanism m = read(R"yaml(
plane: xy
gravity: [0, -9.81]
bodies:
  upper: {mass: 1, inertia: 0.05, com: [0.4, 0], at: [0, 0]}
  lower: {mass: 2, inertia: 0.03, com: [0.3, 0], at: [0.8, 0], angle: 20 deg}
joints:
  A: {revolute: [upper, ground], at: [0, 0]}
  B: {revolute: [lower, upper], at: [0.8, 0]}
forces:
  a: {dry-friction: A, coefficient: 0.3, radius: 0.1}
  b: {dry-friction: B, coefficient: 0.2, radius: 0.2}
)yaml");
  std::vector<double> angles;
  for (const char* coordinates : kCoordinates)
    for (const char* formulation : {"augmented-lagrangian", "lagrange"}) {
      SCOPED_TRACE(fmt::format("{} {}", coordinates, formulation));
      Moved run(m, coordinates, formulation);
      run.to(0.3);
      EXPECT_NEAR(std::abs(run.effort("a")), 0.3 * 0.1 * run["A"].force.norm(), 1e-8);
      EXPECT_NEAR(std::abs(run.effort("b")), 0.2 * 0.2 * run["B"].force.norm(), 1e-8);
      EXPECT_LT(run.effort("a") * run.reading("A", "rate"), 0);
      angles.push_back(run.reading("B", "angle"));
    }
  for (const double angle : angles) EXPECT_NEAR(angle, angles.front(), 1e-7);
}

// A strut presses slider a on its guide the harder, the more friction holds a back against the heavy b:
// ∂N/∂f = tan θ m_b/(m_a + m_b). It jams where μ times that is one or more.
std::string strut(double mu) {
  return fmt::format(R"yaml(
plane: xy
bodies:
  a: {{mass: 0.5, inertia: 0.1, at: [0.3, 0]}}
  b: {{mass: 9.5, inertia: 0.1, at: [0, 1]}}
joints:
  low:  {{prismatic: [a, ground], at: [0.3, 0], axis: [1, 0]}}
  high: {{prismatic: [b, ground], at: [0, 1], axis: [1, 0]}}
  bar:  {{distance: [a.com, b.com]}}
forces:
  push: {{joint: high, force: 20}}
  rub:  {{dry-friction: low, coefficient: {}}}
initial: {{low: {{speed: 1}}}}
)yaml",
                     mu);
}

// With f = μN, N = tan θ (m_a F + m_b f)/(m_a + m_b).
TEST(LoadFriction, AddsToItsOwnLoad) {
  const double mu = 0.2, tangent = 1 / 0.3, share = 9.5 / 10;
  const double N = tangent * 0.05 * 20 / (1 - mu * tangent * share);
  for (const char* coordinates : kCoordinates) {
    Moved run(read(strut(mu)), coordinates);
    run.to(0.1);
    EXPECT_NEAR(run.effort("rub"), -mu * N, 1e-8) << coordinates;
    EXPECT_NEAR(run.reading("low", "rate"), 1 + 0.1 * (20 - mu * N) / 10, 1e-9) << coordinates;
  }
}

TEST(LoadFriction, ThatJamsEndsTheRunWithItsName) {
  const Mechanism m = read(strut(0.4));
  Simulation simulation(m, Moved::plan(m, "natural"));
  const AssemblyReport start = simulation.assemble();
  ASSERT_FALSE(start.report.accepted());
  const std::string said = explain(start, simulation);
  EXPECT_NE(said.find("friction 'rub' jams"), std::string::npos) << said;
}

// --- threads

// A nut of mass 5 on a guide, a screw in its bearing, and friction in the thread between them.
std::string jack(double lead, double radius, double flank, double mu, const std::string& more) {
  return fmt::format(R"yaml(
gravity: [0, 0, -9.81]
bodies:
  screw: {{mass: 1, inertia: [0.1, 0.1, 0.02]}}
  nut:   {{mass: 5, inertia: [0.1, 0.1, 0.1], at: [0, 0, 0.2]}}
joints:
  bearing: {{revolute: [screw, ground], at: [0, 0, 0], axis: [0, 0, 1]}}
  guide:   {{prismatic: [nut, ground], at: [0, 0, 0.2], axis: [0, 0, 1]}}
  thread:  {{screw-pair: [nut, screw], at: [0, 0, 0.2], axis: [0, 0, 1], pitch: {:.17g}}}
forces:
  rub: {{dry-friction: thread, coefficient: {:.17g}, radius: {:.17g}, flank-angle: {:.17g}}}
{})yaml",
                     lead, mu, radius, flank, more);
}

struct Thread {
  double lead, radius, flank;
  double tangent() const { return lead / (2 * pi * radius); }
  // Of the flank across the thread.
  double cosine() const { return std::cos(std::atan(std::tan(flank) * std::cos(std::atan(tangent())))); }
};

// The load holds its thread for μ > tan λ cos α, and else turns the screw: I θ̈ = F r (k − tan λ)/(1 + k tan
// λ), k = μ/cos α, F = m (g + c θ̈), with θ the angle of the nut on the screw, c = lead/2π.
TEST(ThreadFriction, LocksAboveTheTangentOfTheLeadAngle) {
  for (const Thread& one : {Thread{0.02, 0.011, 0}, Thread{0.02, 0.011, pi / 6}, Thread{-0.05, 0.008, 0.25}})
    for (const char* coordinates : kCoordinates) {
      SCOPED_TRACE(fmt::format("{} {} {}", one.lead, one.flank, coordinates));
      const double c = one.lead / (2 * pi), limit = std::abs(one.tangent()) * one.cosine();
      Moved locked(read(jack(one.lead, one.radius, one.flank, 1.0001 * limit, "")), coordinates);
      locked.to(0.5);
      EXPECT_NEAR(locked.reading("thread", "angle"), 0, 1e-12);
      EXPECT_NEAR(locked.effort("rub"), 5 * kGravity * c, 1e-9);
      EXPECT_NEAR(locked["bearing"].torque.z(), 0, 1e-9);
      const double mu = 0.9 * limit, k = mu / one.cosine(), t = std::abs(one.tangent());
      const double lowers = one.radius * (k - t) / (1 + k * t), sense = c > 0 ? 1 : -1;
      const double turning = 5 * kGravity * lowers / (0.02 - 5 * std::abs(c) * lowers);
      Moved sinking(read(jack(one.lead, one.radius, one.flank, mu, "")), coordinates);
      sinking.to(0.5);
      EXPECT_NEAR(sinking.reading("thread", "angle"), sense * 0.125 * turning, 1e-8);
      EXPECT_LT(sinking.reading("guide", "displacement"), 0);
    }
}

// Shigley, Example 8-1: 32 mm square thread, two threads of 4 mm, μ = 0.08. A load of 6.4 kN takes
// 15.94 N.m to raise, without its collar, and −0.466 N.m to lower: it is lowered by itself.
TEST(ThreadFriction, RaisesAndLowersAsShigleysPowerScrew) {
  const double lead = 0.008, radius = 0.015, mu = 0.08, load = 6400;
  const double t = lead / (2 * pi * radius);
  const double raise = load * radius * (mu + t) / (1 - mu * t),
               lower = load * radius * (mu - t) / (1 + mu * t);
  EXPECT_NEAR(raise, 15.94, 0.005);
  EXPECT_NEAR(lower, -0.466, 0.0005);
  for (const double speed : {-3.0, 3.0})  // of the screw: the nut rises as it turns backward
    for (const char* coordinates : kCoordinates) {
      SCOPED_TRACE(fmt::format("{} {}", speed, coordinates));
      Moved run(read(jack(lead, radius, 0, mu,
                          fmt::format("  load: {{force: [0, 0, -{}], at: nut.com}}\n"
                                      "drivers: {{motor: {{joint: bearing, equals: {}*t}}}}\n"
                                      "initial: {{bearing: {{speed: {}}}}}\n",
                                      load - 5 * kGravity, speed, speed))),
                coordinates);
      run.to(0.2);
      EXPECT_EQ(run.reading("guide", "rate") > 0, speed < 0);
      EXPECT_NEAR(run.effort("motor"), speed < 0 ? -raise : lower, 1e-7);
      EXPECT_NEAR(run["thread"].force.z(), load, 1e-7);
    }
}

// Raising, a steep thread binds where μ tan λ reaches cos α: no torque turns it.
TEST(ThreadFriction, BindsWhereItIsSteep) {
  const double radius = 0.01, lead = 2 * pi * radius * 2.5;
  const std::string turned =
      "drivers: {motor: {joint: bearing, equals: -3*t}}\ninitial: {bearing: {speed: -3}}\n";
  Moved turns(read(jack(lead, radius, 0, 0.39, turned)), "natural");
  const Mechanism bound = read(jack(lead, radius, 0, 0.41, turned));
  Simulation simulation(bound, Moved::plan(bound, "natural"));
  const AssemblyReport start = simulation.assemble();
  ASSERT_FALSE(start.report.accepted());
  const std::string said = explain(start, simulation);
  EXPECT_NE(said.find("friction 'rub' jams"), std::string::npos) << said;
}

TEST(ThreadFriction, IsWrittenAndReadAgain) {
  const Mechanism m = read(jack(0.02, 0.011, 0.5, 0.2, ""));
  const ModelInput again = read_model_text(write_model(m), "again.yaml");
  ASSERT_TRUE(again.errors.empty()) << to_string(again.errors.front());
  EXPECT_EQ(again.mechanism.forces[0].law, m.forces[0].law);
}

// --- moments

// A slide of length l that is pushed by F at the distance e beside its axis presses with Fe/l at both ends:
// it jams, however hard it is pushed, for 2μe > l.
std::string drawer(double beside, double mu, double force) {
  return fmt::format(R"yaml(
plane: xy
bodies: {{box: {{mass: 2, inertia: 0.1, points: {{knob: [0, {}]}}}}}}
joints: {{guide: {{prismatic: [box, ground], at: [0, 0], axis: [1, 0]}}}}
forces:
  push: {{force: [{}, 0], at: box.knob}}
  rub: {{dry-friction: guide, coefficient: {}, length: 0.4}}
)yaml",
                     beside, force, mu);
}

TEST(GuideFriction, JamsADrawerThatIsPushedBesideItsMiddle) {
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved stuck(read(drawer(0.5, 0.4001, 1000)), coordinates);
    stuck.to(0.5);
    EXPECT_NEAR(stuck.reading("guide", "displacement"), 0, 1e-12);
    Moved slides(read(drawer(0.5, 0.3, 10)), coordinates);
    slides.to(0.5);
    EXPECT_NEAR(slides.reading("guide", "displacement"), 0.125 * 10 * (1 - 2 * 0.3 * 0.5 / 0.4) / 2, 1e-9);
  }
}

// A wheel of weight G, overhung by e beyond the middle of two bearings at the distance l, presses with
// G (e/l ± 1/2): together 2eG/l for e > l/2, else G.
TEST(GuideFriction, OfABearingKnowsOverhungLoads) {
  for (const double overhang : {0.03, 0.2})
    for (const char* coordinates : kCoordinates) {
      SCOPED_TRACE(fmt::format("{} {}", overhang, coordinates));
      Moved run(read(fmt::format(R"yaml(
gravity: [0, 0, -9.81]
bodies: {{wheel: {{mass: 4, inertia: [0.02, 0.01, 0.01], at: [{}, 0, 0]}}}}
joints: {{axle: {{revolute: [wheel, ground], at: [0, 0, 0], axis: [1, 0, 0]}}}}
forces: {{rub: {{dry-friction: axle, coefficient: 0.15, radius: 10 mm, length: 0.1}}}}
initial: {{axle: {{speed: 5}}}}
)yaml",
                                 overhang)),
                coordinates);
      run.to(0.2);
      EXPECT_NEAR(run.effort("rub"), -0.15 * 0.01 * 4 * kGravity * std::max(1.0, 2 * overhang / 0.1), 1e-9);
    }
}

TEST(LoadFriction, IsWrittenAndReadAgain) {
  const Mechanism m = read(slope(0.3, 0.2, 1));
  const ModelInput again = read_model_text(write_model(m), "again.yaml");
  ASSERT_TRUE(again.errors.empty()) << to_string(again.errors.front());
  EXPECT_EQ(std::get<DryFriction>(again.mechanism.forces[0].law).coefficient, 0.2);
  EXPECT_EQ(std::get<DryFriction>(again.mechanism.forces[0].law).static_coefficient, 0.2);
}

TEST(ThreadFriction, MustMakeSense) {
  const auto says = [](double radius, double flank, const std::string& words) {
    const std::string said = complaint(jack(0.02, radius, flank, 0.1, ""));
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  says(0, 0, "the radius of the thread of 'rub' is 0 m");
  says(0.01, 1.5, "give half of the thread angle, below 80 deg");
}

TEST(LoadFriction, MustMakeSense) {
  const auto says = [](const std::string& friction, const std::string& words) {
    const std::string said = complaint(R"yaml(
plane: xy
bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, at: [1, 0]}}
joints:
  hinge: {revolute: [a, ground], at: [0, 0]}
  guide: {prismatic: [b, ground], axis: [1, 0]}
forces: {rub: )yaml" + friction + "}\n");
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  says("{dry-friction: hinge, coefficient: 0.2}", "give the radius of the bearing");
  says("{dry-friction: hinge, coefficient: 0.2, radius: 0}", "the radius of the bearing of 'rub' is 0 m");
  says("{dry-friction: guide, coefficient: 0.2, radius: 0.1}", "joint 'guide' slides");
  says("{dry-friction: guide, coefficient: -0.2}", "coefficient");
  says("{dry-friction: guide, coefficient: 0.2, static-coefficient: 0.1}", "below its coefficient");
  says("{dry-friction: guide, coefficient: 0.2, capacity: 3}", "makes the capacity of the joint's reaction");
  says("{dry-friction: guide, capacity: 3, radius: 0.1}", "it belongs to `coefficient:`");
  says("{dry-friction: guide, coefficient: 0.2, length: -1}", "the length of 'rub' is -1 m");
  says("{dry-friction: hinge, coefficient: 0.2, radius: 0.1, length: 1}", "has no moments across its axis");
  says("{dry-friction: guide, coefficient: 0.2, flank-angle: 0.1}", "joint 'guide' is no thread");
  says("{dry-friction: guide, capacity: 3, length: 0.1}", "it belongs to `coefficient:`");
  says("{friction: guide, mu: 0.2}", "smooth friction does not depend on the joint's load");
}

}  // namespace
}  // namespace trammel::tests::load_friction_test
