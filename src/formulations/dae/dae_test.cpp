// The mixed system of index 2 by IDA: its Jacobian, what the tolerance promises, both levels of the
// constraints, turns, restarts, refusals.

#include "formulations/dae/dae.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "formulations/dae/dae_equations.h"
#include "model/models_testing.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"
#include "system/system.h"
#include "trammel/model.h"
#include "trammel/simulation.h"

namespace trammel::tests::dae_test {
namespace {

Mechanism text_model(const std::string& text) {
  ModelInput input = read_model_text(text, "model.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

Plan dae(const Mechanism& mechanism, double tolerance) {
  Plan plan = mechanism.plan;
  plan.formulation = "dae";
  plan.integrator = Plan().integrator;
  plan.tolerance = tolerance;
  return plan;
}

// The same by another formulation and rule, tighter than what is compared with it.
Plan reference(const Mechanism& mechanism) {
  Plan plan = mechanism.plan;
  plan.formulation = "lagrange";
  plan.integrator = "dopri5";
  plan.tolerance = 1e-12;
  plan.project_positions = plan.project_velocities = true;
  return plan;
}

struct Motion {
  State end;
  std::vector<double> q;  // of all rows, one after the other
  Violation left;         // largest
  double speed = 1;       // largest, coordinates scaled to one
  long rejected = 0;
};

Motion run(const Mechanism& mechanism, const Plan& plan, double h, double end) {
  Motion out;
  Simulation simulation(mechanism, plan);
  const AssemblyReport assembly = simulation.assemble();
  EXPECT_TRUE(assembly.report.accepted()) << assembly.report.message;
  const long steps = std::lround(end / h);
  for (long i = 1; i <= steps; ++i) {
    const StepResult result = simulation.step(h);
    EXPECT_TRUE(result.report.accepted())
        << plan.formulation << ", step " << i << ": " << result.report.message;
    if (!result.report.accepted()) break;
    simulation.set_time(static_cast<double>(i) * h);
    out.q.insert(out.q.end(), simulation.state().q.begin(), simulation.state().q.end());
    out.left.position = std::max(out.left.position, result.violation.position);
    out.left.velocity = std::max(out.left.velocity, result.violation.velocity);
    for (std::size_t k = 0; k < simulation.state().v.size(); ++k)
      out.speed =
          std::max(out.speed, std::abs(simulation.state().v[k]) / simulation.system().coordinate_scale()[k]);
  }
  out.end = simulation.state();
  out.rejected = simulation.rejected_steps();
  return out;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

const std::string kAngles = R"(
trammel: 1
parameters: {g: 9.81}
coordinates: {a: 0, b: -pi/2}
mass: {a: 4/3, b: 1/3, a b: cos(a - b)/2}
potential: g*(3/2*sin(a) + sin(b)/2)
)";

// Every column of F_y + c F_ẏ by central differences, at a moving state with λ = μ = 0, where nothing is left
// out of the Jacobian.
void expect_jacobian(const Mechanism& mechanism) {
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(simulation.step(1e-3).report.accepted());
  const State& state = simulation.state();
  formulations::DaeEquations equations(
      std::shared_ptr<const system::System>(std::shared_ptr<const system::System>(), &simulation.system()));
  const std::size_t n = equations.size();
  std::vector<double> y(n), y_dot(n), values(equations.row().size()), plus(n), minus(n);
  equations.carry(state);
  equations.pack(state, y, y_dot);
  std::fill(y.begin() + static_cast<std::ptrdiff_t>(equations.differential()), y.end(), 0.0);
  const double c = 70;
  ASSERT_TRUE(equations.jacobian(state.t, c, y, y_dot, values));
  double largest = 1;
  for (double value : values) largest = std::max(largest, std::abs(value));
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> column(n, 0);
    for (int k = equations.start()[j]; k < equations.start()[j + 1]; ++k)
      column[static_cast<std::size_t>(equations.row()[static_cast<std::size_t>(k)])] =
          values[static_cast<std::size_t>(k)];
    const double e = 1e-6, y_j = y[j], y_dot_j = y_dot[j];
    const auto shifted = [&](double by, std::vector<double>& F) {
      y[j] = y_j + by;
      y_dot[j] = y_dot_j + c * by;
      ASSERT_TRUE(equations.residual(state.t, y, y_dot, F));
    };
    shifted(e, plus);
    shifted(-e, minus);
    y[j] = y_j;
    y_dot[j] = y_dot_j;
    // Round-off of F over 2e, and of the difference that gives Φ̇_v.
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR((plus[i] - minus[i]) / (2 * e), column[i], 1e-7 * largest)
          << mechanism.name << ": row " << i << ", column " << j;
  }
}

TEST(DaeEquations, JacobianIsThatOfTheResidual) {
  for (const char* name : {"double-pendulum", "spatial-slider-crank", "driven-slider-crank",
                           "flyball-governor", "bayo-pendulum"})
    expect_jacobian(model(name));
  expect_jacobian(text_model(kAngles));
}

// A skate on a slope, ẋ sin θ = ẏ cos θ, whose heading θ is held equal to a fourth coordinate z: one row with
// a position level and one without.
//   θ̇ = ω:  x = g' sin²(ωt)/(2ω²),  y = g' (ωt − ½ sin 2ωt)/(2ω²)
const double kSlope = 3, kOmega = 2;  // m/s², rad/s
const std::string kSkate = R"yaml(
trammel: 1
coordinates: {x: 0, y: 0, theta: {start: 0, rate: 2}, psi: {start: 0, rate: 2}}
mass: {x: 1, y: 1, theta: 0.5, psi: 0.5}
applied: {x: 3}
constraints:
  heading: theta - psi
  blade: x.rate*sin(theta) - y.rate*cos(theta)
)yaml";

#ifdef TRAMMEL_SUNDIALS

TEST(Dae, TheToleranceIsTheLocalError) {
  struct Case {
    const char* name;
    double h, end;
  };
  for (const Case& c : {Case{"double-pendulum", 0.1, 2}, Case{"spatial-slider-crank", 0.1, 1},
                        Case{"flyball-governor", 0.1, 1}, Case{"bayo-pendulum", 0.1, 10}}) {
    const Mechanism mechanism = model(c.name);
    const Motion exact = run(mechanism, reference(mechanism), c.h, c.end);
    std::vector<double> errors;
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      const Motion ours = run(mechanism, dae(mechanism, tolerance), c.h, c.end);
      errors.push_back(distance(ours.q, exact.q));
      // Some thousand internal steps, each with an error of at most the tolerance.
      EXPECT_LT(errors.back(), 1e4 * tolerance) << c.name;
      // Newton's method ends well inside the tolerance, relative to positions and to speeds.
      EXPECT_LT(ours.left.position, tolerance) << c.name;
      EXPECT_LT(ours.left.velocity, tolerance * ours.speed) << c.name;
      EXPECT_GT(ours.rejected, 0) << c.name;
    }
    // By four orders, but for where the order of the rule happens to change.
    EXPECT_LT(errors[1], 0.3 * errors[0]) << c.name;
    EXPECT_LT(errors[2], 0.3 * errors[1]) << c.name;
    EXPECT_LT(errors[2], 0.01 * errors[0]) << c.name;
  }
}

TEST(Dae, ADrivenMechanismFollowsItsDriver) {
  const Mechanism mechanism = model("driven-slider-crank");
  // r (cos φ, sin φ), and the piston at r cos φ + √(l² − r² sin² φ); φ = ω(t − ramp/2) after the ramp
  const double r = 0.05, l = 0.2, omega = 10 * std::numbers::pi, phi = omega * (1.03 - 0.25);
  const double sin = std::sin(phi), cos = std::cos(phi), reach = std::sqrt(l * l - r * r * sin * sin);
  for (const double tolerance : {1e-6, 1e-9}) {
    const Motion ours = run(mechanism, dae(mechanism, tolerance), 0.01, 1.03);
    // The motion is given: all error is that of Φ and Φ̇.
    EXPECT_LT(ours.left.position, tolerance);
    EXPECT_LT(ours.left.velocity, tolerance * ours.speed);
    const std::vector<double> q{r * cos, r * sin, r * cos + reach, 0};
    EXPECT_LT(distance(ours.end.q, q), tolerance);
    const double v = r * omega;
    EXPECT_LT(distance(ours.end.v, {-v * sin, v * cos, -v * sin * (1 + r * cos / reach), 0}),
              tolerance * ours.speed);
  }
}

TEST(Dae, GeneralizedCoordinatesWithAndWithoutConstraints) {
  // The two angles of the double pendulum, whose mass matrix depends on them, and no constraint at all.
  const Mechanism natural = model("double-pendulum"), angles = text_model(kAngles);
  const State exact = run(natural, reference(natural), 0.1, 1).end;
  const State ours = run(angles, dae(angles, 1e-10), 0.1, 1).end;
  const double a = ours.q[0], b = ours.q[1];
  const std::vector<double> points{std::cos(a), std::sin(a), std::cos(a) + std::cos(b),
                                   std::sin(a) + std::sin(b)};
  EXPECT_LT(distance(points, exact.q), 1e-6);  // as above, 1e4 times the tolerance
}

TEST(Dae, EachStepEndsWithTheAccelerationsAndMultipliersOfItsState) {
  const Mechanism mechanism = model("spatial-slider-crank");
  Simulation simulation(mechanism, dae(mechanism, 1e-6));
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (int i = 0; i < 10; ++i) {
    const StepResult result = simulation.step(0.02);
    ASSERT_TRUE(result.report.accepted()) << result.report.message;
    // Rounding of accelerations of a few hundred, lengths scaled to one.
    EXPECT_LT(result.violation.acceleration, 1e-9);
  }
  // with_reactions() solves the same equations in another way.
  Report report;
  const State again = simulation.with_reactions(report);
  ASSERT_TRUE(report.accepted());
  double largest = 1;
  for (double a : again.a) largest = std::max(largest, std::abs(a));
  EXPECT_LT(distance(simulation.state().a, again.a), 1e-9 * largest);
  for (double lambda : again.lambda) largest = std::max(largest, std::abs(lambda));
  EXPECT_LT(distance(simulation.state().lambda, again.lambda), 1e-8 * largest);
}

TEST(Dae, TurnsAreCountedWithinALongStep) {
  // The screw makes several turns between two rows, and its spring and thread need their number.
  const Mechanism mechanism = model("lead-screw");
  const State small = run(mechanism, dae(mechanism, 1e-11), 0.01, 3).end;
  const State large = run(mechanism, dae(mechanism, 1e-11), 0.5, 3).end;
  EXPECT_LT(distance(small.q, large.q), 1e-5);  // a screw that has turned 40 times: angle errors add up
  EXPECT_LT(distance(*small.recall(system::kAngles), *large.recall(system::kAngles)), 1e-3);
}

TEST(Dae, AVelocityLevelConstraintHasNoPositionLevel) {
  const Mechanism mechanism = text_model(kSkate);
  const std::shared_ptr<const system::System> skate = system::compile(mechanism);
  Plan plan;
  plan.formulation = "dae";
  plan.tolerance = 1e-10;
  const auto form = formulations::make_dae(skate, simulation::resolve(plan));
  State s = skate->initial_state();
  s.v = {0, 0, kOmega, kOmega};
  EXPECT_TRUE(form->refusal(s).empty());
  for (int i = 0; i < 20; ++i) {
    const StepResult result = form->step(s, 0.1);
    ASSERT_TRUE(result.report.accepted()) << result.report.message;
    EXPECT_LT(result.violation.velocity, 1e-9);
  }
  const double omega = kOmega, angle = omega * s.t, unit = kSlope / (2 * omega * omega);
  EXPECT_NEAR(s.q[0], unit * std::pow(std::sin(angle), 2), 1e-7);  // a thousand times the tolerance
  EXPECT_NEAR(s.q[1], unit * (angle - 0.5 * std::sin(2 * angle)), 1e-7);
  EXPECT_NEAR(s.q[2], angle, 1e-8);
  // Across the blade: λ̂ = Q·n − a·n, with a·n = −ω·(speed along the blade) for n = (sin θ, −cos θ)
  const double speed = kSlope / omega * std::sin(angle);
  EXPECT_NEAR(s.lambda[1], kSlope * std::sin(angle) + omega * speed, 1e-7);
}

TEST(Dae, RestartsAtACheckpointToTheBitAndElsewhereToTheTolerance) {
  const Mechanism mechanism = model("double-pendulum");
  Simulation source(mechanism, dae(mechanism, 1e-8));
  ASSERT_TRUE(source.assemble().report.accepted());
  const std::shared_ptr<const system::System> system = system::compile(mechanism);
  const auto one = formulations::make_dae(system, simulation::resolve(dae(mechanism, 1e-8))),
             two = formulations::make_dae(system, simulation::resolve(dae(mechanism, 1e-8)));
  State a = source.state();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(one->step(a, 0.05).report.accepted());
  State b = a, c = a;
  one->prepare(a);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(one->step(a, 0.05).report.accepted());
    ASSERT_TRUE(two->step(b, 0.05).report.accepted());
  }
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
  // From a state that is not the one it left it starts anew, without being told.
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(one->step(c, 0.05).report.accepted());
  EXPECT_EQ(c.q, b.q);
}

