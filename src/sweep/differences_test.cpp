// Derivatives by differences of runs: exact for parabolas; what the runs do not show is not taken for a
// derivative.
#include "sweep/differences.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "results/files/test_support.h"
#include "sweep/counter_random.h"
#include "sweep/distribution.h"
#include "trammel/fit.h"
#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::sweep::differences_test {
namespace {

using FitByDifferences = results::ResultsTest;

TEST(Differences, StepsStayWithinTheBounds) {
  for (const double x : {0.0, 1e-6, 0.3, 1 - 1e-6, 1.0})
    for (const double step : {1e-4, 10.0}) {
      const auto [u, w] = difference_steps(x, step, 0, 1);
      EXPECT_NE(u, w);
      for (const double at : {x + u, x + w}) EXPECT_TRUE(at >= 0 && at <= 1 && at != x) << x << " " << step;
    }
}

TEST(Differences, AreExactForParabolas) {
  const auto f = [](double x) { return Eigen::VectorXd::Constant(1, 3 + 2 * x - 5 * x * x); };
  for (const auto& [u, w] : {std::pair(0.1, -0.1), std::pair(0.1, 0.2), std::pair(-0.1, -0.2)})
    EXPECT_NEAR(difference(f(0.4), f(0.4 + u), u, f(0.4 + w), w).slope[0], 2 - 10 * 0.4, 1e-12);
}

// Residuals whose errors do not depend on the parameter are no derivative, and a true derivative in one of
// two columns of data is one.
TEST(Differences, ErrorsOfRunsAreNotVisible) {
  const auto noise = [](std::uint64_t run) {
    Eigen::VectorXd r(40);
    for (Eigen::Index k = 0; k < r.size(); ++k)
      r[k] = normal_quantile(unit_number(random_bits(7, Stream::noise, run, static_cast<std::uint32_t>(k))));
    return r;
  };
  EXPECT_FALSE(is_visible(difference(noise(0), noise(1), 1e-4, noise(2), -1e-4), 2));
  Eigen::VectorXd slope = Eigen::VectorXd::Zero(40);
  slope.tail(20).setConstant(100);
  EXPECT_TRUE(is_visible(difference(noise(0), noise(1) + slope, 1e-4, noise(2) - slope, -1e-4), 2));
}

// The period of a pendulum does not depend on its mass. Runs with step size control have errors that do.
TEST_F(FitByDifferences, TheMassOfAPendulumIsNotDetermined) {
  const Mechanism pendulum = read_model_text(R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
parameters: {L: 1 m, mass: 2 kg}
points: {O: {at: [0, 0], on: ground}, A: [L, 0]}
bodies: {rod: {rod: [O, A], mass: mass, length: L}}
outputs: {interval: 0.02}
simulate: {duration: 2}
)",
                                             "pendulum.yaml")
                                 .value();
  Simulation simulation(pendulum.source->with({{"L", 0.8}}), pendulum.plan);
  const RunResult truth = run(simulation);
  const std::vector<double> t = truth.trajectory.column("t"), y = truth.trajectory.column("A.y");
  const std::string data = (folder() / "data.csv").string();
  {
    std::ofstream file(data);
    file << "t,A.y\n";
    for (std::size_t k = 0; k < t.size(); ++k)
      file << fmt::format("{},{}\n", t[k],
                          y[k] + 1e-3 * normal_quantile(unit_number(random_bits(3, Stream::noise, k, 0))));
  }
  const FitResult alone = fit(pendulum, {.parameters = {"L"}, .data = data});
  ASSERT_TRUE(alone.converged) << alone.message;
  for (const double tolerance : {0.0, 1e-9, 1e-12}) {
    Mechanism model = pendulum;
    if (tolerance > 0) model.plan.tolerance = tolerance;
    const FitResult both = fit(model, {.parameters = {"L", "mass"}, .data = data});
    ASSERT_TRUE(both.converged) << both.message;
    EXPECT_NE(both.message.find("the measurements do not determine mass:"), std::string::npos)
        << both.message << both.parameters[1].error;
    EXPECT_TRUE(std::isinf(both.parameters[1].error));
    EXPECT_EQ(both.parameters[1].value, 2);
    // The length is as well known as without it; runs of other tolerances differ by less than a percent.
    EXPECT_NEAR(both.parameters[0].error, alone.parameters[0].error, 0.01 * alone.parameters[0].error);
    EXPECT_NEAR(both.parameters[0].value, 0.8, 3 * alone.parameters[0].error);
  }
}

}  // namespace
}  // namespace trammel::sweep::differences_test
