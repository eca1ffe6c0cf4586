// The canonical formulations: momenta in place of velocities. Orders of motion, accelerations and
// multipliers, agreement with the default plan, what holds the constraints, energy, resuming, singular
// positions. formulations_test.cpp and velocity_constraints_test.cpp have them beside the other formulations.
#include <gtest/gtest.h>

#include <cmath>

#include "formulations/accelerations/acceleration_form.h"
#include "formulations/independent/coordinate_changes.h"
#include "formulations/velocity_constraints_testing.h"
#include "math/count_malloc.h"
#include "model/models_testing.h"
#include "simulation/method_table.h"

namespace trammel::tests::canonical_test {
namespace {

const std::vector<std::string> kCanonical{"canonical-lagrange", "canonical-independent",
                                          "canonical-augmented"};

// An arm that a motor turns with a growing speed, and a body that hangs from it by a ball joint and a spring.
const std::string kDrivenArm = R"yaml(
name: driven arm in space
gravity: [0, 0, -9.81]
points: {O: {at: [0, 0, -1], on: ground}}
bodies:
  arm: {mass: 1, inertia: [0.02, 0.03, 0.04], com: [0.2, 0, 0]}
  bob: {mass: 2, inertia: [0.1, 0.12, 0.15], at: [0.5, 0, 0], com: [0.2, 0.1, -0.3], points: {p: [0.3, 0, -0.5]}}
joints:
  hinge: {revolute: [arm, ground], at: [0, 0, 0], axis: [0, 0.2, 1]}
  ball: {spherical: [bob, arm], at: [0.5, 0, 0]}
drivers: {motor: {joint: hinge, equals: 2*t + 0.5*t^2 + 0.1*sin(5*t)}}
forces: {spring: {spring: [O, bob.p], stiffness: 30, length: 0.2, damping: 1}}
simulate: {duration: 1, step: 10 ms}
)yaml";

Plan with(const Mechanism& mechanism, const std::string& formulation, const std::string& integrator,
          double h) {
  Plan plan = mechanism.plan;
  plan.formulation = formulation;
  plan.integrator = integrator;
  plan.tolerance = 1e-12;
  plan.step = h;
  return plan;
}

double largest(const std::vector<double>& a, const std::vector<double>& b) {
  double size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) size = std::max(size, std::abs(a[i] - b[i]));
  return size;
}

struct Case {
  std::string name;
  Mechanism mechanism;
  double step;  // the coarser of two in the range of fourth order, above rounding
};

std::vector<Case> cases() {
  return {{"simple pendulum", model("simple-pendulum"), 5e-3},
          {"slider-crank", model("slider-crank"), 5e-3},
          {"driven in space", text_model(kDrivenArm), 5e-3},
          {"mass of the coordinates", text_model(kDamped), 0.01},
          {"skate that is made to slip", text_model(kSlipping), 0.01},
          {"pursuit", text_model(kPursuit), 0.02},
          {"skater", model("skater"), 0.02},
          {"rolling disk", model("rolling-disk"), 5e-3}};
}

TEST(Canonical, MotionAccelerationsAndMultipliersAreOfTheRulesOrder) {
  for (const Case& c : cases()) {
    const State exact = after(c.mechanism, with(c.mechanism, "lagrange", "dopri5", 0.1), 0.8);
    for (const std::string& formulation : kCanonical) {
      const auto at = [&](double h) {
        return after(c.mechanism, with(c.mechanism, formulation, "rk4", h), 0.8);
      };
      const State coarse = at(c.step), fine = at(c.step / 2);
      for (const auto part : {&State::q, &State::v, &State::a, &State::lambda}) {
        const double order = std::log2(largest(coarse.*part, exact.*part) / largest(fine.*part, exact.*part));
        // New charts of independent velocities fall on other steps: their part of the error is not smooth in
        // h.
        EXPECT_NEAR(order, 4, 0.4) << c.name << ": " << formulation;
      }
    }
  }
}

TEST(Canonical, AgreeWithTheAccelerationsOfLagrange) {
  for (const Case& c : cases()) {
    const State reference = after(c.mechanism, with(c.mechanism, "lagrange", "dopri5", 0.1), 0.8);
    for (const std::string& formulation : kCanonical) {
      const State s = after(c.mechanism, with(c.mechanism, formulation, "dopri5", 0.1), 0.8);
      // Two runs with local errors of 1e-12; the augmented Lagrangian solves with matrices of condition 1e6.
      EXPECT_LT(distance(s, reference), 1e-8) << c.name << ": " << formulation;
      EXPECT_LT(largest(s.a, reference.a), 1e-6) << c.name << ": " << formulation;
      EXPECT_LT(largest(s.lambda, reference.lambda), 1e-6) << c.name << ": " << formulation;
    }
  }
}