TEST(Dae, RedundantConstraintsAreRefusedByName) {
  const Mechanism twice = text_model(R"yaml(
trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, P: [1, 0]}
bodies: {bob: {point: P, mass: 2}}
joints:
  string: {distance: [P, O], length: 1}
  again: {distance: [P, O], length: 1}
)yaml");
  Simulation simulation(twice, dae(twice, 0));
  const AssemblyReport assembly = simulation.assemble();
  EXPECT_EQ(assembly.report.outcome, Outcome::refused);
  for (const char* word :
       {"dae needs independent constraints", "string", "again", "augmented-lagrangian-index3"})
    EXPECT_NE(assembly.report.message.find(word), std::string::npos) << assembly.report.message;
}

// The driver gives and takes tens of joules between two rows.
TEST(Dae, WorkIsAddedUpWithinALongStep) {
  const Mechanism driven = text_model(R"yaml(
trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {arm: {rod: [O, A], mass: 3}}
drivers: {motor: {angle: arm, equals: sin(5*t)}}
forces: {brake: {friction: O, viscous: 0.5}}
)yaml");
  Simulation simulation(driven, dae(driven, 1e-7));
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const double start = simulation.energy().balance();
  for (int row = 0; row < 3; ++row) {
    ASSERT_TRUE(simulation.step(0.4).report.accepted());
    EXPECT_GT(std::abs(simulation.energy().work), 1);
    EXPECT_NEAR(simulation.energy().balance(), start, 1e-5);  // of 12 J of kinetic energy
  }
}

