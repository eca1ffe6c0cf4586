// A motion that goes on in another Simulation of the same mechanism is the same motion: every model, in every
// kind of coordinates, by the lowering's own way from poses to coordinates and by the general one.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "analysis/acceptance.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"
#include "system/system.h"
#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::take_over_test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> models() {
  std::vector<std::string> all;
  const fs::path folder = fs::path(kSourceDir) / "models";
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".yaml")
      all.push_back(entry.path().lexically_relative(folder).replace_extension().string());
  std::sort(all.begin(), all.end());
  return all;
}

class CarriedOver : public testing::TestWithParam<std::string> {
 protected:
  CarriedOver()
      : mechanism_(read_model((fs::path(kSourceDir) / "models" / (GetParam() + ".yaml")).string()).mechanism),
        simulation_(mechanism_, mechanism_.plan) {
    mechanism_.stop_when.clear();
    EXPECT_TRUE(simulation_.assemble().report.accepted());
    const double h = simulation::landing_interval(mechanism_.plan);
    for (int k = 0; k < 100; ++k) EXPECT_TRUE(simulation_.step(h).report.accepted());
    poses_ = simulation_.system().poses(simulation_.state());
  }

  void expect_poses(const std::vector<Pose>& poses, double tolerance, double twist_tolerance) const {
    ASSERT_EQ(poses.size(), poses_.size());
    for (std::size_t b = 0; b < poses.size(); ++b) {
      EXPECT_LT((poses[b].position - poses_[b].position).norm(), tolerance) << b;
      EXPECT_LT((poses[b].axes - poses_[b].axes).norm(), tolerance) << b;
      EXPECT_LT((poses[b].velocity - poses_[b].velocity).norm(), twist_tolerance) << b;
      EXPECT_LT((poses[b].angular_velocity - poses_[b].angular_velocity).norm(), twist_tolerance) << b;
    }
  }

  Mechanism mechanism_;
  Simulation simulation_;
  std::vector<Pose> poses_;
};

// What formulations leave of the constraints is closed anew: steps are accepted to 1e-11 of |Φ| and 1e-10 of
// |Φ̇| by the default, and left to drift by others.
TEST_P(CarriedOver, GoesOn) {
  const bool exact =
      simulation::resolve(mechanism_.plan).formulation == FormulationKind::augmented_lagrangian_index3;
  system::Terms terms = simulation_.system().make_terms();
  const std::vector<system::Reading> then = simulation_.system().readings(simulation_.state(), terms);
  for (const std::string& coordinates : simulation::known_coordinates()) {
    if ((coordinates == "generalized") != mechanism_.generalized.has_value()) continue;
    SCOPED_TRACE(coordinates);
    Plan plan = mechanism_.plan;
    plan.coordinates = coordinates;
    if (!analysis::refusal(mechanism_, plan).empty()) continue;
    Simulation next(mechanism_, plan);
    const TakeOver over = next.take_over(simulation_);
    ASSERT_TRUE(over.assembly.report.accepted()) << explain(over.assembly, next);
    expect_poses(next.system().poses(next.state()), exact ? 1e-8 : 1e-4, exact ? 1e-6 : 1e-3);
    terms = next.system().make_terms();
    const std::vector<system::Reading> now = next.system().readings(next.state(), terms);
    // Turns included. Other coordinates may know more joint angles than natural ones.
    for (const system::Reading& r : then) {
      const auto at = std::ranges::find_if(
          now, [&](const system::Reading& n) { return n.object == r.object && n.quantity == r.quantity; });
      ASSERT_NE(at, now.end()) << r.object << "." << r.quantity;
      EXPECT_NEAR(at->value, r.value, (exact ? 1e-5 : 1e-2) * (1 + std::abs(r.value)))
          << r.object << "." << r.quantity;
    }
    EXPECT_EQ(next.state().t, simulation_.state().t);
    const double h = simulation::landing_interval(plan);
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(next.step(h).report.accepted());
  }
}

// The general way, from where the model starts. In the plane natural coordinates have angles in their memory,
// so that poses do not follow from positions alone.
TEST_P(CarriedOver, IsFoundFromPoses) {
  if (poses_.empty() || mechanism_.is_planar) return;
  const system::System& system = simulation_.system();
  State s = system.initial_state();
  system.system::System::place(mechanism_.bodies, poses_, s);
  // Rounding of the last iteration, and of the drift that makes poses of bodies disagree.
  const bool exact =
      simulation::resolve(mechanism_.plan).formulation == FormulationKind::augmented_lagrangian_index3;
  expect_poses(system.poses(s), exact ? 1e-9 : 1e-5, exact ? 1e-8 : 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Models, CarriedOver, testing::ValuesIn(models()), [](const auto& model) {
  std::string name = model.param;
  for (char& c : name)
    if (c == '-' || c == '/') c = '_';
  return name;
});

}  // namespace
}  // namespace trammel::tests::take_over_test
