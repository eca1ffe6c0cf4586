// Reactions of constraints of velocities in the default formulation: orders, closed forms, redundant and
// empty rows, error control, stability, what is reported and what is refused. gonzalez_test.cpp has the
// paper's examples.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "analysis/compare.h"
#include "analysis/stability.h"
#include "formulations/velocity_reactions_testing.h"

namespace trammel::tests::velocity_reactions_test {
namespace {

// The largest error of positions and velocities, and of λ̂, against the motion by dopri5.
Errors error_at(const Mechanism& mechanism, const Plan& plan, const State& reference, double end) {
  Motion run(mechanism, plan);
  run.go(end);
  const State& s = run.simulation.state();
  Errors e{distance(s, reference), 0};
  for (auto r = static_cast<std::size_t>(run.simulation.system().sizes().holonomic); r < s.lambda.size(); ++r)
    e.force = std::max(e.force, std::abs(s.lambda[r] - reference.lambda[r]));
  return e;
}

State reference_state(const Mechanism& mechanism, double end) {
  Motion run(mechanism, plan_of({"lagrange"}, "dopri5", 0.1));
  run.go(end);
  Report report;
  return run.simulation.with_reactions(report);
}

// A skate with air drag that wags its tail by a spring and a damper: forces of every kind beside A.
const std::string kDraggedSkate = R"yaml(
coordinates: {x: {start: 0, rate: 1}, y: 0, psi: {start: 0, rate: 1.4}, tail: {start: 0.5, rate: 0}}
mass: {x: 2, y: 2, psi: 0.3, tail: 0.1}
applied: {x: 2*3 - 3*x.rate, y: -3*y.rate - 2*x, psi: 4*(tail - psi) + 0.5*(tail.rate - psi.rate), tail: -4*(tail - psi) - 0.5*(tail.rate - psi.rate)}
constraints: {edge: x.rate*sin(psi) - y.rate*cos(psi)}
)yaml";

TEST(CarriedReactions, KeepTheOrderOfEveryRule) {
  for (const std::string& text : {kSlipping, kSkate, kSleigh, kDraggedSkate}) {
    const Mechanism mechanism = text_model(text);
    const State reference = reference_state(mechanism, 1);
    for (const Scheme& scheme : schemes(kRules, {"carried"})) {
      const Errors coarse = error_at(mechanism, plan_with(scheme, 4e-3), reference, 1),
                   fine = error_at(mechanism, plan_with(scheme, 2e-3), reference, 1);
      EXPECT_NEAR(std::log2(coarse.position / fine.position), 2, 0.1) << name_of(scheme) << text;
      EXPECT_NEAR(std::log2(coarse.force / fine.force), 2, 0.15) << name_of(scheme) << text;
    }
  }
}

TEST(PublishedReactions, AreOfFirstOrder) {
  for (const std::string& text : {kSlipping, kSkate, kSleigh, kDraggedSkate}) {
    const Mechanism mechanism = text_model(text);
    const State reference = reference_state(mechanism, 1);
    for (const Scheme& scheme : schemes(kRules, {"published"})) {
      const Errors coarse = error_at(mechanism, plan_with(scheme, 4e-3), reference, 1),
                   fine = error_at(mechanism, plan_with(scheme, 2e-3), reference, 1);
      EXPECT_NEAR(std::log2(coarse.position / fine.position), 1, 0.1) << name_of(scheme) << text;
      // The skate's force does not depend on where it is.
      EXPECT_NEAR(std::log2(coarse.force / fine.force), text == kSkate ? 2 : 1, 0.2)
          << name_of(scheme) << text;
    }
  }
}

// How far the λ̂ of the scheme is from the force that belongs to the state it leaves.
double mismatch(const std::string& text, const Scheme& scheme, double h) {
  Plan plan = plan_with(scheme, h);
  plan.reactions = "solved";
  Motion run(text_model(text), plan);
  run.go(1);
  return std::abs(run.lambda() - run.simulation.state().lambda.back());
}

TEST(Metric, MultipliersOfTheTangentMetricAreTheForcesWithDampersToo) {
  // Forces change with the velocity that is projected. P = M leaves out C(v − v*), of order h where λ̂ is
  // found anew in each step (and so would M P⁻¹ times the multipliers of P = M + (h/2) C + (h²/4) K); these
  // themselves leave out what K does alone. Carrying λ̂ gains an order in either metric.
  const auto order = [](const char* reactions, const char* metric) {
    const Scheme scheme{reactions, "accelerations", metric};
    return std::log2(mismatch(kDraggedSkate, scheme, 4e-3) / mismatch(kDraggedSkate, scheme, 2e-3));
  };
  EXPECT_NEAR(order("published", "mass"), 1, 0.1);
  EXPECT_NEAR(order("published", "tangent"), 2, 0.1);
  EXPECT_NEAR(order("carried", "mass"), 2, 0.1);
  EXPECT_NEAR(order("carried", "tangent"), 3, 0.1);
}

TEST(CarriedReactions, SaidTwiceDoNoHarm) {
  const std::string again =
      "  again: -3*x.rate*sin(psi + 0.2*t) + 3*y.rate*cos(psi + 0.2*t) + "
      "0.9*sin(2*t)*(1 + 0.1*x)\n";
  const std::string height =
      "  rod_again: 2*(u - x)*(u.rate - x.rate) + 2*(w - y)*(w.rate - y.rate) - 0.2*(1 + "
      "0.1*sin(t))*cos(t)\n";
  for (const Scheme& scheme : schemes(kRules)) {
    const Plan plan = plan_with(scheme, 2e-3);
    const State once = after(text_model(kSlipping), plan, 5);
    // The same row again, three times as large, or the rate of a constraint of positions. A step's iteration
    // leaves 1e-11 at most, over 2500 steps.
    EXPECT_LT(distance(after(text_model(kSlipping + again), plan, 5), once), 1e-9) << name_of(scheme);
    EXPECT_LT(distance(after(text_model(kSlipping + height), plan, 5), once), 1e-9) << name_of(scheme);
  }
}

TEST(CarriedReactions, ARowMayBeZeroForAWhile) {
  // A brake that holds x from t = 0.5 on; before that its row is empty and takes no force.
  const Mechanism mechanism = text_model(R"yaml(
coordinates: {x: 0, y: {start: 0, rate: 1}}
mass: {x: 2, y: 1}
applied: {x: 6}
constraints: {brake: "if(t > 0.5005, 1, 0)*x.rate"}
)yaml");
  for (const Scheme& scheme : schemes()) {
    Motion run(mechanism, plan_with(scheme, 1e-3));
    run.go(0.5);
    EXPECT_NEAR(run.q_dot(0), 1.5, 1e-12) << name_of(scheme);
    EXPECT_EQ(run.simulation.state().lambda[0], 0) << name_of(scheme);
    run.go(1);
    EXPECT_NEAR(run.q_dot(0), 0, 1e-12) << name_of(scheme);
    EXPECT_NEAR(run.simulation.state().lambda[0], 6, 1e-6) << name_of(scheme);
    EXPECT_NEAR(run.q(1), 1, 1e-12) << name_of(scheme);
  }
}

TEST(CarriedReactions, NeedBothProjections) {
  for (const bool velocities : {true, false}) {
    Plan plan = plan_with({}, 1e-3);
    plan.project_velocities = velocities;
    plan.project_accelerations = !velocities;
    Simulation simulation(text_model(kSkate), plan);
    const AssemblyReport report = simulation.assemble();
    EXPECT_EQ(report.report.outcome, Outcome::refused);
    EXPECT_NE(report.report.message.find("(edge, …) are held by the projections"), std::string::npos)
        << report.report.message;
  }
}

TEST(Reactions, OfProjectionsNeedIndex3) {
  Plan plan = plan_of({"lagrange"}, "rk4", 1e-3);
  plan.reactions = "projections";
  try {
    Simulation simulation(text_model(kSkate), plan);
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("lagrange has no projections that give reactions"),
              std::string::npos)
        << error.what();
  }
}

