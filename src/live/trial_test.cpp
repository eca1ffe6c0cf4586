#include "live/trial.h"

#include <cmath>

#include "live/live_test_support.h"
#include "trammel/model.h"

namespace trammel::live::trial_test {
namespace {

const std::atomic<bool> kGoOn{false};

// A trial is the run that `trammel run` makes: the same columns at the same times.
TEST(Trial, IsARunOfTheModelWithOtherSettings) {
  const Json reply =
      run_trial(kDoublePendulum, "t.yaml",
                {{"do", "try"},
                 {"settings", {"parameters.L=2", "--formulation=lagrange", "--integrator=rk4"}},
                 {"signals", {"inner.angle"}},
                 {"duration", 0.5},
                 {"points", 11},
                 {"poses", true}},
                kGoOn);
  ASSERT_EQ(reply["t"].size(), 11U);
  EXPECT_EQ(reply["poses"].size(), 11U * 14U);
  const ModelInput model = read_model_text(kDoublePendulum, "t.yaml",
                                           {"parameters.L=2", "--formulation=lagrange", "--integrator=rk4"});
  Simulation simulation(model.value(), model.value().plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (int k = 1; k < 11; ++k) {
    ASSERT_TRUE(simulation.advance_to(0.05 * k).report.accepted());
    EXPECT_NEAR(reply["columns"][0][static_cast<std::size_t>(k)], simulation.value("inner.angle"), 1e-12)
        << k;
  }
}

TEST(Trial, RefusesWhatCannotBeRun) {
  const auto run = [](const Json& command) { return run_trial(kDoublePendulum, "t.yaml", command, kGoOn); };
  EXPECT_THROW(run({{"do", "try"}, {"signals", {"nothing.angle"}}}), std::invalid_argument);
  EXPECT_THROW(run({{"do", "try"}, {"signals", Json::array()}, {"duration", -1}}), std::invalid_argument);
  EXPECT_THROW(run({{"do", "try"}, {"signals", Json::array()}, {"settings", {"parameters.X=1"}}}),
               std::invalid_argument);
}

}  // namespace
}  // namespace trammel::live::trial_test
