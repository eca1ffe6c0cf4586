// Every analysis on every model: an answer, or a refusal with its reason.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "analysis/assembly_branches.h"
#include "analysis/inverse_dynamics.h"
#include "analysis/kinematics.h"
#include "analysis/workspace.h"
#include "tests/source_dir.h"
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
      EXPECT_FALSE(report.message.empty());
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
  const analysis::Kinematics found = analysis::kinematics(mechanism, mechanism.plan, {});
  expect_answer(found.report, found.motion.rows() > 0 && found.violation < 1e-10);
}

TEST_P(AnalysesOf, InverseAnswersOrTellsWhy) {
  for (const bool hold : {false, true}) {
    analysis::InverseOptions options;
    options.hold = hold;
    const analysis::InverseDynamics found = analysis::inverse_dynamics(mechanism, mechanism.plan, options);
    expect_answer(found.report, found.motion.rows() == 21 && found.violation < 1e-10);
  }
}

TEST_P(AnalysesOf, PositionsAnswerOrTellWhy) {
  const analysis::DrivenStart start =
      analysis::driven_start(mechanism, mechanism.plan, analysis::Undriven::held, true);
  if (!start.report.accepted()) return expect_answer(start.report, false);
  const analysis::BranchSearch found = analysis::find_branches(*start.simulation, 10, 1);
  EXPECT_GE(found.branches.size(), 1u);
  for (const analysis::AssemblyBranch& one : found.branches) EXPECT_LT(one.residual, 1e-9);
}

TEST_P(AnalysesOf, WorkspaceAnswersOrTellsWhy) {
  analysis::WorkspaceOptions options;
  options.most = 200;
  options.starts = 3;
  options.cells = 30;
  if (!mechanism.bodies.empty()) options.point = mechanism.bodies.back().name + ".com";
  const analysis::Workspace found = analysis::workspace(mechanism, mechanism.plan, options);
  expect_answer(found.report, !found.points.empty() && std::isfinite(found.boundary.area));
}

}  // namespace
}  // namespace trammel::tests::analyses_test
