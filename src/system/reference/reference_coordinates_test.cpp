// Reference coordinates: the motion, reactions and mobility of every model are those of natural coordinates;
// Euler parameters stay normalized; every formulation and rule keeps its order in them.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <filesystem>

#include "analysis/mobility.h"
#include "analysis/sampled_motion.h"
#include "analysis/stability.h"
#include "formulations/reactions/reaction_freedom.h"
#include "math/euler_parameters.h"
#include "model/models_testing.h"
#include "system/reference/reference_system.h"
#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/simulation.h"

namespace trammel::tests::reference_coordinates_test {
namespace {

Mechanism text_model(const std::string& text) {
  ModelInput input = read_model_text(text, "test.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

// Every model of bodies.
std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(std::string(kSourceDir) + "/models"))
    if (file.path().extension() == ".yaml" && !read_model(file.path()).mechanism.generalized)
      names.push_back(file.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

// Components of all reactions, NaN where they are one choice of many.
using Forces = std::vector<double>;

Forces reactions(const Simulation& simulation) {
  const system::System& system = simulation.system();
  Report report;
  const State s = simulation.with_reactions(report);
  EXPECT_TRUE(report.accepted()) << report.message;
  system::Terms terms = system.make_terms();
  const auto components = [](const std::vector<system::Wrench>& all) {
    Forces list;
    for (const system::Wrench& w : all) {
      list.insert(list.end(), w.force.begin(), w.force.end());
      list.insert(list.end(), w.torque.begin(), w.torque.end());
    }
    return list;
  };
  Forces all = components(system.reactions(s, terms));
  // Modes have a largest inner force of one; rounding leaves 1e-9 in the others.
  for (const system::ReactionMode& mode :
       formulations::ReactionExam(system, formulations::ReactionExam::kOnce).at(s, terms).modes) {
    const Forces change = components(mode.wrenches);
    for (std::size_t k = 0; k < all.size(); ++k)
      if (std::abs(change[k]) > 1e-6) all[k] = NAN;
  }
  return all;
}

struct Motion {
  analysis::SampledMotion samples;
  std::vector<Pose> start;
  Forces first, last;     // reactions
  double iterations = 0;  // per step
};

Motion move(const Mechanism& mechanism, Plan plan, double h, double end) {
  Motion out;
  plan.step = h;
  plan.tolerance = 0;
  Simulation simulation(mechanism, plan);
  const AssemblyReport assembly = simulation.assemble();
  EXPECT_TRUE(assembly.report.accepted()) << assembly.report.message;
  out.start = simulation.system().poses(simulation.state());
  out.first = reactions(simulation);
  const long steps = std::lround(end / h);
  for (long i = 0; i < steps; ++i) {
    const StepResult result = simulation.step(h);
    EXPECT_TRUE(result.report.accepted())
        << plan.coordinates << ", step " << i << ": " << result.report.message;
    if (!result.report.accepted()) break;
    out.iterations += static_cast<double>(result.iterations) / static_cast<double>(steps);
    if ((i + 1) % std::max(1L, steps / 10) == 0) out.samples.add(simulation);
  }
  out.last = reactions(simulation);
  return out;
}

Motion move(const Mechanism& mechanism, const std::string& coordinates, double h, double end) {
  Plan plan = mechanism.plan;
  plan.formulation = "augmented-lagrangian-index3";
  plan.integrator = "trapezoidal";
  plan.coordinates = coordinates;
  return move(mechanism, plan, h, end);
}

// The largest difference of what is unique, over the largest reaction.
double difference(const Forces& a, const Forces& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0, size = 1;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    EXPECT_EQ(std::isnan(a[k]), std::isnan(b[k])) << "component " << k;
    if (std::isnan(a[k]) || std::isnan(b[k])) continue;
    largest = std::max(largest, std::abs(a[k] - b[k]));
    size = std::max(size, std::abs(a[k]));
  }
  return largest / size;
}

double size_of(const Mechanism& mechanism) { return system::compile(mechanism)->length_scale(); }

class EveryModel : public testing::TestWithParam<std::string> {};

TEST_P(EveryModel, MovesAsInNaturalCoordinates) {
  const Mechanism mechanism = model(GetParam());
  // A step in which the errors of both are small, and a motion short enough not to magnify them.
  const double h = std::min(mechanism.plan.step > 0 ? mechanism.plan.step : 1e-3, 2e-3);
  const double end = h * std::round(std::min(mechanism.plan.duration, 0.3) / h);
  std::vector<double> apart, forces;
  for (const int halvings : {0, 1}) {
    const double step = h / (1 << halvings);
    const Motion natural = move(mechanism, "natural", step, end),
                 own = move(mechanism, "reference", step, end);
    apart.push_back(analysis::SampledMotion::largest_difference(natural.samples, own.samples));
    forces.push_back(difference(natural.last, own.last));
    // The same start, and the same reactions there.
    for (std::size_t b = 0; b < own.start.size(); ++b) {
      EXPECT_LT((own.start[b].position - natural.start[b].position).norm(), 1e-10) << b;
      EXPECT_LT((own.start[b].velocity - natural.start[b].velocity).norm(), 1e-8) << b;
      EXPECT_LT((own.start[b].angular_velocity - natural.start[b].angular_velocity).norm(), 1e-8) << b;
    }
    EXPECT_LT(difference(natural.first, own.first), 1e-7);
    EXPECT_LE(own.iterations, natural.iterations + 1);
  }
  // Both rules are of second order; below 1e-9 of the mechanism's size rounding is left.
  EXPECT_LT(apart[1], std::max(apart[0] / 3, 1e-9 * size_of(mechanism)));
  EXPECT_LT(apart[0], 1e-3 * size_of(mechanism));
  EXPECT_LT(forces[1], std::max(forces[0] / 3, 1e-7));
}

TEST_P(EveryModel, HasTheSameFreedom) {
  const Mechanism mechanism = model(GetParam());
  analysis::Mobility by[2];
  for (const int k : {0, 1}) {
    Plan plan = mechanism.plan;
    plan.formulation = "augmented-lagrangian-index3";
    plan.integrator = "trapezoidal";
    plan.coordinates = k == 0 ? "natural" : "reference";
    Simulation simulation(mechanism, plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    by[k] = analysis::mobility(simulation);
  }
  EXPECT_EQ(by[0].degrees_of_freedom, by[1].degrees_of_freedom);
  EXPECT_EQ(by[0].position_freedom, by[1].position_freedom);
  EXPECT_EQ(by[0].only_here, by[1].only_here);
  EXPECT_EQ(by[0].locked, by[1].locked);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::ValuesIn(model_names()), [](const auto& which) {
  std::string name = which.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Reference, RetractionIsTheExponentialOfBodyAxes) {
  const Mechanism mechanism = model("three-link-pendulum");
  const auto system = system::compile(mechanism, "reference");
  ASSERT_EQ(system->sizes().q, 21);
  ASSERT_EQ(system->sizes().v, 18);
  const State start = system->initial_state();
  std::vector<double> delta(18), back(18), rate(21), v(18);
  for (std::size_t i = 0; i < 18; ++i) delta[i] = 0.3 * std::sin(1.0 + static_cast<double>(i));
  State s = start;
  system->retract(s.q, delta);
  system->difference(start.q, s.q, back);
  for (std::size_t i = 0; i < 18; ++i) EXPECT_NEAR(back[i], delta[i], 1e-15);
  // The rotation by |δ| about δ, in the axes of the body.
  const Eigen::Vector3d turn(delta[3], delta[4], delta[5]);
  const Mat3 before = system->poses(start)[0].axes, after = system->poses(s)[0].axes;
  const Mat3 expected = before * Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
  EXPECT_LT((after - expected).norm(), 1e-14);
  // q̇ = N(q) v is the rate of q ⊕ t v, by a central difference of 1e-5: error 1e-10, rounding 1e-11.
  for (std::size_t i = 0; i < 18; ++i) v[i] = std::cos(static_cast<double>(i));
  system->position_rate(s.q, v, rate);
  const double dt = 1e-5;
  State plus = s, minus = s;
  std::vector<double> way(18);
  for (std::size_t i = 0; i < 18; ++i) way[i] = dt * v[i];
  system->retract(plus.q, way);
  for (double& x : way) x = -x;
  system->retract(minus.q, way);
  for (std::size_t i = 0; i < 21; ++i) EXPECT_NEAR((plus.q[i] - minus.q[i]) / (2 * dt), rate[i], 1e-9) << i;
  // Small turns go through the series: both branches agree where they meet.
  for (const double angle : {0.99e-4, 1.01e-4}) {
    const Eigen::Vector3d small = angle * Eigen::Vector3d(1, 2, 2) / 3;
    EXPECT_LT((math::logarithm(math::exponential(small)) - small).norm(), 1e-19);
    EXPECT_NEAR(math::exponential(small).norm(), 1, 1e-15);
  }
}

TEST(Reference, EulerParametersStayNormalized) {
  const Mechanism mechanism = model("heavy-top");
  for (const char* formulation : {"augmented-lagrangian-index3", "lagrange"}) {
    Plan plan = mechanism.plan;
    plan.coordinates = "reference";
    plan.formulation = formulation;
    plan.integrator = plan.formulation == "lagrange" ? "rk4" : "trapezoidal";
    Simulation simulation(mechanism, plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
      ASSERT_TRUE(simulation.step(1e-3).report.accepted()) << i;
      const std::vector<double>& q = simulation.state().q;
      worst = std::max(worst, std::abs(Eigen::Map<const math::EulerParameters>(q.data() + 3).norm() - 1));
    }
    EXPECT_LT(worst, 4e-16) << formulation;  // each step normalizes: two units of round-off
  }
}

// Free of torque, a symmetric body precesses: ω turns about its axis at (J₁ − J₃)/J₁ ω₃ in its own axes, for
// ever.
TEST(Reference, FreeSymmetricBodyPrecesses) {
  const Mechanism mechanism = text_model(
      "trammel: 1\nbodies:\n  top: {mass: 2, inertia: [3, 3, 1], free: true}\n"
      "initial: {top: {velocity: [1, 2, 3], angular-velocity: [0.4, 0, 5]}}\n"
      "simulate: {duration: 1, step: 0.001, coordinates: reference}\n");
  Plan plan = mechanism.plan;
  plan.formulation = "lagrange";
  plan.integrator = "rk4";
  Simulation simulation(mechanism, plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(simulation.step(1e-3).report.accepted());
  const std::vector<double>& v = simulation.state().v;
  const double phase = 5 * (1.0 - 3.0) / 3.0;  // ω̇₁ = (J₂ − J₃)/J₁ ω₂ω₃
  // rk4 leaves h⁴λ⁵t/120 · 0.4 = 1.4e-12 at λ = 10/3
  EXPECT_NEAR(v[3], 0.4 * std::cos(phase), 3e-12);
  EXPECT_NEAR(v[4], 0.4 * std::sin(phase), 3e-12);
  EXPECT_NEAR(v[5], 5, 1e-12);
  EXPECT_NEAR(simulation.state().q[1], 2, 1e-12);
}

// A thin rod on two ball joints could spin about its own axis: it has no inertia there, and no freedom that
// counts.
TEST(Reference, ThinRodsDoNotSpin) {
  const Mechanism mechanism = model("flyball-governor");
  const auto system = system::compile(mechanism, "reference");
  for (const int column : system->idle_columns())
    EXPECT_NE(system->coordinate_owner(column).find("body '"), std::string::npos);
  const Mechanism pendulum = text_model(
      "trammel: 1\ngravity: [0, 0, -9.81]\npoints: {O: {at: [0, 0, 0], on: ground}, A: [1, 0, 0], B: [1, 1, "
      "0]}\n"
      "bodies: {upper: {rod: [O, A], mass: 1}, lower: {rod: [A, B], mass: 2}}\n"
      "simulate: {duration: 1, step: 0.001, coordinates: reference}\n");
  Simulation simulation(pendulum, pendulum.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  EXPECT_EQ(simulation.system().idle_columns(), (std::vector<int>{3, 9}));
  EXPECT_EQ(analysis::mobility(simulation).degrees_of_freedom, 4);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(simulation.step(1e-3).report.accepted());
  // rounding of the axes
  EXPECT_NEAR(simulation.state().v[3], 0, 1e-14);
  EXPECT_NEAR(simulation.state().v[9], 0, 1e-14);
}

State after(const Mechanism& mechanism, const Plan& plan, double h, double end) {
  Plan own = plan;
  own.step = h;
  Simulation simulation(mechanism, own);
  const AssemblyReport assembly = simulation.assemble();
  EXPECT_TRUE(assembly.report.accepted()) << assembly.report.message;
  const long steps = std::lround(end / h);
  for (long i = 0; i < steps; ++i) {
    const StepResult result = simulation.step(h);
    EXPECT_TRUE(result.report.accepted()) << result.report.message;
    if (!result.report.accepted()) break;
  }
  return simulation.state();
}

double apart(const State& a, const State& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.q.size(); ++i) largest = std::max(largest, std::abs(a.q[i] - b.q[i]));
  return largest;
}

struct Rule {
  const char *formulation, *integrator;
  double order, step;
};

TEST(Reference, EveryFormulationKeepsTheOrderOfItsRule) {
  for (const char* name : {"double-pendulum", "three-link-pendulum"}) {
    const Mechanism mechanism = model(name);
    for (const Rule& rule :
         {Rule{"lagrange", "euler", 1, 2e-4}, Rule{"lagrange", "rk4", 4, 1e-2},
          Rule{"baumgarte", "rk2-heun", 2, 2e-3}, Rule{"null-space", "rk4", 4, 1e-2},
          Rule{"penalty", "trapezoidal", 2, 2e-3}, Rule{"augmented-lagrangian", "implicit-midpoint", 2, 2e-3},
          Rule{"augmented-lagrangian", "rk4", 4, 1e-2}, Rule{"algebraic", "trapezoidal", 2, 2e-3},
          Rule{"augmented-lagrangian-index3", "trapezoidal", 2, 2e-3},
          Rule{"augmented-lagrangian-index3", "newmark", 2, 2e-3},
          Rule{"augmented-lagrangian-index3", "hht", 2, 2e-3},
          Rule{"augmented-lagrangian-index3", "generalized-alpha", 2, 2e-3}}) {
      Plan plan = mechanism.plan;
      plan.coordinates = "reference";
      plan.formulation = rule.formulation;
      plan.integrator = rule.integrator;
      plan.stabilization = "given";
      const State a = after(mechanism, plan, rule.step, 0.2), b = after(mechanism, plan, rule.step / 2, 0.2),
                  c = after(mechanism, plan, rule.step / 4, 0.2);
      EXPECT_NEAR(std::log2(apart(a, b) / apart(b, c)), rule.order, 0.15)
          << name << ": " << rule.formulation << " by " << rule.integrator;
    }
  }
}

TEST(Reference, TightRulesAgreeWithNaturalCoordinates) {
  for (const char* name :
       {"double-pendulum", "three-link-pendulum", "spatial-slider-crank", "rolling-disk"}) {
    const Mechanism mechanism = model(name);
    std::vector<analysis::SampledMotion> motions(2);
    for (const int k : {0, 1}) {
      Plan plan = mechanism.plan;
      plan.coordinates = k == 0 ? "natural" : "reference";
      plan.formulation = "augmented-lagrangian";
      plan.integrator = "dopri5";
      plan.tolerance = 1e-11;
      plan.project_positions = plan.project_velocities = true;
      Simulation simulation(mechanism, plan);
      ASSERT_TRUE(simulation.assemble().report.accepted());
      for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(simulation.step(0.1).report.accepted()) << name;
        motions[static_cast<std::size_t>(k)].add(simulation);
      }
    }
    // A tolerance of 1e-11 in each of some hundred steps.
    EXPECT_LT(analysis::SampledMotion::largest_difference(motions[0], motions[1]), 1e-8 * size_of(mechanism))
        << name;
  }
}

TEST(Reference, ErrorControlHoldsItsTolerance) {
  const Mechanism mechanism = model("three-link-pendulum");
  Plan plan = mechanism.plan;
  plan.coordinates = "reference";
  Plan fine = plan;
  fine.formulation = "lagrange";
  fine.integrator = "dopri5";
  fine.tolerance = 1e-12;
  const State truth = after(mechanism, fine, 0.1, 0.5);
  plan.formulation = kIndex3;
  plan.tolerance = 1e-6;
  // A local error of 1e-6 in each of about a hundred steps.
  EXPECT_LT(apart(after(mechanism, plan, 0.1, 0.5), truth), 1e-3);
  EXPECT_GT(apart(after(mechanism, plan, 0.1, 0.5), truth), 1e-9);
}

TEST(Reference, DaeTakesThePlaneAndRefusesEulerParametersByName) {
  const auto assembled = [](const std::string& name) {
    const Mechanism mechanism = model(name);
    Plan plan = mechanism.plan;
    plan.coordinates = "reference";
    plan.formulation = "dae";
    return Simulation(mechanism, plan).assemble().report;
  };
  EXPECT_TRUE(assembled("double-pendulum").accepted());
  const Report refused = assembled("three-link-pendulum");
  EXPECT_EQ(refused.outcome, Outcome::refused);
  EXPECT_NE(refused.message.find("dae takes positions whose rates are the velocities"), std::string::npos);
}

// About a position of rest the trapezoidal rule turns each mode by tan(φ/2) = hω/2, whatever the coordinates:
// a bar on a ball joint, ω² = m g l/J for both of its swings, and a spin about the vertical.
TEST(Reference, StabilityOfAHangingBar) {
  const Mechanism mechanism = text_model(
      "trammel: 1\ngravity: [0, 0, -9.81]\n"
      "bodies: {bar: {mass: 2, inertia: [0.2, 0.2, 0.01], com: [0, 0, -0.5]}}\n"
      "joints: {top: {spherical: [bar, ground], at: [0, 0, 0]}}\n"
      "simulate: {duration: 1, step: 0.05, coordinates: reference}\n");
  const analysis::Stability s = analysis::stability(mechanism, mechanism.plan);
  ASSERT_TRUE(s.report.accepted()) << s.report.message;
  const double omega = std::sqrt(2 * 9.81 * 0.5 / (0.2 + 2 * 0.25));
  const std::complex<double> expected = std::polar(1.0, 2 * std::atan(0.05 * omega / 2));
  int swings = 0;
  for (const auto& mode : s.modes)
    if (!mode.violates && std::abs(mode.value - expected) < 1e-7) swings += mode.multiplicity;
  EXPECT_EQ(swings, 2);
}

// The columns of a body: what builds on these coordinates finds its mass there.
TEST(Reference, BodiesHaveTheirColumns) {
  const Mechanism mechanism = model("three-link-pendulum");
  const system::ReferenceSystem<3> system(mechanism);
  EXPECT_EQ(system.body_columns(0).count, 0);
  for (int b = 1; b <= 3; ++b) {
    EXPECT_EQ(system.body_columns(b).first, 6 * (b - 1));
    EXPECT_EQ(system.body_columns(b).count, 6);
  }
  const std::vector<double> diagonal = system.mass_diagonal(system.make_terms());
  EXPECT_DOUBLE_EQ(diagonal[6], 8);
  EXPECT_DOUBLE_EQ(diagonal[9], 8 * 0.04 / 6);
}

}  // namespace
}  // namespace trammel::tests::reference_coordinates_test