TEST(Dae, ASingularPositionEndsTheRunWithTheRemedy) {
  const Mechanism mechanism = model("double-four-bar");
  Simulation simulation(mechanism, dae(mechanism, 1e-12));
  ASSERT_TRUE(simulation.assemble().report.accepted());
  StepResult result;
  State before;
  while (result.report.accepted() && simulation.state().t < 2) {
    before = simulation.state();
    result = simulation.step(0.05);
  }
  EXPECT_EQ(result.report.outcome, Outcome::singular);
  EXPECT_NE(result.report.message.find("use augmented-lagrangian-index3"), std::string::npos);
  EXPECT_EQ(simulation.state().q, before.q);
  EXPECT_EQ(simulation.state().t, before.t);
}

TEST(Cvode, CountsTheTurnsOfALongHistory) {
  // Steps whose times are exact, so that the history is never broken; the gears turn many times.
  const Mechanism mechanism = model("gear-train");
  Plan plan = mechanism.plan;
  plan.formulation = "lagrange";
  plan.integrator = "cvode-bdf";
  plan.tolerance = 1e-11;
  const State exact = run(mechanism, reference(mechanism), 1.0 / 32, 4).end;
  // Without projections Φ drifts by 1e-7 and the motion with it.
  EXPECT_LT(distance(run(mechanism, plan, 1.0 / 32, 4).end.q, exact.q), 1e-5);
}

