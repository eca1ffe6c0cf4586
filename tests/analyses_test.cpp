// Every analysis on every model: an answer, or a refusal with its reason.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/source_dir.h"
#include "trammel/analyses.h"
#include "trammel/model.h"

namespace trammel::tests::analyses_test {
namespace {

std::vector<std::string> models() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(kSourceDir) + "/models"))
    if (entry.path().extension() == ".yaml") all.push_back(entry.path().string());
  std::sort(all.begin(), all.end());
  return all;
}

class AnalysesOf : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ModelInput input = read_model(GetParam());
    ASSERT_TRUE(input.errors.empty());
    mechanism = std::move(input.mechanism);
    mechanism.plan.output_interval = mechanism.plan.duration / 20;
  }
  static void expect_answer(const Report& report, bool finite) {
    if (report.accepted())
      EXPECT_TRUE(finite);
    else
      expect_reason(report.message);
  }
  // Words for a person: no step of a run is meant, and no bug is admitted.
  static void expect_reason(const std::string& message) {
    EXPECT_GT(message.size(), 20u) << message;
    for (const char* word : {"defect", "time step", "step size", "nan"})
      EXPECT_EQ(message.find(word), std::string::npos) << message;
  }
  Mechanism mechanism;
};
INSTANTIATE_TEST_SUITE_P(Models, AnalysesOf, testing::ValuesIn(models()), [](const auto& of) {
  std::string name = std::filesystem::path(of.param).stem().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
});

TEST_P(AnalysesOf, KinematicsAnswersOrTellsWhy) {
  const Kinematics found = solve_kinematics(mechanism);
  expect_answer(found.report, found.motion.rows() > 0 && found.violation < 1e-10);
}

TEST_P(AnalysesOf, InverseAnswersOrTellsWhy) {
  for (const bool hold : {false, true}) {
    const InverseDynamics found = solve_inverse(mechanism, {.rows = 20, .hold = hold});
    expect_answer(found.report, found.motion.rows() == 21 && found.violation < 1e-10);
  }
}

TEST_P(AnalysesOf, PositionsAnswerOrTellWhy) {
  const Positions found = solve_positions(mechanism, {.starts = 10});
  bool closed = !found.branches.empty();
  for (const Positions::Branch& one : found.branches) closed = closed && one.residual < 1e-9;
  expect_answer(found.report, closed && found.table.rows() == found.branches.size());
}

TEST_P(AnalysesOf, WorkspaceAnswersOrTellsWhy) {
  const Workspace found = solve_workspace(mechanism, {.most = 200, .starts = 3, .cells = 30});
  expect_answer(found.report, !found.points.empty() && std::isfinite(found.area.value_or(0)));
}

TEST_P(AnalysesOf, EquilibriumAnswersOrTellsWhy) {
  for (const bool stable : {false, true}) {
    const Equilibria found = solve_equilibrium(mechanism, {.stable = stable});
    expect_answer(found.report, found.found.size() == 1 && found.found[0].residual < 1e-6);
  }
}

TEST_P(AnalysesOf, ModesAnswerOrTellWhy) {
  for (const ModesAt at : {ModesAt::equilibrium, ModesAt::stable, ModesAt::start}) {
    const Modes found = solve_modes(mechanism, {.at = at});
    expect_answer(found.report, found.linear.A.allFinite());
  }
}

// Each would go on for hours.
TEST(Analyses, EndWhereTheyAreInterrupted) {
  const GoOn no = [] { return false; };
  const auto of = [](const char* name) {
    return read_model(std::string(kSourceDir) + "/models/" + name).value();
  };
  const Mechanism pendulum = of("double-pendulum.yaml"), crank = of("driven-slider-crank.yaml");
  const std::string told = "the analysis was interrupted";
  EXPECT_EQ(solve_positions(pendulum, {.starts = 100'000'000, .go_on = no}).report.message, told);
  EXPECT_EQ(solve_equilibrium(pendulum, {.starts = 100'000'000, .go_on = no}).report.message, told);
  EXPECT_EQ(solve_kinematics(crank, {.rows = 2'000'000, .go_on = no}).report.message, told);
  EXPECT_EQ(solve_inverse(crank, {.rows = 2'000'000, .go_on = no}).report.message, told);
}

}  // namespace
}  // namespace trammel::tests::analyses_test
