// The energy balance of a run is judged by the energy that its bodies have and exchange: kinetic energy, and
// the ranges of potential energy and work.
#include "simulation/run_watch.h"

#include <gtest/gtest.h>

#include "trammel/model.h"

namespace trammel::tests::run_watch_test {
namespace {

RunSummary summary_of(const std::string& text) {
  const Mechanism mechanism = read_model_text("trammel: 1\nplane: xy\n" + text, "test.yaml").value();
  Simulation simulation(mechanism, mechanism.plan);
  return run(simulation).summary;
}

// A crank that turns once in 100 minutes lifts and lowers weights of 8 J with a kinetic energy of 2e-7 J.
std::string slow_crank(const std::string& plan) {
  return R"(gravity: [0, -9.81]
parameters: {speed: 0.01 rpm}
points: {O: {at: [0, 0], on: ground}, A: [0.3, 0.01], B: [0.9, 0]}
bodies:
  crank: {rod: [O, A], mass: 1, length: 0.3}
  coupler: {rod: [A, B], mass: 2, length: 0.6}
  slider: {point: B, mass: 1}
joints: {guide: {point-on-line: B, through: [0, 0], along: [1, 0]}}
drivers: {motor: {angle: crank, equals: speed*t}}
simulate: )" +
         plan + "\n";
}

TEST(EnergyBalance, ADriverThatLiftsWeightsSlowlyIsNotDoubtful) {
  for (const char* plan : {"{duration: 6000 s, step: 5 s}", "{duration: 6000 s, step: 30 s}"}) {
    const RunSummary summary = summary_of(slow_crank(plan));
    EXPECT_TRUE(summary.warnings.empty()) << plan << ": " << summary.warnings.front();
    EXPECT_LT(summary.status, RunStatus::marked) << plan;
  }
}

// With four steps a turn the work errs by more than a thousandth of the energy that it lifts.
TEST(EnergyBalance, ADriverWhoseWorkIsWrongIsDoubtful) {
  const RunSummary summary = summary_of(slow_crank("{duration: 6000 s, step: 1500 s}"));
  EXPECT_EQ(summary.status, RunStatus::doubtful) << summary.energy_drift;
}

// A pendulum beside a heavy weight high up: that potential energy does not change, and excuses nothing.
TEST(EnergyBalance, APotentialThatRestsDoesNotHideADrift) {
  const std::string model = R"(gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies:
  rod: {rod: [O, A], mass: 1}
  weight: {mass: 1000, inertia: 1, at: [5, 1000]}
joints: {hold: {fixed: [weight, ground]}}
simulate: {duration: 2 s, step: 0.01 s, formulation: augmented-lagrangian, integrator: euler}
)";
  const RunSummary summary = summary_of(model);
  EXPECT_EQ(summary.status, RunStatus::doubtful) << summary.message << summary.energy_drift;
}

}  // namespace
}  // namespace trammel::tests::run_watch_test
