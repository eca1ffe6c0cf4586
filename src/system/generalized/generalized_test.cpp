// A person's own coordinates: exact derivatives, and motions that agree with those of bodies and joints.
// tests/reference_test.cpp has the published examples.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "analysis/mobility.h"
#include "math/count_malloc.h"
#include "model/models_testing.h"
#include "system/system.h"
#include "trammel/model.h"
#include "trammel/run.h"
#include "trammel/simulation.h"

namespace trammel::tests::generalized_test {
namespace {

Mechanism text_model(const std::string& text) {
  ModelInput input = read_model_text(text, "test.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

// Every kind of dependence: M and V of q and t, Q of everything, Φ with mixed terms of q and t.
const std::string kEverything = R"yaml(
trammel: 1
parameters: {m: 2, L: 1.5}
functions: {ramp: {spline: [[-2, 0], [0, 1], [1, 3], [2, 2]]}}
coordinates:
  x: {start: 0.4, rate: 0.3}
  y: 0.7
  a: 0.5
  b: -0.3
mass:
  x: m*(1 + 0.1*t^2)
  y: m + x^2*ramp(b)
  a: m*L^2*(2 + cos(a - b)*sin(t))
  b: 3
  a b: 0.4*cos(a - b) + 0.1*x*t
  x y: 0.2*sin(y)
  b x: 0.3
applied:
  x: -3*x - 0.5*x.rate*y.rate + push*sin(a)
  a: lag - 0.2*a.rate^3 + x*t
potential: 4*x^2*y + 9.81*L*sin(b)*cos(t) + exp(0.1*a*b)
constraints:
  ring: x^2 + y^2 - (1 + 0.2*sin(3*t))^2
  link: x*cos(a) - L*sin(b + t) + a*b*y
states: {lag: {derivative: b.rate - 2*lag^2 + a, initial: 0.6}}
inputs: {push: 0.7}
)yaml";

// Constraints of velocities among others, in no order; A and b of q and t, a rate in several terms.
const std::string kRates = R"yaml(
trammel: 1
functions: {ramp: {spline: [[-2, 0], [0, 1], [1, 3], [2, 2]]}}
coordinates: {x: 0.4, y: 0.7, a: 0.5, b: -0.3}
mass: {x: 1, y: 1, a: 1, b: 1}
constraints:
  skate: x.rate*sin(a + t) - y.rate*cos(a) + 0.3*x*sin(2*t)
  ring: x^2 + y^2 - (1 + 0.2*sin(3*t))^2
  roll: (b.rate - x*a.rate)/(2 + cos(b)) + if(x > 0, ramp(y)*b.rate, 0) - t^2
  tie: b.rate
)yaml";

class Generalized : public testing::Test {
 protected:
  explicit Generalized(const std::string& text = kEverything)
      : system_(system::compile(text_model(text))), state_(system_->initial_state()) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> part(-0.3, 0.3);
    state_.t = 0.4;
    for (double& q : state_.q) q += part(random);
    for (double& v : state_.v) v = 3 * part(random);
    for (double& a : state_.a) a = 9 * part(random);
  }

  system::Terms at(const State& s) const {
    system::Terms terms = system_->make_terms();
    system_->evaluate(s, system::kAskAll, terms);
    return terms;
  }
  Eigen::MatrixXd dense(const system::EntryPattern& pattern, const std::vector<double>& values,
                        bool symmetric = false) const {
    const auto n = static_cast<Eigen::Index>(system_->sizes().v);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    for (std::size_t k = 0; k < values.size(); ++k) {
      A(pattern.row[k], pattern.column[k]) += values[k];
      if (symmetric && pattern.row[k] != pattern.column[k]) A(pattern.column[k], pattern.row[k]) += values[k];
    }
    return A;
  }
  Eigen::MatrixXd mass(const system::Terms& terms) const {
    return dense(system_->mass_pattern(), terms.M, true);
  }
  static Eigen::VectorXd vector(const std::vector<double>& x) {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
  }
  Eigen::MatrixXd jacobian(const system::Terms& terms) const { return on_jacobian(terms.Phi_v); }
  Eigen::MatrixXd on_jacobian(const std::vector<double>& values) const {
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(system_->sizes().rows, system_->sizes().v);
    const system::RowPattern& rows = system_->jacobian();
    for (std::size_t r = 0; r + 1 < rows.start.size(); ++r)
      for (auto k = static_cast<std::size_t>(rows.start[r]); k < static_cast<std::size_t>(rows.start[r + 1]);
           ++k)
        J(static_cast<Eigen::Index>(r), rows.column[k]) += values[k];
    return J;
  }
  // Moves along q̇ = v, v̇ = a.
  State moved(double dt, const Eigen::VectorXd& a) const {
    State s = state_;
    s.t += dt;
    for (std::size_t i = 0; i < s.q.size(); ++i) {
      const double ai = a[static_cast<Eigen::Index>(i)];
      s.q[i] += dt * s.v[i] + 0.5 * dt * dt * ai;
      s.v[i] += dt * ai;
    }
    return s;
  }

