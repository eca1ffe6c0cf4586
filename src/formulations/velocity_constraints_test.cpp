// Constraints of velocities, A(q, t) v + b(q, t) = 0, in a person's own coordinates: closed-form motions, a
// reference trajectory, agreement of the formulations of index 1, orders, drift, and what is said of bad
// ones. generalized_test.cpp has A, b and γ̂ against differences.
#include "formulations/velocity_constraints_testing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "analysis/mobility.h"
#include "results/report/mobility_report.h"
#include "tests/source_dir.h"

namespace trammel::tests::velocity_constraints_test {
namespace {

TEST(VelocityConstraints, TwoMassesAtOneSpeed) {
  // f_c = m2 f/(m1 + m2) = 0.833 N, the published figure; the motion is a parabola, exact by every rule here.
  for (const Choice& method : kExact) {
    Motion run(text_model(kPair), plan_of(method, "rk4", 0.05));
    run.go(1);
    // Reactions come from a matrix of condition 1e6.
    EXPECT_NEAR(run.lambda(), 5.0 / 6, 1e-9) << method.formulation;
    EXPECT_NEAR(run.q(0), 1.0 / 12, 1e-10) << method.formulation;
    EXPECT_NEAR(run.q(1), 3 + 1.0 / 12, 1e-10) << method.formulation;
    EXPECT_EQ(run.worst.position, 0) << "a constraint of velocities has no position to violate";
  }
}

TEST(VelocityConstraints, PursuitFollowsTheReference) {
  std::ifstream file(std::string(kSourceDir) + "/tests/references/gonzalez_ex2_pursuit_d1.csv");
  ASSERT_TRUE(file);
  std::vector<std::vector<double>> rows;  // t, Fx, Fy on A, xA, yA, xB, yB, then rates
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::stringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  ASSERT_EQ(rows.size(), 101U);
  const Mechanism mechanism = text_model(kPursuit);
  for (const char* integrator : {"rk4", "dopri5"})
    for (const Choice& method : kExact) {
      Motion run(mechanism, plan_of(method, integrator, 0.005));
      double position = 0, force = 0;
      for (const std::vector<double>& row : rows) {
        run.go(row[0]);
        for (int i = 0; i < 4; ++i)
          position = std::max(position, std::abs(run.q(i) - row[3 + static_cast<std::size_t>(i)]));
        // −Aᵀλ with A = [yB − yA, xA − xB]
        const double lambda = run.lambda();
        force = std::max({force, std::abs(-lambda * (run.q(3) - run.q(1)) - row[1]),
                          std::abs(lambda * (run.q(2) - run.q(0)) - row[2])});
      }
      // rk4 at 5 ms: h⁴ = 6e-10 times derivatives of order ten; the reference is exact to about 1e-11.
      EXPECT_LT(position, 1e-8) << method.formulation << " by " << integrator;
      EXPECT_LT(force, 1e-7) << method.formulation << " by " << integrator;
    }
}

TEST(VelocityConstraints, ASkateOnASlopeDrawsACycloid) {
  // It does not slide down: x = s/(2ω²) sin² ωt, y = s/(2ω²)(ωt − ½ sin 2ωt), λ = 2 m s sin ωt, s = g sin α.
  const double s = 3, w = 1.4, m = 2;
  for (const Choice& method : kExact) {
    Motion run(text_model(kSkate), plan_of(method, "dopri5", 0.5));
    for (const double t : {0.5, 1.0, 3.0, 6.0}) {
      run.go(t);
      EXPECT_NEAR(run.q(0), s / (2 * w * w) * std::pow(std::sin(w * t), 2), 1e-9) << method.formulation;
      EXPECT_NEAR(run.q(1), s / (2 * w * w) * (w * t - 0.5 * std::sin(2 * w * t)), 1e-9)
          << method.formulation;
      EXPECT_NEAR(run.lambda(), 2 * m * s * std::sin(w * t), 1e-8) << method.formulation;
    }
    EXPECT_NEAR(run.simulation.energy().balance(), 0.5 * 0.3 * w * w, 1e-9) << method.formulation;
  }
}

TEST(VelocityConstraints, ChaplyginsSleighEndsInAStraightRun) {
  // With I = J + m a² and κ = a Ω √(m/I): v = √(I/m) Ω tanh κt along the edge, ω = Ω / cosh κt.
  const double a = 0.4, m = 2, spin = 1.7, inertia = 0.3 + m * a * a;
  const double k = a * spin * std::sqrt(m / inertia);
  for (const Choice& method : kExact) {
    Motion run(text_model(kSleigh), plan_of(method, "dopri5", 0.1));
    for (const double t : {0.3, 1.0, 5.0}) {
      run.go(t);
      const double v = run.q_dot(0) * std::cos(run.q(2)) + run.q_dot(1) * std::sin(run.q(2));
      EXPECT_NEAR(v, std::sqrt(inertia / m) * spin * std::tanh(k * t), 1e-9) << method.formulation;
      EXPECT_NEAR(run.q_dot(2), spin / std::cosh(k * t), 1e-9) << method.formulation;
      EXPECT_NEAR(run.q(2), 2 * spin / k * std::atan(std::tanh(k * t / 2)), 1e-9) << method.formulation;
    }
    EXPECT_NEAR(run.simulation.energy().kinetic, 0.5 * inertia * spin * spin, 1e-9) << method.formulation;
  }
}

TEST(VelocityConstraints, ARollingDiskGoesRoundACircle) {
  // Both spins stay; radius R φ̇/ψ̇.
  const double radius = 0.5 * 3 / 0.7;
  for (const Choice& method : kExact) {
    Motion run(text_model(kDisk), plan_of(method, "dopri5", 0.5));
    const double energy = run.simulation.energy().kinetic;
    EXPECT_NEAR(energy, 0.5 * (2 * 2.25 + 0.125 * 0.49 + 0.25 * 9), 1e-12) << "rolling from the start";
    run.go(10);
    EXPECT_NEAR(run.q(0), radius * std::sin(7), 1e-8) << method.formulation;
    EXPECT_NEAR(run.q(1), radius * (1 - std::cos(7)), 1e-8) << method.formulation;
    EXPECT_NEAR(run.simulation.energy().kinetic, energy, 1e-9) << method.formulation;
  }
}

TEST(VelocityConstraints, FormulationsAgree) {
  for (const std::string& text : {kPursuit, kSkate, kSleigh, kDisk, kSlipping}) {
    const Mechanism mechanism = text_model(text);
    const State reference = after(mechanism, plan_of({"lagrange"}, "dopri5", 0.1), 2);
    for (const Choice& method : kExact)
      EXPECT_LT(distance(after(mechanism, plan_of(method, "dopri5", 0.1), 2), reference), 1e-8)
          << method.formulation << text;
    // The penalty's error is proportional to 1/α. α multiplies A v + b as it is written.
    const auto penalty_error = [&](double alpha) {
      Plan plan = plan_of({"penalty"}, "rk4", 1e-3);
      plan.penalty = alpha;
      return distance(after(mechanism, plan, 2), reference);
    };
    EXPECT_NEAR(penalty_error(1e5) / penalty_error(1e6), 10, 0.5) << text;
    EXPECT_LT(penalty_error(1e6), 1e-4) << text;
  }
}

TEST(VelocityConstraints, AlgebraicKeepsItsOrder) {
  for (const std::string& text : {kPursuit, kSkate, kSleigh, kDisk, kSlipping, kDamped})
    for (const int order : {1, 2}) {
      const Mechanism mechanism = text_model(text);
      const State reference = after(mechanism, plan_of({"lagrange"}, "dopri5", 0.1), 1);
      const auto error = [&](double h) {
        Plan plan = plan_of({"algebraic"}, Plan().integrator, h);
        plan.algebraic_order = order;
        return distance(after(mechanism, plan, 1), reference);
      };
      EXPECT_NEAR(std::log2(error(4e-3) / error(2e-3)), order, 0.15) << text;
      EXPECT_NEAR(std::log2(error(2e-3) / error(1e-3)), order, 0.15) << text;
    }
}

TEST(VelocityConstraints, AlgebraicTakesAwayWhatIsLeftOfThem) {
  // What an estimate of q₊ and v₊ misses is of order h³ in each step (h² by order 1) and does not add up.
  for (const int order : {1, 2}) {
    Plan plan = plan_of({"algebraic"}, Plan().integrator, 1e-3);
    plan.algebraic_order = order;
    Motion run(text_model(kSkate), plan);
    State pushed = run.simulation.state();
    pushed.v[1] += 0.1;  // across the edge
    run.simulation.restore(pushed);
    run.go(1e-3);
    EXPECT_LT(std::abs(run.slip()), order == 1 ? 1e-5 : 1e-7);
    run.worst = {};
    run.go(10);
    EXPECT_LT(run.worst.velocity, order == 1 ? 1e-5 : 1e-8);
  }
}

TEST(VelocityConstraints, WorkOfAMovingConstraintIsFollowed) {
  // Work is integrated with the motion, by the same rule: fourth order.
  const auto drift = [](double h) {
    Motion run(text_model(kSlipping), plan_of({"lagrange"}, "rk4", h));
    const double start = run.simulation.energy().balance();
    run.go(2);
    EXPECT_GT(std::abs(run.simulation.energy().work), 0.1);
    return std::abs(run.simulation.energy().balance() - start);
  };
  EXPECT_NEAR(std::log2(drift(4e-3) / drift(2e-3)), 4, 0.15);
  // A that changes with time does no work: A v = 0.
  const Mechanism turning = text_model(R"yaml(
coordinates: {x: {start: 0, rate: 1}, y: 0}
mass: {x: 1, y: 1}
constraints: {rail: x.rate*sin(t) - y.rate*cos(t)}
)yaml");
  Motion run(turning, plan_of({"lagrange"}, "dopri5", 0.1));
  EXPECT_FALSE(run.simulation.system().rheonomic());
  run.go(3);
  EXPECT_NEAR(run.simulation.energy().kinetic, 0.5, 1e-10);
}

TEST(VelocityConstraints, StabilizationDampsWhatIsLeft) {
  // (A v + b)˙ = −c (A v + b), with c = 2a; 2Ωμ for the augmented Lagrangian; nothing for lagrange.
  struct Case {
    Choice method;
    double rate;
  };
  for (const Case& c : {Case{{"baumgarte"}, 6}, Case{{"null-space", false, true}, 6},
                        Case{{"augmented-lagrangian"}, 4}, Case{{"lagrange"}, 0}, Case{{"null-space"}, 0}})
    for (const std::string& text : {kSkate, kSlipping}) {
      Plan plan = plan_of(c.method, "rk4", 1e-3);
      plan.stabilization_a = 3;
      plan.stabilization_b = 50;  // of positions alone
      plan.omega = 4;
      plan.mu = 0.5;
      Motion run(text_model(text), plan);
      State pushed = run.simulation.state();
      pushed.v[1] += 0.1;
      run.simulation.restore(pushed);
      const double start = run.slip();
      run.go(0.5);
      EXPECT_NEAR(run.slip() / start, std::exp(-0.5 * c.rate), 1e-8) << c.method.formulation << text;
    }
}

TEST(VelocityConstraints, WelchsRuleSuitsExplicitRules) {
  // c = 1/h: what is left is halved by the midpoint rule and taken away by Euler's, up to the rules' own
  // errors.
  for (const char* integrator : {"euler", "rk2-midpoint"}) {
    Plan plan = plan_of({"baumgarte"}, integrator, 1e-3);
    plan.stabilization = "welch";
    Motion run(text_model(kSkate), plan);
    State pushed = run.simulation.state();
    pushed.v[1] += 0.1;
    run.simulation.restore(pushed);
    run.go(0.02);
    EXPECT_LT(std::abs(run.slip()), 1e-5) << integrator;
  }
}

TEST(VelocityConstraints, ProjectionsHoldThem) {
  for (const std::string& text : {kSkate, kSlipping})
    for (const bool projected : {true, false}) {
      Plan plan = plan_of({"lagrange"}, "rk2-midpoint", 0.01);
      plan.project_positions = plan.project_velocities = plan.project_accelerations = projected;
      Motion run(text_model(text), plan);
      run.go(5);
      if (projected) {
        // Quantities of order one to ten, to rounding.
        EXPECT_LT(run.worst.position, 1e-13);
        EXPECT_LT(run.worst.velocity, 1e-13);
        EXPECT_LT(run.worst.acceleration, 1e-12);
      } else {
        EXPECT_GT(run.worst.velocity, 1e-6);
      }
    }
}

TEST(VelocityConstraints, HoldNoPositions) {
  // Assembly and projection take positions to Φ as if the constraint of velocities were not there, though it
  // forbids to move that way.
  const std::string free =
      "coordinates: {x: 1.4, y: 0.3}\nmass: {x: 1, y: 2}\nconstraints:\n  ring: x^2 + y^2 - 1\n";
  const Plan plan = plan_of({"augmented-lagrangian"}, "rk4", 1e-3);
  const Motion alone(text_model(free), plan), held(text_model(free + "  edge: x.rate\n"), plan);
  EXPECT_NEAR(alone.q(0), held.q(0), 1e-12);
  EXPECT_NEAR(alone.q(1), held.q(1), 1e-12);
}

TEST(VelocityConstraints, SaidTwice) {
  const std::string again =
      "  again: -3*x.rate*sin(psi + 0.2*t) + 3*y.rate*cos(psi + 0.2*t) + "
      "0.9*sin(2*t)*(1 + 0.1*x)\n";
  const Mechanism once = text_model(kSlipping), twice = text_model(kSlipping + again);
  {
    // Rounding of matrices of condition 1e6, over 500 steps.
    for (const char* formulation : {"augmented-lagrangian", "independent"}) {
      const Plan plan = plan_of({formulation}, "rk4", 2e-3);
      EXPECT_LT(distance(after(once, plan, 1), after(twice, plan, 1)), 1e-9) << formulation;
    }
  }
  // α (1 + 9) in place of α: the penalty's own error, a tenth of it.
  Plan penalty = plan_of({"penalty"}, "rk4", 1e-3);
  penalty.penalty = 1e6;
  const State reference = after(once, plan_of({"lagrange"}, "dopri5", 0.1), 1);
  EXPECT_LT(distance(after(twice, penalty, 1), reference), 1e-4);

  for (const char* formulation :
       {"lagrange", "baumgarte", "null-space", "canonical-lagrange", "canonical-independent", "algebraic"}) {
    const bool own = std::string(formulation) == "algebraic";
    Simulation simulation(twice, plan_of({formulation}, own ? Plan().integrator : "rk4", 1e-3));
    const AssemblyReport report = simulation.assemble();
    EXPECT_EQ(report.report.outcome, Outcome::refused) << formulation;
    EXPECT_NE(report.report.message.find("edge, again"), std::string::npos) << report.report.message;
  }
}

TEST(VelocityConstraints, GivenRatesThatContradictAreNamed) {
  Mechanism mechanism = text_model(kSkate);
  mechanism.generalized->coordinates[1].rate = 1;  // across the edge
  Simulation simulation(mechanism, plan_of({"lagrange"}, "rk4", 1e-3));
  const AssemblyReport report = simulation.assemble();
  EXPECT_EQ(report.report.outcome, Outcome::assembly_failed);
  EXPECT_EQ(report.conflicts, (std::vector<std::string>{"edge", "y"}));
}

TEST(VelocityConstraints, FreedomOfVelocitiesAndOfPositions) {
  const Mechanism mechanism = text_model(kSlipping);
  const Motion run(mechanism, plan_of({"lagrange"}, "rk4", 1e-3));
  const analysis::MobilityCheck check = analysis::check_mobility(run.simulation);
  const analysis::Mobility& m = check.mobility;
  EXPECT_EQ(m.constraints, 2);
  EXPECT_EQ(m.velocity_constraints, 1);
  EXPECT_EQ(m.position_freedom, 4);
  EXPECT_EQ(m.degrees_of_freedom, 3);
  EXPECT_EQ(results::mobility_json(check)["position_freedom"], 4);
  EXPECT_EQ(results::mobility_json(check)["velocity_constraints"], 1);
  EXPECT_NE(results::mobility_text(mechanism, check).find("3 of velocities, 4 of positions"),
            std::string::npos);

  const Motion disk(text_model(kDisk), plan_of({"lagrange"}, "rk4", 1e-3));
  const analysis::Mobility d = analysis::mobility(disk.simulation);
  EXPECT_EQ(d.degrees_of_freedom, 2);
  EXPECT_EQ(d.position_freedom, 4);
}

}  // namespace
}  // namespace trammel::tests::velocity_constraints_test