TEST(Reactions, OfProjectionsAreWhatJointsReport) {
  // Holonomic ones too: λ* of the iteration, with its round-off of α eps, and κ.
  Mechanism mechanism = model("double-pendulum");
  mechanism.plan.reactions = "projections";
  const auto forces = [&](const char* reactions, const char* route) {
    Plan plan = mechanism.plan;
    plan.reactions = reactions;
    plan.projection_route = route;
    plan.step = 1e-3;
    Motion run(mechanism, plan);
    run.go(0.5);
    Report report;
    const State s = run.simulation.with_reactions(report);
    system::Terms terms = run.simulation.system().make_terms();
    return run.simulation.system().reactions(s, terms);
  };
  const std::vector<system::Wrench> solved = forces("solved", "accelerations");
  for (const char* route : {"accelerations", "velocities"}) {
    const std::vector<system::Wrench> found = forces("projections", route);
    ASSERT_EQ(found.size(), solved.size());
    double difference = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
      difference = std::max(difference, (found[i].force - solved[i].force).norm());
    // Velocities: 2/h times the rule's truncation, of order h².
    EXPECT_LT(difference, 1e-4 * solved[0].force.norm()) << route;
    EXPECT_GT(difference, 0) << route;
  }
}

TEST(Compare, ShowsTheSchemeAsPublishedWhereItDiffers) {
  const auto rows_of = [](const char* name) {
    Mechanism mechanism = model(name);
    mechanism.plan.duration = 1;
    return analysis::compare(mechanism, mechanism.plan, {{"augmented-lagrangian-index3"}, {}}).rows;
  };
  EXPECT_EQ(rows_of("double-pendulum").size(), 1U);
  const std::vector<analysis::Comparison> rows = rows_of("skater");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].formulation, "augmented-lagrangian-index3");
  EXPECT_EQ(rows[1].formulation, "augmented-lagrangian-index3, published");
  EXPECT_GT(*rows[1].max_difference, 100 * *rows[0].max_difference);
}

