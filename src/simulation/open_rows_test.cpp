// A row or step is marked for what is wrong with it: not for rounding, which far from the origin and in tiny
// mechanisms is larger than the bounds; and where masses differ by many orders, that is the reason given.
#include "simulation/open_rows.h"

#include <gtest/gtest.h>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::open_rows_test {
namespace {

// A four-bar of size S at X.
RunSummary four_bar(const std::vector<std::string>& settings) {
  const Mechanism mechanism = read_model_text(R"(trammel: 1
plane: xy
gravity: [0, -9.81]
parameters: {S: 1, X: 0}
points: {O: {at: [X, 0], on: ground}, D: {at: [X + S, 0], on: ground}, A: [X, 0.3*S], B: [X + S, 0.6*S]}
bodies:
  crank: {rod: [O, A], mass: 1, length: 0.3*S}
  coupler: {rod: [A, B], mass: 1, length: S}
  rocker: {rod: [B, D], mass: 1, length: 0.6*S}
simulate: {duration: 1 s, verify: off}
)",
                                              "test.yaml", settings)
                                  .value();
  Simulation simulation(mechanism, mechanism.plan);
  return run(simulation).summary;
}

class OpenRows : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, OpenRows, testing::Values("natural", "reference", "relative"),
                         [](const auto& test) { return test.param; });

// A metre at 10⁷ m has nine digits less one.
TEST_P(OpenRows, FarFromTheOriginRoundingIsNoMark) {
  for (const char* far : {"1e5", "1e7"}) {
    const RunSummary summary =
        four_bar({"simulate.coordinates=" + GetParam(), std::string("parameters.X=") + far});
    EXPECT_EQ(summary.status, RunStatus::ok) << far << summary.message;
    EXPECT_TRUE(summary.marked_steps.empty()) << far << ": " << summary.marked_steps.front().reason;
    EXPECT_LT(summary.energy_drift, 1e-5);
  }
}

// A micrometre turns ten thousand radians a second: accelerations of 10⁸ 1/s² round to 10⁻⁸.
TEST_P(OpenRows, InATinyMechanismRoundingIsNoMark) {
  for (const char* steps : {"simulate.tolerance=1e-6", "simulate.step=1e-6"})
    for (const char* size : {"20e-6", "1e-6"}) {
      const RunSummary summary = four_bar({"simulate.coordinates=" + GetParam(), steps,
                                           std::string("parameters.S=") + size, "simulate.duration=0.005"});
      EXPECT_EQ(summary.status, RunStatus::ok) << steps << ' ' << size << summary.message;
      EXPECT_TRUE(summary.marked_steps.empty())
          << steps << ' ' << size << ": " << summary.marked_steps.front().reason;
    }
}

// A slider-crank whose crank has hardly any mass.
RunSummary light_crank(const std::string& coordinates) {
  const Mechanism mechanism = read_model_text(R"(trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [0.3, 0.01], B: [0.9, 0]}
bodies:
  crank: {rod: [O, A], mass: 1e-12, length: 0.3}
  coupler: {rod: [A, B], mass: 1, length: 0.6}
  slider: {point: B, mass: 1}
joints: {guide: {point-on-line: B, through: [0, 0], along: [1, 0]}}
initial: {crank: {angular-velocity: 6}}
simulate: {duration: 0.1 s, coordinates: )" + coordinates +
                                                  "}\n",
                                              "test.yaml")
                                  .value();
  Simulation simulation(mechanism, mechanism.plan);
  return run(simulation).summary;
}

TEST(OpenRowCause, MassesThatDifferByManyOrdersAreNamed) {
  const RunSummary summary = light_crank("reference");
  ASSERT_FALSE(summary.marked_steps.empty());
  for (const MarkedStep& mark : summary.marked_steps) {
    EXPECT_EQ(mark.reason.find("singular"), std::string::npos) << mark.reason;
    EXPECT_NE(mark.reason.find("masses differ by many orders"), std::string::npos) << mark.reason;
  }
}

// The plan that is chosen by default has nothing to mark.
TEST(OpenRowCause, ByDefaultTheyAreNoReasonForAMark) {
  const RunSummary summary = light_crank("automatic");
  EXPECT_EQ(summary.status, RunStatus::ok);
  EXPECT_TRUE(summary.marked_steps.empty()) << summary.marked_steps.front().reason;
}

}  // namespace
}  // namespace trammel::tests::open_rows_test
