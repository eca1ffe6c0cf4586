// The step maps of formulations and integrators about positions of rest, against their closed forms.
//
// Every comparison is within the uncertainty that the analysis states, and that must itself be small: about
// 1e-11 for simple eigenvalues, its root for the Jordan blocks of free motions.
#include "analysis/stability.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "model/models_testing.h"
#include "trammel/model.h"

namespace trammel::tests::stability_test {
namespace {

using Complex = std::complex<double>;

constexpr double kSure = 1e-9;      // what a simple eigenvalue must be known to
constexpr double kRootSure = 3e-5;  // a Jordan block of two

Mechanism text_model(const std::string& text) {
  ModelInput input = read_model_text(text, "test.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

// Welch, Hong, Trapp & Choi analyse q = 0 of Φ = B q without forces: the model's start without gravity.
Mechanism welch_without_gravity() { return model("welch-double-pendulum", {"parameters.g=0"}); }

Mechanism welch_hanging() {
  return model("welch-double-pendulum",
               {"coordinates.theta1=pi/2", "coordinates.theta2=pi/2", "coordinates.x1=L/2",
                "coordinates.y1=0", "coordinates.x2=3*L/2", "coordinates.y2=0"});
}

Mechanism hanging_pendulum() { return model("simple-pendulum", {"points.P=[0,-1]"}); }
const double kPendulum = std::sqrt(9.81);  // rad/s

// The faster frequency of two equal uniform bars, L = 5 m, g = 10 m/s²: ω² = (g/L)(3 ± 6/√7)
const double kFast = std::sqrt(2 * (3 + 6 / std::sqrt(7.0))), kSlow = std::sqrt(2 * (3 - 6 / std::sqrt(7.0)));

Plan plan_of(const Mechanism& mechanism, const std::string& formulation, const std::string& integrator,
             double h) {
  Plan plan = mechanism.plan;
  plan.formulation = formulation;
  plan.integrator = integrator;
  plan.step = h;
  return plan;
}

analysis::Stability analyse(const Mechanism& mechanism, const Plan& plan) {
  analysis::Stability s = analysis::stability(mechanism, plan);
  EXPECT_TRUE(s.report.accepted()) << s.report.message;
  return s;
}

analysis::Stability analyse(const Mechanism& mechanism, const std::string& formulation,
                            const std::string& integrator, double h) {
  return analyse(mechanism, plan_of(mechanism, formulation, integrator, h));
}

// The mode of that kind at a value, within its uncertainty; one that does not exist fails the test.
analysis::Mode mode_at(const analysis::Stability& s, bool violates, Complex value, double sure = kSure) {
  for (const analysis::Mode& mode : s.modes)
    if (mode.violates == violates && std::abs(mode.value - value) <= mode.uncertainty) {
      EXPECT_LE(mode.uncertainty, sure) << value;
      return mode;
    }
  ADD_FAILURE() << "no " << (violates ? "violation" : "motion") << " at " << value << ", step " << s.step;
  return {};
}

int count(const analysis::Stability& s, bool violates) {
  int n = 0;
  for (const analysis::Mode& mode : s.modes)
    if (mode.violates == violates) n += mode.multiplicity;
  return n;
}

// Welch et al. (61)–(62): ρ(X) ≤ 1 for every Δt, without forces. X has the eigenvalues 1 (free motion, a
// Jordan block for each degree of freedom), 0 and −1: an error in Φ̇ alternates and is never damped.
TEST(Stability, AlgebraicWithoutForcesHasSpectralRadiusOneAtEveryStep) {
  const Mechanism mechanism = welch_without_gravity();
  for (const double h : {1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0}) {
    const analysis::Stability s = analyse(mechanism, "algebraic", "trapezoidal", h);
    EXPECT_NEAR(s.spectral_radius, 1, s.uncertainty);
    EXPECT_LE(s.uncertainty, kRootSure);
    const analysis::Mode free = mode_at(s, false, 1, kRootSure);
    EXPECT_EQ(free.multiplicity, 4);
    EXPECT_EQ(free.eigenvectors, 2);
    EXPECT_TRUE(free.free());
    const analysis::Mode alternating = mode_at(s, true, -1);
    EXPECT_EQ(alternating.multiplicity, 4);
    EXPECT_EQ(alternating.eigenvectors, 4);
    EXPECT_EQ(alternating.level, analysis::Level::velocity);
    const analysis::Mode damped = mode_at(s, true, 0);
    EXPECT_EQ(damped.multiplicity, 4);
    EXPECT_EQ(damped.level, analysis::Level::position);
    EXPECT_EQ(count(s, false) + count(s, true), 12);
  }
}

// The first order: v₊ removes Φ/h + Φ̇ at once, so nothing of a violation is left.
TEST(Stability, AlgebraicOfFirstOrderForgetsViolations) {
  const Mechanism mechanism = welch_without_gravity();
  Plan plan = plan_of(mechanism, "algebraic", "trapezoidal", 0.01);
  plan.algebraic_order = 1;
  const analysis::Mode mode = mode_at(analyse(mechanism, plan), true, 0, kRootSure);
  EXPECT_EQ(mode.multiplicity, 8);
}

// With gravity the analysis of the paper no longer holds: forces are taken at known states. A tangential
// motion of frequency ω has, with z = hω, the trace 2 − z² + z⁴/4 and the determinant 1 − z⁴/4: damped below
// z = √2, where an eigenvalue leaves the circle at 1. For the paper's hanging pendulum that is Δt = 0.436 s.
TEST(Stability, AlgebraicWithGravityHasAStepLimit) {
  const Mechanism mechanism = welch_hanging();
  for (const double h : {1e-3, 1e-2, 0.1, 0.3}) {
    const analysis::Stability s = analyse(mechanism, "algebraic", "trapezoidal", h);
    for (const double omega : {kSlow, kFast}) {
      const double z2 = h * h * omega * omega, half_trace = 1 - z2 / 2 + z2 * z2 / 8;
      mode_at(s, false, {half_trace, std::sqrt(1 - z2 * z2 / 4 - half_trace * half_trace)}, 1e-8);
    }
    EXPECT_EQ(mode_at(s, true, -1).level, analysis::Level::velocity);
    EXPECT_NEAR(s.spectral_radius, 1, s.uncertainty);
  }
  const double limit = std::sqrt(2.0) / kFast;
  EXPECT_NEAR(limit, 0.4357, 1e-4);
  EXPECT_FALSE(analyse(mechanism, "algebraic", "trapezoidal", limit * (1 - 1e-6)).modes.front().grows());
  EXPECT_TRUE(analyse(mechanism, "algebraic", "trapezoidal", limit * (1 + 1e-6)).modes.front().grows());
}

// Published for α = β = 1/Δt: a limit Δt ≤ 0.0664 s. Not found: the map of Heun's rule in units of Δt holds
// no Δt, its eigenvalues are 1, 1 for each motion and 1 − 1 + ½ = ½ twice for each constraint.
TEST(Stability, BaumgarteWithoutForcesHasNoStepLimit) {
  const Mechanism mechanism = welch_without_gravity();
  for (const double h : {1e-4, 1e-2, 0.066, 0.067, 0.1, 1.0, 10.0}) {
    const analysis::Stability s = analyse(mechanism, "baumgarte", "rk2-heun", h);
    EXPECT_NEAR(s.spectral_radius, 1, s.uncertainty);
    EXPECT_TRUE(mode_at(s, false, 1, kRootSure).free());
    EXPECT_EQ(mode_at(s, true, 0.5).multiplicity, 8);
  }
}

// Nor with gravity: Heun's rule lets every undamped oscillation grow, by √(1 + z⁴/4) a step, whatever the
// step.
TEST(Stability, BaumgarteWithGravityGrowsAtEveryStep) {
  for (const double h : {0.03, 0.0663, 0.0665, 0.1}) {
    const analysis::Stability s = analyse(welch_hanging(), "baumgarte", "rk2-heun", h);
    EXPECT_NEAR(s.spectral_radius, std::sqrt(1 + std::pow(h * kFast, 4) / 4), s.uncertainty);
    EXPECT_TRUE(s.modes.front().grows());
  }
}

TEST(Stability, ExplicitEulerGrows) {
  for (const double h : {0.01, 0.1, 1.0}) {
    const double z = h * kPendulum;
    const analysis::Stability s = analyse(hanging_pendulum(), "lagrange", "euler", h);
    mode_at(s, false, {1, z});
    EXPECT_NEAR(s.spectral_radius, std::sqrt(1 + z * z), s.uncertainty);
    // Φ̈ = 0 alone: an error of Φ̇ makes Φ grow with the number of steps.
    const analysis::Mode drift = mode_at(s, true, 1, kRootSure);
    EXPECT_TRUE(drift.creeps() && !drift.free());
  }
}

TEST(Stability, RungeKuttaOfFourthOrderIsStableUpTo2Root2) {
  const double limit = 2 * std::sqrt(2.0) / kPendulum;
  for (const double factor : {1 - 1e-6, 1 + 1e-6}) {
    const double h = factor * limit, z = h * kPendulum;
    const analysis::Stability s = analyse(hanging_pendulum(), "augmented-lagrangian", "rk4", h);
    const analysis::Mode mode = mode_at(s, false, {1 - z * z / 2 + std::pow(z, 4) / 24, z - z * z * z / 6});
    EXPECT_EQ(mode.grows(), factor > 1);
    EXPECT_EQ(mode.decays(), factor < 1);
  }
}

// Φ̈ + 2Ωμ Φ̇ + Ω² Φ = 0 with Ω = 10, μ = 1: a double root −10, and the polynomial of the rule there.
TEST(Stability, ViolationsFollowTheirOwnEquation) {
  const double z = -10 * 0.05;
  const analysis::Stability s = analyse(hanging_pendulum(), "augmented-lagrangian", "rk4", 0.05);
  const analysis::Mode mode =
      mode_at(s, true, 1 + z + z * z / 2 + z * z * z / 6 + z * z * z * z / 24, kRootSure);
  EXPECT_EQ(mode.multiplicity, 2);
  EXPECT_EQ(mode.eigenvectors, 1);
  EXPECT_TRUE(mode.decays());
}

// Momenta leave nothing of an error in Φ̇; of one in Φ all, nothing, or what its equation says.
TEST(Stability, MomentaHoldVelocities) {
  const analysis::Stability whole = analyse(hanging_pendulum(), "canonical-lagrange", "rk4", 0.05);
  EXPECT_EQ(mode_at(whole, true, 1, kRootSure).level, analysis::Level::position);
  EXPECT_EQ(mode_at(whole, true, 0, kRootSure).level, analysis::Level::velocity);
  const analysis::Stability independent = analyse(hanging_pendulum(), "canonical-independent", "rk4", 0.05);
  EXPECT_EQ(mode_at(independent, true, 0, kRootSure).multiplicity, 2);
  const double z = -10 * 0.05;
  const analysis::Stability augmented = analyse(hanging_pendulum(), "canonical-augmented", "rk4", 0.05);
  EXPECT_EQ(mode_at(augmented, true, 1 + z + z * z / 2 + z * z * z / 6 + z * z * z * z / 24, kRootSure)
                .multiplicity,
            2);
}

// tan(φ/2) = z/2, modulus one; nothing of a violation is left after a step.
TEST(Stability, TrapezoidalRuleOfIndex3TurnsMotionByItsPhase) {
  for (const double h : {0.01, 0.1, 0.5}) {
    const analysis::Stability s =
        analyse(hanging_pendulum(), "augmented-lagrangian-index3", "trapezoidal", h);
    mode_at(s, false, std::polar(1.0, 2 * std::atan(h * kPendulum / 2)), 1e-8);
    EXPECT_EQ(mode_at(s, true, 0, 1e-8).multiplicity, 3);
  }
}

// Without the projection of accelerations their violation alternates for ever, as (½ − β)/β = 1.
TEST(Stability, TrapezoidalRuleOfIndex3NeedsItsProjection) {
  const Mechanism mechanism = hanging_pendulum();
  Plan plan = plan_of(mechanism, "augmented-lagrangian-index3", "trapezoidal", 0.1);
  plan.project_accelerations = false;
  const analysis::Mode mode = mode_at(analyse(mechanism, plan), true, -1, 1e-7);
  EXPECT_EQ(mode.level, analysis::Level::acceleration);
}

// A mass between stiff springs, on a line: hω = 1e4.
const char* const kStiff = R"yaml(
trammel: 1
parameters: {k: 1e8}
coordinates: {x: 0, y: 0}
mass: {x: 1, y: 1}
potential: k*x^2/2
constraints: {line: y - x/2}
simulate: {duration: 1, step: 1}
)yaml";

// Chung & Hulbert's high-frequency limit: three eigenvalues −r, which the frequency still spreads by about
// (hω)^(-2/3). The algorithmic acceleration across the constraint is not projected: −(½ − β)/β.
TEST(Stability, GeneralizedAlphaDampsHighFrequenciesToItsSpectralRadius) {
  const Mechanism mechanism = text_model(kStiff);
  for (const double r : {0.3, 0.6, 0.8}) {
    Plan plan = plan_of(mechanism, "augmented-lagrangian-index3", "generalized-alpha", 1);
    plan.spectral_radius = r;
    const analysis::Stability s = analyse(mechanism, plan);
    double largest = 0;
    for (const analysis::Mode& mode : s.modes)
      if (!mode.violates) largest = std::max(largest, mode.modulus());
    EXPECT_NEAR(largest, r, 0.01) << r;
    const double m = (2 * r - 1) / (r + 1), f = r / (r + 1), beta = (1 - m + f) * (1 - m + f) / 4;
    EXPECT_EQ(mode_at(s, true, -(0.5 - beta) / beta, 1e-6).level, analysis::Level::acceleration);
  }
}

// Projections every five steps: Φ and Φ̇ are zero after them, the map of five steps says so.
TEST(Stability, SpansTheStepsBetweenProjections) {
  const Mechanism mechanism = hanging_pendulum();
  Plan plan = plan_of(mechanism, "lagrange", "rk4", 0.1);
  plan.project_positions = plan.project_velocities = true;
  plan.projection_every = 5;
  const analysis::Stability s = analyse(mechanism, plan);
  EXPECT_EQ(s.steps, 5);
  EXPECT_EQ(mode_at(s, true, 0, 1e-7).multiplicity, 2);
  const double z = 0.1 * kPendulum;
  mode_at(s, false, std::pow(Complex(1 - z * z / 2 + std::pow(z, 4) / 24, z - z * z * z / 6), 5));
}

// ẋ = −3x beside the pendulum: its own eigenvalue, counted with the motion.
TEST(Stability, AuxiliaryStatesHaveTheirEigenvalues) {
  Mechanism mechanism = hanging_pendulum();
  mechanism.states.push_back({"lag", "-3*lag", 0, {}});
  mode_at(analyse(mechanism, "lagrange", "rk2-heun", 0.1), false, 1 - 0.3 + 0.045);
  mode_at(analyse(mechanism, "augmented-lagrangian-index3", "trapezoidal", 0.1), false, 0.85 / 1.15, 1e-8);
}

// Redundant constraints count once; index 3 leaves nothing of their violation.
TEST(Stability, RedundantConstraintsAreAnalysedToo) {
  const analysis::Stability s =
      analyse(model("bricard", {"gravity=[0,0,0]"}), "augmented-lagrangian-index3", "trapezoidal", 2e-3);
  EXPECT_TRUE(mode_at(s, false, 1, 1e-3).free());
  mode_at(s, true, 0, 1e-6);
}

void expect_refused(const Mechanism& mechanism, const Plan& plan, const std::string& words) {
  const analysis::Stability s = analysis::stability(mechanism, plan);
  EXPECT_EQ(s.report.outcome, Outcome::refused);
  EXPECT_NE(s.report.message.find(words), std::string::npos) << s.report.message;
}

TEST(Stability, RefusesWhatIsNotAtRest) {
  const Mechanism released = model("simple-pendulum", {});
  expect_refused(released, released.plan, "this is not a position of rest: body 'bob' accelerates");
  const Mechanism pushed = model("bayo-pendulum", {});
  expect_refused(pushed, pushed.plan, "coordinate 'y' starts with the velocity -1");
  const Mechanism driven = model("driven-slider-crank", {"gravity=[0,0]"});
  expect_refused(driven, driven.plan, "drivers or forces change with time");
  Mechanism winding = hanging_pendulum();
  winding.states.push_back({"count", "1", 0, {}});
  expect_refused(winding, winding.plan, "state 'count' changes at the rate 1");
}

TEST(Stability, RefusesRulesWithoutAFixedStep) {
  const Mechanism mechanism = hanging_pendulum();
  expect_refused(mechanism, plan_of(mechanism, "lagrange", "dopri5", 0.1), "dopri5 chooses its own steps");
}

}  // namespace
}  // namespace trammel::tests::stability_test