TEST(ErrorControl, SeesForcesThatAreCarried) {
  // A brake holds x against a force that grows. v̇ stays zero, and all that moves x is that each step begins
  // with the force of the last: h³/(4 m) ḟ, which the estimate must know of.
  const Mechanism mechanism = text_model(R"yaml(
coordinates: {x: 0, y: {start: 0, rate: 1}}
mass: {x: 2, y: 1}
applied: {x: 60*t}
constraints: {brake: x.rate}
)yaml");
  for (const char* rule : {"trapezoidal", "hht", "generalized-alpha"}) {
    Plan plan = plan_with({"carried", "accelerations", "tangent", rule}, 0);
    plan.tolerance = 1e-8;
    Simulation simulation(mechanism, plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    long steps = 0;
    for (int i = 0; i < 10; ++i) {
      const StepResult result = simulation.step(0.1);
      ASSERT_TRUE(result.report.accepted());
      steps += result.steps;
    }
    EXPECT_LT(std::abs(simulation.state().q[0]), static_cast<double>(steps) * 1e-8) << rule;
    EXPECT_GT(std::abs(simulation.state().q[0]), static_cast<double>(steps) * 1e-9) << rule;
  }
}

TEST(ErrorControl, FollowsTheToleranceWithConstraintsOfVelocities) {
  const Mechanism mechanism = text_model(kSlipping);
  const State reference = reference_state(mechanism, 1);
  for (const char* rule : {"trapezoidal", "hht", "generalized-alpha"}) {
    const auto error = [&](double tolerance) {
      Plan plan = plan_with({"carried", "accelerations", "tangent", rule}, 0.1);
      plan.tolerance = tolerance;
      return error_at(mechanism, plan, reference, 1).position;
    };
    // Errors of a rule of second order follow the tolerance by the power 2/3.
    EXPECT_NEAR(std::log10(error(1e-6) / error(1e-9)), 2, 0.35) << rule;
  }
}

TEST(Stability, CarriedForcesDoNotGrow) {
  // Two masses at one speed, one on a stiff spring: h √(k/m) = 10. With v̇ of before the projection in its
  // memory, HHT would grow by 1.08 in each step.
  const Mechanism mechanism = text_model(R"yaml(
coordinates: {x: 0, y: 0}
mass: {x: 1, y: 3}
applied: {x: -1e4*x}
constraints: {speed: x.rate - y.rate}
)yaml");
  for (const Scheme& scheme : schemes(kRules)) {
    const analysis::Stability s = analysis::stability(mechanism, plan_with(scheme, 0.1));
    ASSERT_TRUE(s.report.accepted()) << name_of(scheme) << s.report.message;
    EXPECT_LT(s.spectral_radius, 1 + s.uncertainty + 1e-9) << name_of(scheme);
  }
}

// The motions that the models quote, by the default formulation.
struct Closed {
  const char* name;
  std::size_t body;
  const char* joint;
  double end;
  std::function<Vec3(double)> position, force;
};
std::vector<Closed> closed_forms() {
  const double g = 9.81 * std::sin(std::numbers::pi / 9), w = 1.5, m = 60;
  const double lean = std::numbers::pi / 3, turn = 3, r = 0.1, w3 = -12.336235868334, radius = r * w3 / turn;
  return {{"skater", 0, "ice", 3,
           [=](double t) -> Vec3 {
             return Vec3(g * std::pow(std::sin(w * t), 2), g * (w * t - std::sin(2 * w * t) / 2), 0) /
                    (2 * w * w);
           },
           [=](double t) -> Vec3 {
             return 2 * m * g * std::sin(w * t) * Vec3(-std::sin(w * t), std::cos(w * t), 0);
           }},
          {"rolling-disk", 0, "table", 1,
           [=](double t) -> Vec3 {
             // round a circle, from the start along it
             return Vec3(radius * (1 - std::cos(turn * t)), -radius * std::sin(turn * t), r * std::sin(lean));
           },
           [=](double t) -> Vec3 {
             const double a = 0.01 * radius * turn * turn;
             return Vec3(a * std::cos(turn * t), a * std::sin(turn * t), 0.01 * 9.81);
           }},
          {"rolling-sphere-turntable", 1, "contact", 2,
           [](double t) -> Vec3 { return Vec3(0.1 + 0.2 * std::cos(t), 0.2 * std::sin(t), 0.05); },
           [](double t) -> Vec3 { return 0.2 * Vec3(-0.2 * std::cos(t), -0.2 * std::sin(t), 9.81); }}};
}

TEST(CarriedReactions, FollowClosedFormsToSecondOrder) {
  for (const Closed& closed : closed_forms()) {
    const auto errors = [&](double h) {
      Plan plan = model(closed.name).plan;
      plan.step = h;
      Motion run(model(closed.name), plan);
      Errors largest;
      for (int i = 0; i < 4; ++i) {
        run.go(closed.end * (i + 1) / 4);
        const double t = run.simulation.state().t;
        const system::System& system = run.simulation.system();
        const Vec3 at = system.poses(run.simulation.state())[closed.body].position;
        largest.position = std::max(largest.position, (at - closed.position(t)).norm());
        Report report;
        system::Terms terms = system.make_terms();
        for (const system::Wrench& wrench : system.reactions(run.simulation.with_reactions(report), terms))
          if (wrench.joint == closed.joint)
            largest.force = std::max(largest.force, (wrench.force - closed.force(t)).norm());
      }
      return largest;
    };
    const Errors coarse = errors(1e-3), fine = errors(5e-4);
    EXPECT_NEAR(std::log2(coarse.position / fine.position), 2, 0.1) << closed.name;
    EXPECT_NEAR(std::log2(coarse.force / fine.force), 2, 0.1) << closed.name;
    EXPECT_LT(fine.position, 1e-4) << closed.name;
    EXPECT_LT(fine.force, 1e-4 * closed.force(closed.end).norm()) << closed.name;
  }
}

}  // namespace
}  // namespace trammel::tests::velocity_reactions_test