  void expect_rates() const;

  std::shared_ptr<const system::System> system_;
  State state_;
};

// Central differences of step 1e-5 on quantities of order 1 to 100: error about 1e-9 of their size.
constexpr double kStep = 1e-5;
void expect_near(const Eigen::VectorXd& found, const Eigen::VectorXd& exact, const std::string& what) {
  EXPECT_LT((found - exact).cwiseAbs().maxCoeff(), 2e-8 * (1 + exact.cwiseAbs().maxCoeff()))
      << what << "\nfound " << found.transpose() << "\nexact " << exact.transpose();
}

TEST_F(Generalized, ConstraintsInSpaceAndTime) {
  const system::Terms here = at(state_);
  const Eigen::MatrixXd J = jacobian(here);
  for (std::size_t j = 0; j < state_.q.size(); ++j) {
    State plus = state_, minus = state_;
    plus.q[j] += kStep;
    minus.q[j] -= kStep;
    expect_near((vector(at(plus).Phi) - vector(at(minus).Phi)) / (2 * kStep),
                J.col(static_cast<Eigen::Index>(j)), "Phi_v");
  }
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(4), v = vector(state_.v);
  const system::Terms p = at(moved(kStep, still)), m = at(moved(-kStep, still));
  expect_near((vector(p.Phi) - vector(m.Phi)) / (2 * kStep), J * v + vector(here.Phi_t), "rate");
  expect_rates();
  const Eigen::VectorXd change = jacobian(p) * v + vector(p.Phi_t) - jacobian(m) * v - vector(m.Phi_t);
  expect_near(change / (2 * kStep), vector(here.gamma), "gamma");
}

// Φ̇_v and Ṁ v by differences of Φ_v and M along the motion.
void Generalized::expect_rates() const {
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(4);
  const system::Terms here = at(state_), p = at(moved(kStep, still)), m = at(moved(-kStep, still));
  const Eigen::MatrixXd rate = on_jacobian(here.Phi_v_dot),
                        change = (jacobian(p) - jacobian(m)) / (2 * kStep);
  for (Eigen::Index r = 0; r < rate.rows(); ++r)
    expect_near(change.row(r).transpose(), rate.row(r).transpose(), "Phi_v_dot");
  expect_near((mass(p) - mass(m)) * vector(state_.v) / (2 * kStep), vector(here.M_dot_v), "M_dot_v");
  system::Terms alone = system_->make_terms();
  system_->evaluate(state_, system::kAskRates, alone);
  EXPECT_EQ(alone.Phi_v_dot, here.Phi_v_dot);
  EXPECT_EQ(alone.M_dot_v, here.M_dot_v);
}

class GeneralizedRates : public Generalized {
 protected:
  GeneralizedRates() : Generalized(kRates) {}
};

TEST_F(GeneralizedRates, StandAfterTheHolonomicRows) {
  EXPECT_EQ(system_->sizes().rows, 4);
  EXPECT_EQ(system_->sizes().holonomic, 1);
  std::vector<std::string> names;
  for (const system::RowOwner& row : system_->rows()) names.push_back(row.name);
  EXPECT_EQ(names, (std::vector<std::string>{"ring", "skate", "roll", "tie"}));
  EXPECT_EQ(at(state_).Phi[1], 0);
}

TEST_F(GeneralizedRates, DerivativesInSpaceAndTime) {
  const system::Terms here = at(state_);
  const Eigen::MatrixXd J = jacobian(here);
  const Eigen::VectorXd v = vector(state_.v), still = Eigen::VectorXd::Zero(4);
  // A v + b by hand.
  const double x = state_.q[0], a = state_.q[2], t = state_.t;
  const double skate = v[0] * std::sin(a + t) - v[1] * std::cos(a) + 0.3 * x * std::sin(2 * t);
  const Eigen::VectorXd rate = J * v + vector(here.Phi_t);
  EXPECT_NEAR(rate[1], skate, 1e-15);
  EXPECT_EQ(rate[3], v[3]);
  // A is the derivative of A v + b by v, and A and b do not depend on v.
  for (Eigen::Index j = 0; j < 4; ++j) {
    State other = state_;
    other.v[static_cast<std::size_t>(j)] += 1;
    const system::Terms there = at(other);
    EXPECT_LT((jacobian(there) - J).cwiseAbs().maxCoeff(), 1e-15);
    EXPECT_LT((vector(there.Phi_t) - vector(here.Phi_t)).cwiseAbs().maxCoeff(), 1e-15);
  }
  const system::Terms p = at(moved(kStep, still)), m = at(moved(-kStep, still));
  const Eigen::VectorXd change = jacobian(p) * v + vector(p.Phi_t) - jacobian(m) * v - vector(m.Phi_t);
  expect_near(change / (2 * kStep), vector(here.gamma), "gamma");
  expect_rates();
}

TEST_F(Generalized, InertiaForcesAreThoseOfLagrange) {
  // h = ½ ∂(vᵀMv)/∂q − Ṁv by differences of M alone, and the applied forces by hand.
  const system::Terms here = at(state_);
  const Eigen::VectorXd v = vector(state_.v), still = Eigen::VectorXd::Zero(4);
  const Eigen::MatrixXd M_dot =
      (mass(at(moved(kStep, still))) - mass(at(moved(-kStep, still)))) / (2 * kStep);
  Eigen::VectorXd Q = -M_dot * v;
  for (std::size_t j = 0; j < state_.q.size(); ++j) {
    State plus = state_, minus = state_;
    plus.q[j] += kStep;
    minus.q[j] -= kStep;
    const system::Terms p = at(plus), m = at(minus);
    Q[static_cast<Eigen::Index>(j)] +=
        (0.5 * v.dot((mass(p) - mass(m)) * v) - (p.potential - m.potential)) / (2 * kStep);
  }
  const double x = state_.q[0], a = state_.q[2], lag = state_.x[0];
  Q[0] += -3 * x - 0.5 * state_.v[0] * state_.v[1] + 0.7 * std::sin(a);
  Q[2] += lag - 0.2 * std::pow(state_.v[2], 3) + x * state_.t;
  expect_near(vector(here.Q), Q, "Q");
}

TEST_F(Generalized, TangentIsTheDerivativeOfTheBalance) {
  // K = ∂(M a − Q)/∂q and C = −∂Q/∂v, complete
  const system::Terms here = at(state_);
  const Eigen::MatrixXd K = dense(system_->stiffness(), here.K), C = dense(system_->damping(), here.C);
  const Eigen::VectorXd a = vector(state_.a);
  const auto balance = [&](const system::Terms& terms) -> Eigen::VectorXd {
    return mass(terms) * a - vector(terms.Q);
  };
  for (std::size_t j = 0; j < state_.q.size(); ++j) {
    for (const bool by_velocity : {false, true}) {
      State plus = state_, minus = state_;
      (by_velocity ? plus.v : plus.q)[j] += kStep;
      (by_velocity ? minus.v : minus.q)[j] -= kStep;
      expect_near((balance(at(plus)) - balance(at(minus))) / (2 * kStep),
                  (by_velocity ? C : K).col(static_cast<Eigen::Index>(j)), by_velocity ? "C" : "K");
    }
  }
  // lag: ∂/∂lag (… − 2 lag²) = −4 lag
  EXPECT_DOUBLE_EQ(here.x_dot_x[0], -4 * 0.6);
  EXPECT_FALSE(system_->symmetric_tangent());
}

TEST_F(Generalized, EnergyChangesByThePower) {
  // Without constraints M a = Q: d(T + V)/dt is the power of the applied forces, of V(t) and of M(t).
  const system::Terms here = at(state_);
  const Eigen::VectorXd a = mass(here).ldlt().solve(vector(here.Q));
  const auto energy = [&](double dt) {
    const State s = moved(dt, a);
    const system::Terms terms = at(s);
    return system_->kinetic_energy(s, terms) + terms.potential;
  };
  EXPECT_NEAR((energy(kStep) - energy(-kStep)) / (2 * kStep), here.power, 2e-8 * (1 + std::abs(here.power)));
}

TEST_F(Generalized, TheMassIsFreshAfterEveryEvaluation) {
  State elsewhere = state_;
  for (double& q : elsewhere.q) q += 0.1;
  const system::Terms full = at(elsewhere);
  for (const unsigned ask : {0U, 1U, 2U, 4U, 8U, 16U}) {
    system::Terms terms = at(state_);
    system_->evaluate(elsewhere, ask, terms);
    EXPECT_EQ(terms.M, full.M) << ask;
  }
}

double largest_energy_error(const Mechanism& mechanism, double h, double end) {
  Plan plan = mechanism.plan;
  plan.step = h;
  Simulation simulation(mechanism, plan);
  EXPECT_TRUE(simulation.assemble().report.accepted());
  const double start = simulation.energy().balance();
  double largest = 0;
  for (int i = 0; i < static_cast<int>(std::lround(end / h)); ++i) {
    EXPECT_TRUE(simulation.step(h).report.accepted()) << "t = " << simulation.state().t;
    largest = std::max(largest, std::abs(simulation.energy().balance() - start));
  }
  return largest;
}

const std::string kAngles = R"yaml(
trammel: 1
parameters: {g: 9.81}
coordinates: {a: 0, b: -pi/2}
mass: {a: 4/3, b: 1/3, a b: cos(a - b)/2}
potential: g*(3/2*sin(a) + sin(b)/2)
)yaml";