TEST(Canonical, AgreeWithTheDefaultPlan) {
  // Index 3 is of second order: extrapolated from 1 ms and 0.5 ms it is exact to h³ and better.
  for (const char* name : {"simple-pendulum", "slider-crank", "spatial-slider-crank"}) {
    const Mechanism mechanism = model(name);
    const Plan plan;
    const State coarse = after(mechanism, with(mechanism, plan.formulation, plan.integrator, 1e-3), 0.5),
                fine = after(mechanism, with(mechanism, plan.formulation, plan.integrator, 5e-4), 0.5);
    std::vector<double> limit = fine.q;
    for (std::size_t i = 0; i < limit.size(); ++i) limit[i] += (fine.q[i] - coarse.q[i]) / 3;
    for (const std::string& formulation : kCanonical)
      EXPECT_LT(largest(after(mechanism, with(mechanism, formulation, "dopri5", 0.1), 0.5).q, limit), 5e-8)
          << name << ": " << formulation;
  }
}

TEST(Canonical, VelocitiesObeyTheConstraintsAtEveryStep) {
  for (const Case& c : cases())
    for (const char* formulation : {"canonical-lagrange", "canonical-independent"}) {
      Motion run(c.mechanism, with(c.mechanism, formulation, "rk2-heun", 0.01));
      run.go(1);
      // Speeds up to 10 m/s: rounding of a linear solve. The rule's error is in Φ alone, and not
      // where the position problem is solved.
      EXPECT_LT(run.worst.velocity, 1e-12) << c.name << ": " << formulation;
      if (formulation == kCanonical[1]) {
        EXPECT_LT(run.worst.position, 1e-13) << c.name;
      }
    }
}

TEST(Canonical, AugmentedLetsEachConstraintDecayAtItsOwnRate) {
  const Mechanism mechanism = model("double-pendulum");
  Plan plan = with(mechanism, "canonical-augmented", "dopri5", 0.1);
  plan.omega = 7;
  plan.omega_of["lower"] = 20;
  plan.mu_of["lower"] = 0.5;
  Motion run(mechanism, plan);
  State state = run.simulation.state();
  for (double& q : state.q) q *= 1.001;
  const system::System& system = run.simulation.system();
  system::Terms before = system.make_terms(), after = system.make_terms();
  system.evaluate(state, system::kAskPosition, before);
  run.simulation.restore(state);
  const double t = 0.1;
  run.go(t);
  system.evaluate(run.simulation.state(), system::kAskPosition, after);
  // Φ̈ + 2ΩμΦ̇ + Ω²Φ = 0 from rest: critically damped with μ = 1, oscillating with μ < 1
  const double upper = std::exp(-7 * t) * (1 + 7 * t), damped = 20 * std::sqrt(0.75),
               lower = std::exp(-10 * t) * (std::cos(damped * t) + 10 / damped * std::sin(damped * t));
  // Φ of the order of 1e-3, by a rule of tolerance 1e-12.
  EXPECT_NEAR(after.Phi[0], upper * before.Phi[0], 1e-10);
  EXPECT_NEAR(after.Phi[1], lower * before.Phi[1], 1e-10);
}

TEST(Canonical, WhatIsLeftOfVelocityConstraints) {
  // (A v + b)˙ = −2Ωμ(A v + b) by the augmented Lagrangian; the others take it away at once.
  for (const std::string& text : {kSkate, kSlipping})
    for (const std::string& formulation : kCanonical) {
      Plan plan = plan_of({formulation.c_str()}, "rk4", 1e-3);
      plan.omega = 4;
      plan.mu = 0.5;
      Motion run(text_model(text), plan);
      State pushed = run.simulation.state();
      pushed.v[1] += 0.1;
      run.simulation.restore(pushed);
      const double start = run.slip();
      run.go(0.5);
      const double left = formulation == "canonical-augmented" ? std::exp(-0.5 * 4) : 0;
      // Fourth order at 1 ms.
      EXPECT_NEAR(run.slip() / start, left, 1e-8) << formulation << text;
    }
}

