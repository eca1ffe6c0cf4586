// Welch, Hong, Trapp & Choi: the algebraic scheme on the two planar examples, as published.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include "model/models_testing.h"
#include "system/system.h"
#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/simulation.h"

namespace trammel::tests::welch_test {
namespace {

Plan algebraic(const Mechanism& mechanism, double h, int order) {
  Plan plan = mechanism.plan;
  plan.formulation = "algebraic";
  plan.algebraic_order = order;
  plan.step = h;
  return plan;
}

State after(const Mechanism& mechanism, double h, double end, int order) {
  Simulation simulation(mechanism, algebraic(mechanism, h, order));
  const AssemblyReport assembly = simulation.assemble();
  EXPECT_TRUE(assembly.report.accepted()) << assembly.report.message;
  for (long i = 0; i < std::lround(end / h); ++i) EXPECT_TRUE(simulation.step(h).report.accepted());
  return simulation.state();
}

// Table 1, t = 10 s. The motion is sensitive: rounding grows to about 1e-12 in positions and 1e-10 in
// velocities.
TEST(Welch, Table1DoublePendulum) {
  const Mechanism mechanism = model("welch-double-pendulum");
  const State s = after(mechanism, 0.005, 10, 2);
  const double q[] = {2.443655269310963, -.5277783191794895, 1.783508081764363,
                      6.711359930283763, -2.765194090434459, 2.323828290259711};
  const double v[] = {-.1819273871586672, -.8425945695282319, .3448043406049740,
                      8.358047330329132,  7.618758619232083,  -5.100854444583235};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(s.q[i], q[i], 1e-11) << i;
    EXPECT_NEAR(s.v[i], v[i], 1e-9) << i;
  }
  // λ of the last corrector; rounding of Φ/h² limits it.
  const double lambda[] = {57.64615652, -3.734488926, 42.71195102, -25.43944406};
  for (std::size_t r = 0; r < 4; ++r) EXPECT_NEAR(s.lambda[r], lambda[r], 1e-6) << r;
  EXPECT_NEAR(after(mechanism, 0.0025, 10, 2).q[0], 2.442965464018156, 1e-11);
  EXPECT_NEAR(after(mechanism, 0.00125, 10, 2).q[0], 2.442790656734799, 1e-11);
}

// The same table from bars and pins in reference coordinates: their angles are π/2 − θ.
TEST(Welch, Table1DoublePendulumOfBars) {
  const std::vector<std::string> settings{"gravity=[10, 0]", "points.A=[0, 5]", "points.B=[0, 10]"};
  ModelInput input = read_model(std::string(kSourceDir) + "/models/double-pendulum.yaml", settings);
  ASSERT_TRUE(input.errors.empty());
  input.mechanism.plan.coordinates = "reference";
  const State s = after(input.mechanism, 0.005, 10, 2);
  const double q[] = {2.443655269310963, -.5277783191794895, 1.783508081764363,
                      6.711359930283763, -2.765194090434459, 2.323828290259711};
  const double v[] = {-.1819273871586672, -.8425945695282319, .3448043406049740,
                      8.358047330329132,  7.618758619232083,  -5.100854444583235};
  for (std::size_t i = 0; i < 6; ++i) {
    const bool angle = i % 3 == 2;
    EXPECT_NEAR(angle ? std::numbers::pi / 2 - s.q[i] : s.q[i], q[i], 1e-11) << i;
    EXPECT_NEAR(angle ? -s.v[i] : s.v[i], v[i], 1e-9) << i;
  }
  const double lambda[] = {57.64615652, -3.734488926, 42.71195102, -25.43944406};
  for (std::size_t r = 0; r < 4; ++r) EXPECT_NEAR(s.lambda[r], lambda[r], 1e-6) << r;
}

// The mean of |Φ| over the states before the last, 10 s.
double mean_violation(const Mechanism& mechanism, const Plan& plan) {
  Simulation simulation(mechanism, plan);
  EXPECT_TRUE(simulation.assemble().report.accepted());
  system::Terms terms = simulation.system().make_terms();
  double sum = 0;
  const long steps = std::lround(10 / plan.step);
  for (long i = 0; i < steps; ++i) {
    simulation.system().evaluate(simulation.state(), system::kAskPosition, terms);
    double square = 0;
    for (double phi : terms.Phi) square += phi * phi;
    sum += std::sqrt(square);
    EXPECT_TRUE(simulation.step(plan.step).report.accepted());
  }
  return sum / static_cast<double>(steps);
}

TEST(Welch, Table2SliderCrank) {
  const Mechanism mechanism = model("welch-slider-crank");
  const auto mean = [&](double h, int order) {
    return mean_violation(mechanism, algebraic(mechanism, h, order));
  };
  // Published to five digits; the mean's last state and the printed start differ: 0.01 %.
  EXPECT_NEAR(mean(0.02, 2), 3.1960e-5, 1.0e-4 * 3.1960e-5);
  EXPECT_NEAR(mean(0.01, 2), 3.9802e-6, 1.0e-4 * 3.9802e-6);
  EXPECT_NEAR(mean(0.02, 1), 1.0038e-3, 1.0e-4 * 1.0038e-3);
  EXPECT_NEAR(mean(0.01, 1), 2.5339e-4, 1.0e-4 * 2.5339e-4);
}

// The row of Baumgarte's method: a rule of second order with α = β = 1/Δt. The paper does not name the rule;
// it is Heun's. Its start is printed to four digits, which alone moves the second mean by 0.5 %.
TEST(Welch, Table2SliderCrankByBaumgarte) {
  const Mechanism mechanism = model("welch-slider-crank");
  const auto mean = [&](double h) {
    Plan plan = mechanism.plan;
    plan.formulation = "baumgarte";
    plan.integrator = "rk2-heun";
    plan.stabilization = "welch";
    plan.step = h;
    return mean_violation(mechanism, plan);
  };
  const double coarse = mean(0.02), fine = mean(0.01);
  EXPECT_NEAR(coarse, 1.0856e-4, 3e-3 * 1.0856e-4);
  EXPECT_NEAR(fine, 1.4877e-5, 3e-3 * 1.4877e-5);
  // An independent program's figures, from the consistent start.
  EXPECT_NEAR(coarse, 1.0852e-4, 1e-4 * 1.0852e-4);
  EXPECT_NEAR(fine, 1.4839e-5, 1e-4 * 1.4839e-5);
}

TEST(Welch, IsOfItsOrderInNaturalCoordinatesToo) {
  for (const char* name : {"double-pendulum", "welch-double-pendulum"}) {
    const Mechanism mechanism = model(name);
    for (const int order : {1, 2}) {
      const double h = order == 1 ? 2e-4 : 2e-3;
      const State a = after(mechanism, h, 0.2, order), b = after(mechanism, h / 2, 0.2, order),
                  c = after(mechanism, h / 4, 0.2, order);
      double coarse = 0, fine = 0;
      for (std::size_t i = 0; i < a.q.size(); ++i) {
        coarse = std::max(coarse, std::abs(a.q[i] - b.q[i]));
        fine = std::max(fine, std::abs(b.q[i] - c.q[i]));
      }
      EXPECT_NEAR(std::log2(coarse / fine), order, 0.15) << name << ", order " << order;
    }
  }
}

// Every half second of the reference: time, then centre of mass and ω in its own axes of each link.
std::vector<double> three_links_at(double t) {
  std::ifstream file(std::string(kSourceDir) + "/tests/references/welch_3d_pendulum_pinX_reference.csv");
  for (std::string line; std::getline(file, line);) {
    std::vector<double> row;
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::strtod(cell.c_str(), nullptr));
    if (row.size() == 19 && line[0] != 't' && std::abs(row[0] - t) < 1e-9)
      return {row.begin() + 1, row.end()};
  }
  ADD_FAILURE() << "no row at " << t;
  return std::vector<double>(18, 0.0);
}