TEST(GeneralizedEnergy, ErrorsAreOfSecondOrder) {
  // Conservative; and driven by time through M, V, Q and Φ at once, where the work is followed.
  EXPECT_NEAR(std::log2(largest_energy_error(text_model(kAngles), 2e-3, 2) /
                        largest_energy_error(text_model(kAngles), 1e-3, 2)),
              2, 0.15);
  EXPECT_NEAR(std::log2(largest_energy_error(text_model(kEverything), 2e-3, 1) /
                        largest_energy_error(text_model(kEverything), 1e-3, 1)),
              2, 0.15);
}

TEST(GeneralizedMotion, AgreesWithBodiesAndJoints) {
  // The same double pendulum: two angles, and four Cartesian coordinates with two constraints. Both runs are
  // of second order; extrapolated to h = 0 they agree to what is left of h³, 1.6e-8 m at h = 1 ms.
  const auto tip = [](const Mechanism& mechanism, double h) {
    Simulation simulation(mechanism, mechanism.plan);
    EXPECT_TRUE(simulation.assemble().report.accepted());
    for (int i = 0; i < static_cast<int>(std::lround(1 / h)); ++i)
      EXPECT_TRUE(simulation.step(h).report.accepted());
    system::Terms terms = simulation.system().make_terms();
    return simulation.system().readings(simulation.state(), terms).back().value;
  };
  Mechanism angles = text_model(kAngles), bars = model("double-pendulum");
  angles.outputs["tip"] = "cos(a) + cos(b)";
  bars.outputs["tip"] = "B.x";
  const auto limit = [&](const Mechanism& m) { return (4 * tip(m, 2.5e-4) - tip(m, 5e-4)) / 3; };
  EXPECT_NEAR(limit(angles), limit(bars), 1e-8);
}