TEST(Canonical, ProjectionsCloseThePositionsToo) {
  for (const char* formulation : {"canonical-lagrange", "canonical-augmented"}) {
    const Mechanism mechanism = model("double-pendulum");
    Plan plan = with(mechanism, formulation, "rk4", 5e-3);
    plan.project_positions = plan.project_velocities = plan.project_accelerations = true;
    Motion run(mechanism, plan);
    run.go(5);
    // Lengths 1 m, speeds up to 10 m/s, accelerations up to 150 m/s²: 1e-13 of each.
    EXPECT_LT(run.worst.position, 1e-13) << formulation;
    EXPECT_LT(run.worst.velocity, 1e-12) << formulation;
    EXPECT_LT(run.worst.acceleration, 1.5e-11) << formulation;
    // They change nothing but errors of fourth order.
    const State free = after(mechanism, with(mechanism, formulation, "dopri5", 0.1), 0.5);
    EXPECT_LT(distance(after(mechanism, plan, 0.5), free), 1e-5) << formulation;
  }
}

TEST(Canonical, TheMidpointRuleKeepsQuadraticConstraintsAndTheEnergy) {
  // The equations are Hamilton's in (q, p), on which the midpoint rule is symplectic; and where Φ is of
  // second degree Φ(q₊) − Φ(q) = h Φ_v(½(q + q₊)) v = 0.
  const Mechanism mechanism = model("double-pendulum");
  Motion run(mechanism, with(mechanism, "canonical-lagrange", "implicit-midpoint", 5e-3));
  const double start = run.simulation.energy().balance();
  double early = 0, late = 0;
  for (int second = 1; second <= 100; ++second) {
    run.go(second);
    double& largest = second <= 20 ? early : late;
    largest = std::max(largest, std::abs(run.simulation.energy().balance() - start));
  }
  // What the iteration of a step leaves, 1e-11, over 20000 steps.
  EXPECT_LT(run.worst.position, 1e-8);
  // Of second order, and it does not grow.
  EXPECT_LT(early, 0.05);
  EXPECT_LT(late, 2 * early);
}

TEST(Canonical, IndependentColumnsChangeAndAreCounted) {
  // A pendulum that turns round: x serves at the bottom and the top, y at the sides.
  const Mechanism mechanism = text_model(R"yaml(
name: pendulum
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, P: [0, -1]}
bodies: {bob: {point: P, mass: 2}}
joints: {string: {distance: [P, O], length: 1}}
initial: {P: {velocity: [8, 0]}}
simulate: {duration: 1, step: 1e-3}
)yaml");
  Motion run(mechanism, with(mechanism, "canonical-independent", "rk4", 1e-3));
  int turns = 0;
  const double end = 5;
  double x = 0;
  while (run.simulation.state().t < end - 1e-9) {
    run.go(run.simulation.state().t + 1e-3);
    turns += x < 0 && run.q(0) >= 0 && run.q(1) < 0 ? 1 : 0;
    x = run.q(0);
  }
  EXPECT_GT(turns, 3);
  EXPECT_NEAR(formulations::coordinate_changes(run.simulation.state()), 4 * turns, 3);
  const State exact = after(mechanism, with(mechanism, "lagrange", "dopri5", 0.1), end);
  // rk4 at 1 ms and 8 m/s. A chart kept beyond its border would be off by a metre.
  EXPECT_LT(distance(run.simulation.state(), exact), 1e-4);
}

TEST(Canonical, ResumeFromACopiedStateToTheBit) {
  for (const char* name :
       {"three-link-pendulum", "driven-slider-crank", "rolling-disk", "controlled-pendulum"}) {
    const Mechanism mechanism = model(name);
    for (const std::string& formulation : kCanonical)
      for (const char* rule : {"rk4", "dopri5", "trapezoidal", "implicit-midpoint"}) {
        Motion one(mechanism, with(mechanism, formulation, rule, 2e-3));
        one.go(0.1);
        Motion two(mechanism, with(mechanism, formulation, rule, 2e-3));
        two.simulation.restore(one.simulation.state());
        one.go(0.2);
        two.go(0.2);
        const State &a = one.simulation.state(), &b = two.simulation.state();
        for (const auto part : {&State::q, &State::v, &State::a, &State::lambda, &State::x})
          EXPECT_EQ(a.*part, b.*part) << name << ": " << formulation << " by " << rule;
      }
  }
}