// Largest error at time t of positions, and of angular velocities in the links' own axes.
std::pair<double, double> three_link_error(double h, double t, int order, const std::string& gyroscopic) {
  Mechanism mechanism = model("three-link-pendulum");
  mechanism.plan.coordinates = "reference";
  mechanism.plan.gyroscopic = gyroscopic;
  const State s = after(mechanism, h, t, order);
  const std::vector<double> exact = three_links_at(t);
  std::pair<double, double> error{0, 0};
  for (std::size_t b = 0; b < 3; ++b)
    for (std::size_t i = 0; i < 3; ++i) {
      error.first = std::max(error.first, std::abs(s.q[7 * b + i] - exact[6 * b + i]));
      error.second = std::max(error.second, std::abs(s.v[6 * b + 3 + i] - exact[6 * b + 3 + i]));
    }
  return error;
}

// Table 3's pendulum in Euler parameters, (43). As printed the scheme is of first order: ωʰ comes from the
// predictor, whose multipliers lack the centripetal part. With ωʰ from the corrector it is of second order.
TEST(Welch, ThreeLinkPendulumInEulerParameters) {
  const double h = 5e-4, t = 1;
  struct Case {
    int order;
    const char* gyroscopic;
    double observed;
    double known;  // an independent program's error of positions, from its step of 2.5e-5 s; 0: not known
  };
  for (const Case& c : {Case{2, "corrected", 2, 2.3e-9 * 400}, Case{2, "predicted", 1, 6.2e-7 * 20},
                        Case{1, "corrected", 1, 0}}) {
    const auto coarse = three_link_error(h, t, c.order, c.gyroscopic),
               fine = three_link_error(h / 2, t, c.order, c.gyroscopic);
    EXPECT_NEAR(std::log2(coarse.first / fine.first), c.observed, 0.15)
        << c.gyroscopic << ", order " << c.order;
    EXPECT_NEAR(std::log2(coarse.second / fine.second), c.observed, 0.15)
        << c.gyroscopic << ", order " << c.order;
    // Its figures have two digits, and the leading term of the error is not all of it.
    if (c.known > 0) {
      EXPECT_NEAR(coarse.first, c.known, 0.05 * c.known) << c.gyroscopic;
    }
  }
}

TEST(Welch, RefusesMasslessDirections) {
  const Mechanism mechanism = model("bricard");
  Simulation simulation(mechanism, algebraic(mechanism, 1e-3, 2));
  const AssemblyReport assembly = simulation.assemble();
  EXPECT_EQ(assembly.report.outcome, Outcome::refused);
  EXPECT_NE(assembly.report.message.find("needs mass in every direction"), std::string::npos);
}

}  // namespace
}  // namespace trammel::tests::welch_test
