// A motion that goes on in another Simulation of the same mechanism is the same motion: every model, by the
// lowering's own way from poses to coordinates and by the general one.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "io/model_reader.h"
#include "system/system.h"
#include "trammel/simulation.h"

namespace trammel {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> models() {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(fs::path(TRAMMEL_SOURCE_DIR) / "models"))
    if (entry.path().extension() == ".yaml") all.push_back(entry.path().stem().string());
  std::sort(all.begin(), all.end());
  return all;
}

class CarriedOver : public testing::TestWithParam<std::string> {
 protected:
  CarriedOver()
      : mechanism_(read_model((fs::path(TRAMMEL_SOURCE_DIR) / "models" / (GetParam() + ".yaml")).string())
                       .mechanism),
        simulation_(mechanism_, mechanism_.plan) {
    mechanism_.stop_when.clear();
    EXPECT_TRUE(simulation_.assemble().report.accepted());
    const double h = mechanism_.plan.step > 0 ? mechanism_.plan.step : mechanism_.plan.duration / 1000;
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

TEST_P(CarriedOver, GoesOn) {
  Simulation next(mechanism_, mechanism_.plan);
  const TakeOver over = next.take_over(simulation_);
  ASSERT_TRUE(over.assembly.report.accepted());
  // What formulations leave of the constraints is closed anew: steps are accepted to 1e-11 of |Φ| and 1e-10
  // of |Φ̇| by the default, and left to drift by others.
  const bool exact = mechanism_.plan.formulation == Plan().formulation;
  expect_poses(next.system().poses(next.state()), exact ? 1e-8 : 1e-4, exact ? 1e-6 : 1e-3);
  Terms terms = next.system().make_terms();
  const std::vector<Reading> now = next.system().readings(next.state(), terms),
                             then = simulation_.system().readings(simulation_.state(), terms);
  ASSERT_EQ(now.size(), then.size());
  // Turns included.
  for (std::size_t k = 0; k < now.size(); ++k)
    EXPECT_NEAR(now[k].value, then[k].value, (exact ? 1e-5 : 1e-2) * (1 + std::abs(then[k].value)))
        << now[k].object << "." << now[k].quantity;
  EXPECT_EQ(next.state().t, simulation_.state().t);
}

// The general way, from where the model starts. In the plane natural coordinates have angles in their memory,
// so that poses do not follow from positions alone.
TEST_P(CarriedOver, IsFoundFromPoses) {
  if (poses_.empty() || mechanism_.is_planar) return;
  const System& system = simulation_.system();
  State s = system.initial_state();
  system.System::place(mechanism_.bodies, poses_, s);
  // Rounding of the last iteration, and of the drift that makes poses of bodies disagree.
  const bool exact = mechanism_.plan.formulation == Plan().formulation;
  expect_poses(system.poses(s), exact ? 1e-9 : 1e-5, exact ? 1e-8 : 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Models, CarriedOver, testing::ValuesIn(models()), [](const auto& model) {
  std::string name = model.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace trammel