TEST(Canonical, WorkOfDriversIsFollowed) {
  // Integrated with the motion, by the same rule: fourth order.
  for (const std::string& formulation : kCanonical) {
    const auto drift = [&](double h) {
      const Mechanism mechanism = text_model(kDrivenArm);
      Motion run(mechanism, with(mechanism, formulation, "rk4", h));
      const double start = run.simulation.energy().balance();
      double largest = 0;
      while (run.simulation.state().t < 1 - 1e-9) {
        run.go(run.simulation.state().t + h);
        largest = std::max(largest, std::abs(run.simulation.energy().balance() - start));
      }
      EXPECT_GT(std::abs(run.simulation.energy().work), 1);
      return largest;
    };
    EXPECT_NEAR(std::log2(drift(5e-3) / drift(2.5e-3)), 4, 0.4) << formulation;
  }
}

TEST(Canonical, AugmentedRunsTheRedundantBricard) {
  const Mechanism mechanism = model("bricard");
  const State reference = after(mechanism, with(mechanism, "augmented-lagrangian", "dopri5", 0.1), 2);
  const State s = after(mechanism, with(mechanism, "canonical-augmented", "dopri5", 0.1), 2);
  // Two runs of tolerance 1e-12, with matrices of condition 1e6.
  EXPECT_LT(distance(s, reference), 1e-9);
  for (const char* formulation : {"canonical-lagrange", "canonical-independent"}) {
    Simulation simulation(mechanism, with(mechanism, formulation, "rk4", 1e-3));
    EXPECT_EQ(simulation.assemble().report.outcome, Outcome::refused) << formulation;
  }
}

TEST(Canonical, ARateTakesNothingFromTheHeap) {
#ifndef TRAMMEL_COUNTS_MALLOC
  GTEST_SKIP() << "malloc cannot be counted in this build";
#endif
  for (const char* name : {"double-four-bar", "driven-slider-crank", "rolling-disk"})
    for (const char* formulation : {"canonical-lagrange", "canonical-augmented"}) {
      const Mechanism mechanism = model(name);
      const Motion run(mechanism, with(mechanism, formulation, "rk4", 1e-3));
      const ResolvedPlan& plan = run.simulation.resolved();
      const auto form =
          simulation::entry_of(plan.formulation).acceleration_form(run.simulation.shared_system(), plan);
      std::vector<double> y;
      form->pack(run.simulation.state(), y);
      std::vector<double> y_dot(y.size());
      EXPECT_TRUE(form->rate(0, y, y_dot).accepted());
      const long before = allocations;
      const bool accepted = form->rate(1e-3, y, y_dot).accepted();
      EXPECT_EQ(allocations - before, 0) << name << ": " << formulation;
      EXPECT_TRUE(accepted);
    }
}

// Passages of the double four-bar, its cranks flat, until a step fails, the cranks are no longer parallel, or
// a joule of energy is gained or lost.
int passages(const Mechanism& mechanism, const Plan& plan, double end) {
  Simulation simulation(mechanism, plan);
  EXPECT_TRUE(simulation.assemble().report.accepted());
  const double start = simulation.energy().balance();
  int count = 0;
  double height = 1;
  while (simulation.state().t < end - 1e-9 && simulation.step(plan.step).report.accepted()) {
    const std::vector<Vec3> p = simulation.system().point_positions(simulation.state());  // A0, A1, A2, B0, …
    const Vec3 along(1, 0, 0);
    if (std::max((p[4] - p[3] - along).norm(), (p[5] - p[4] - along).norm()) > 0.05) break;
    if (std::abs(simulation.energy().balance() - start) > 1) break;
    count += p[3].y() * height < 0 ? 1 : 0;
    height = p[3].y();
  }
  return count;
}

TEST(Canonical, MomentaPassSingularPositionsMoreOftenThanAccelerations) {
  // By the trapezoidal rule, 20 s with twenty passages at each of nine steps. docs/formulations.md has 100 s.
  const Mechanism mechanism = model("double-four-bar");
  const auto sum = [&](const std::string& formulation) {
    int all = 0;
    for (int ms = 2; ms <= 10; ++ms)
      all += passages(mechanism, with(mechanism, formulation, "trapezoidal", 1e-3 * ms), 20);
    return all;
  };
  const int momenta = sum("canonical-augmented"), accelerations = sum("augmented-lagrangian");
  // 156 against 59 where it was measured: rounding decides single passages, not a third of all.
  EXPECT_GT(momenta, 2 * accelerations);
  EXPECT_GT(momenta, 100);
}

}  // namespace
}  // namespace trammel::tests::canonical_test