TEST(GeneralizedMotion, MultipliersAreThoseOfTheReference) {
  // tests/references/welch_double_pendulum_exact.csv, t = 1 s. λ is of the order of the rule.
  const Mechanism mechanism = model("welch-double-pendulum");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(simulation.step(1e-3).report.accepted());
  Report report;
  const State s = simulation.with_reactions(report);
  ASSERT_TRUE(report.accepted());
  system::Terms terms = simulation.system().make_terms();
  const std::vector<system::Reading> readings = simulation.system().efforts(s, terms);
  const std::vector<std::pair<std::string, double>> exact = {{"lambda.support_x", 24.629654758050505558},
                                                             {"lambda.support_y", 11.311242951864438273},
                                                             {"lambda.elbow_x", 8.9350380241957186601},
                                                             {"lambda.elbow_y", 12.111661656983296744}};
  for (const auto& [name, value] : exact) {
    const auto found =
        std::find_if(readings.begin(), readings.end(),
                     [&, wanted = name](const system::Reading& r) { return r.quantity == wanted; });
    ASSERT_NE(found, readings.end()) << name;
    EXPECT_NEAR(found->value, value, 1e-4) << name;
  }
}

TEST(GeneralizedMotion, CountsAndRedundancy) {
  const Mechanism welch = model("welch-double-pendulum");
  Simulation simulation(welch, welch.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  EXPECT_EQ(analysis::mobility(simulation).degrees_of_freedom, 2);

  // The same circle twice: named, and the motion goes on.
  Mechanism twice = model("bayo-pendulum");
  twice.generalized->constraints.push_back({"again", "2*(x^2 + y^2) - 2", {}});
  Simulation redundant(twice, twice.plan);
  ASSERT_TRUE(redundant.assemble().report.accepted());
  const analysis::Mobility m = analysis::mobility(redundant);
  EXPECT_EQ(m.degrees_of_freedom, 1);
  ASSERT_EQ(m.dependent_sets.size(), 1U);
  EXPECT_EQ(m.dependent_sets[0].joints, (std::vector<std::string>{"length", "again"}));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(redundant.step(0.01).report.accepted());
}

TEST(GeneralizedMotion, AMasslessCoordinateIsHeldByItsConstraint) {
  // y = x²/2 and u = y: a bead on a parabola with an idle coordinate that follows it.
  const Mechanism mechanism = text_model(R"yaml(
trammel: 1
coordinates: {x: {start: 1, rate: 0}, y: 0.5, u: 0.4}
mass: {x: 1, y: 1}
potential: 9.81*y
constraints: {wire: y - x^2/2, follows: u - y}
)yaml");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  EXPECT_NEAR(simulation.state().q[2], simulation.state().q[1], 1e-12);
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(simulation.step(1e-3).report.accepted());
  EXPECT_NEAR(simulation.state().q[2], simulation.state().q[1], 1e-11);
}

TEST(GeneralizedMotion, GivenRatesThatContradictAreNamed) {
  Mechanism mechanism = model("bayo-pendulum");
  mechanism.generalized->coordinates[0].rate = 1;  // along the radius
  Simulation simulation(mechanism, mechanism.plan);
  const AssemblyReport report = simulation.assemble();
  EXPECT_FALSE(report.report.accepted());
  EXPECT_NE(explain(report, simulation).find("'x'"), std::string::npos) << explain(report, simulation);
}

TEST(GeneralizedStep, TakesNothingFromTheHeapAndResumes) {
#ifndef TRAMMEL_COUNTS_MALLOC
  GTEST_SKIP() << "malloc cannot be counted in this build";
#endif
  for (const Mechanism& mechanism :
       {text_model(kEverything), text_model(kAngles), model("welch-slider-crank")}) {
    Simulation one(mechanism, mechanism.plan);
    ASSERT_TRUE(one.assemble().report.accepted());
    const auto advance = [](Simulation& simulation, int steps) {
      bool accepted = true;
      for (int i = 0; i < steps; ++i) accepted = simulation.step(1e-3).report.accepted() && accepted;
      return accepted;
    };
    ASSERT_TRUE(advance(one, 3));
    const long before = allocations;
    const bool accepted = advance(one, 20);
    EXPECT_EQ(allocations - before, 0);
    EXPECT_TRUE(accepted);
    Simulation two(mechanism, mechanism.plan);
    two.restore(one.state());
    ASSERT_TRUE(advance(one, 20) && advance(two, 20));
    EXPECT_EQ(one.state().q, two.state().q);
    EXPECT_EQ(one.state().v, two.state().v);
  }
}

}  // namespace
}  // namespace trammel::tests::generalized_test
