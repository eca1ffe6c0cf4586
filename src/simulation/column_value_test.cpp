// A simulation reads by name what a run writes into the column of that name.
#include "simulation/column_value.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/motion_reader.h"
#include "trammel/run.h"

namespace trammel::tests::column_value_test {
namespace {

std::string refusal(const Simulation& simulation, const std::string& name) {
  try {
    simulation.value(name);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

// In the plane and in space, with states, outputs and inputs, with reactions that are not unique.
TEST(ColumnValue, IsThatOfTheResults) {
  for (const char* file :
       {"four-bar", "controlled-pendulum", "spatial-slider-crank", "bricard", "end-stops"}) {
    Mechanism mechanism = read_model(std::string(kSourceDir) + "/models/" + file + ".yaml").value();
    mechanism.plan.verify = false;
    mechanism.plan.duration = 0.2;
    Simulation simulation(mechanism, mechanism.plan);
    const RunResult result = run(simulation);
    ASSERT_NE(result.summary.status, RunStatus::failed) << result.summary.message;
    const std::span<const double> last = result.trajectory.row(result.trajectory.rows() - 1);
    for (std::size_t c = 0; c < last.size(); ++c) {
      const Channel& channel = result.trajectory.channels[c];
      if (channel.group == "solver" || channel.group == "violation") continue;
      const double value = simulation.value(channel.name);
      // To the bit, but for what rows within the last step are and its end is not.
      EXPECT_NEAR(value, last[c], 1e-9 * (1 + std::abs(last[c]))) << file << ": " << channel.name;
      EXPECT_EQ(std::isnan(value), std::isnan(last[c])) << file << ": " << channel.name;
    }
    EXPECT_GE(simulation.value("violation.position"), 0);
    EXPECT_LT(simulation.value("violation.position"), 1e-9);
  }
}

TEST(ColumnValue, RefusesNamesWithAdvice) {
  const Mechanism mechanism = read_model(std::string(kSourceDir) + "/models/four-bar.yaml").value();
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const std::string body = mechanism.bodies.front().name;
  EXPECT_EQ(refusal(simulation, body + ".rate").find("there is no value '" + body + ".rate'; "), 0U);
  EXPECT_NE(refusal(simulation, body + ".rate").find(body + ".omega"), std::string::npos);
  EXPECT_NE(refusal(simulation, "energy.kinetik").find("did you mean 'energy.kinetic'?"), std::string::npos);
  EXPECT_NE(refusal(simulation, "iterations").find("tells of a step"), std::string::npos);
}

}  // namespace
}  // namespace trammel::tests::column_value_test
