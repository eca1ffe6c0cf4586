// Runs whose steps shrink without end are told from those that only take many.
#include "simulation/pace.h"

#include <gtest/gtest.h>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::pace_test {
namespace {

// Steps of size h(t) until the end, or until they are hopeless; the time then.
template <class Size>
double run_by(const Size& size, double end) {
  simulation::Pace pace;
  double t = 0;
  for (double steps = 1; t < end; ++steps) {
    t += size(t);
    if (steps > 1e7 || pace.hopeless(steps, t, end)) return t;
  }
  return end;
}

TEST(Pace, ManyStepsAreNotHopeless) {
  EXPECT_EQ(run_by([](double) { return 1e-6; }, 1), 1);                      // one size
  EXPECT_EQ(run_by([](double t) { return 1e-3 / (1 + 100 * t); }, 10), 10);  // a chirp
  EXPECT_EQ(run_by([](double t) { return t < 1 ? 1e-4 : 1e-6; }, 3), 3);     // a fast phase
  EXPECT_EQ(run_by([](double t) { return 1e-4 * std::exp(-std::min(t, 4.0)); }, 8),
            8);  // that sets in slowly
}

// 1/h ∝ exp(50 t): a doubling takes 0.014 s, so that the second has 70 of them.
TEST(Pace, StepsThatShrinkExponentiallyAre) {
  const double t = run_by([](double s) { return 1e-5 * std::exp(-50 * s); }, 1);
  EXPECT_LT(t, 0.3);
}

TEST(Pace, ARunEndsWithWhatItHasAndNamesTheForce) {
  const Mechanism mechanism = read_model_text(R"(trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {rod: {rod: [O, A], mass: 1 kg}}
forces: {push: {force: [0, 10*exp(100*t)], at: A}, pull: {force: [1 + t, 0], at: A}}
simulate: {duration: 1 s, verify: off}
)",
                                              "test.yaml")
                                  .value();
  Simulation simulation(mechanism, mechanism.plan);
  const RunResult result = run(simulation);
  EXPECT_EQ(result.summary.status, RunStatus::failed);
  EXPECT_GT(result.summary.time, 0.1);
  EXPECT_GT(result.trajectory.rows(), 100u);
  const std::string& message = result.summary.message;
  EXPECT_NE(message.find("ever shorter"), std::string::npos) << message;
  EXPECT_NE(message.find("force 'push'"), std::string::npos) << message;
  EXPECT_EQ(message.find("'pull'"), std::string::npos) << message;
}

}  // namespace
}  // namespace trammel::tests::pace_test