// A body that is fixed to ground has no relative coordinates at all.
TEST(Dae, IsRefusedWhereThereAreNoCoordinates) {
  const Mechanism mechanism = text_model(
      "trammel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints: {w: {fixed: [a, ground]}}\n"
      "simulate: {duration: 1}\n");
  Plan plan = dae(mechanism, 1e-6);
  plan.coordinates = "relative";
  Simulation simulation(mechanism, plan);
  const AssemblyReport assembly = simulation.assemble();
  EXPECT_NE(assembly.report.message.find("use natural coordinates"), std::string::npos)
      << assembly.report.message;
}

#else

TEST(Dae, IsRefusedByNameWithoutSundials) {
  Plan plan;
  plan.formulation = "dae";
  ASSERT_EQ(check_plan(plan).size(), 1U);
  EXPECT_NE(check_plan(plan)[0].find("dae needs SUNDIALS"), std::string::npos);
}

#endif

TEST(Plans, DaeTakesNoIntegrator) {
  Plan plan;
  plan.formulation = "dae";
  plan.integrator = "rk4";
  const std::vector<std::string> problems = check_plan(plan);
  ASSERT_FALSE(problems.empty());
  EXPECT_NE(problems[0].find("dae is its own integration rule; leave rk4 out"), std::string::npos);
}

}  // namespace
}  // namespace trammel::tests::dae_test
