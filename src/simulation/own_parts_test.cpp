// A force or constraint of a person's own that loses its finite value is named where a run ends.
#include "simulation/own_parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "trammel/model_builder.h"
#include "trammel/run.h"

namespace trammel::tests::own_parts_test {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// −x, until a time.
struct Breaks final : UserForce {
  Breaks(double end, double derivatives) : end_(end), derivatives_(derivatives) {}
  std::vector<UserPoint> points() const override { return {{"ball", {0, 0, 0}}}; }
  void force(double t, Points x, Points, Forces f) const override {
    f[0] = t > end_ ? Eigen::Vector3d(kNothing, 0, 0) : Eigen::Vector3d(-x[0]);
  }
  void derivatives(double, Points, Points, Eigen::Ref<Eigen::MatrixXd> K,
                   Eigen::Ref<Eigen::MatrixXd> C) const override {
    K.setIdentity();
    K *= -derivatives_;
    C.setZero();
  }
  double end_, derivatives_;
};

// y = 0, until a time.
struct Track final : UserConstraint {
  explicit Track(double end) : end_(end) {}
  std::vector<UserPoint> points() const override { return {{"ball", {0, 0, 0}}}; }
  double scale() const override { return 1; }
  double value(double t, Points x) const override { return t > end_ ? kNothing : x[0].y(); }
  double end_;
};

ModelBuilder ball() {
  ModelBuilder m("ball");
  m.gravity({0, -9.81, 0});
  m.body("ball").mass("2 kg").inertia({1, 1, 1});
  return m;
}

RunSummary run_of(const ModelBuilder& builder) {
  Mechanism mechanism = builder.build().value();
  mechanism.plan.verify = false;
  Simulation simulation(mechanism, mechanism.plan);
  return run(simulation).summary;
}

TEST(OwnParts, AForceThatIsNoLongerFiniteIsNamed) {
  for (const bool fixed : {false, true}) {
    ModelBuilder m = ball();
    m.force("wind", std::make_shared<Breaks>(0.5, 1));
    m.simulate().duration("1 s");
    if (fixed) m.simulate().step("1 ms");
    const RunSummary summary = run_of(m);
    EXPECT_EQ(summary.status, RunStatus::failed);
    EXPECT_NEAR(summary.time, 0.5, 2e-3);
    EXPECT_NE(summary.message.find("force 'wind' is (nan, 0, 0) N on 'ball' from about t = 0.5"),
              std::string::npos)
        << summary.message;
    EXPECT_NE(summary.message.find("; look whether it divides by zero"), std::string::npos);
  }
}

TEST(OwnParts, ADerivativeThatIsNotFiniteIsNamed) {
  ModelBuilder m = ball();
  m.force("soft", std::make_shared<Breaks>(10, kNothing));
  m.simulate().duration("1 s").step("1 ms");
  const RunSummary summary = run_of(m);
  EXPECT_EQ(summary.status, RunStatus::failed);
  EXPECT_NE(summary.message.find("force 'soft' has derivatives that are not finite"), std::string::npos)
      << summary.message;
}

TEST(OwnParts, AConstraintThatIsNoLongerFiniteIsNamed) {
  ModelBuilder m = ball();
  m.constraint("track", std::make_shared<Track>(0.5));
  m.simulate().duration("1 s");
  const RunSummary summary = run_of(m);
  EXPECT_EQ(summary.status, RunStatus::failed);
  // Differences in time look ahead.
  EXPECT_NE(summary.message.find("constraint 'track' "), std::string::npos) << summary.message;
  EXPECT_NE(summary.message.find(" from about t = 0.49"), std::string::npos) << summary.message;
}

}  // namespace
}  // namespace trammel::tests::own_parts_test
