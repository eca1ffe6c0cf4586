// Derivatives by differences against those on paper.
#include "trammel/user.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trammel::mechanism::user_test {
namespace {

using Vec3 = Eigen::Vector3d;

// f = −s² r/|r|³ between two points, and drag on the second: of order one at any size s.
class Attraction final : public UserForce {
 public:
  explicit Attraction(double size) : size_(size) {}
  std::vector<UserPoint> points() const override { return {{"a", Vec3::Zero()}, {"b", Vec3::Zero()}}; }
  void force(double, Points x, Points v, Forces f) const override {
    const Vec3 r = x[1] - x[0];
    f[0] = size_ * size_ * r / std::pow(r.norm(), 3);
    f[1] = -f[0] - 0.1 * v[1].norm() * v[1];
  }
  double length_scale() const override { return size_; }

 private:
  double size_;
};

TEST(UserForce, DifferencesHoldTenDigits) {
  for (const double size : {1e-3, 1.0, 1e3}) {
    const std::vector<Vec3> x{Vec3(0, 0, 0), size * Vec3(1, 2, 2)}, v{Vec3(1, 1, 1), Vec3(2, -1, 2)};
    Eigen::MatrixXd K(6, 6), C(6, 6);
    Attraction(size).derivatives(0, x, v, K, C);
    const Vec3 r = x[1];
    const double n = r.norm();
    const Eigen::Matrix3d d =
        size * size * (Eigen::Matrix3d::Identity() / std::pow(n, 3) - 3 * r * r.transpose() / std::pow(n, 5));
    Eigen::MatrixXd exact(6, 6);
    exact << -d, d, d, -d;
    // Ten digits of the force, whose change is a tenth of it.
    EXPECT_LT((K - exact).norm(), 1e-8 * exact.norm()) << size;
    Eigen::MatrixXd drag = Eigen::MatrixXd::Zero(6, 6);
    drag.block<3, 3>(3, 3) = -0.3 * Eigen::Matrix3d::Identity() - 0.1 * v[1] * v[1].transpose() / 3;
    EXPECT_LT((C - drag).norm(), 1e-8 * drag.norm()) << size;
  }
}

// A sphere of radius 2 + sin t.
class BreathingSphere final : public UserConstraint {
 public:
  explicit BreathingSphere(double size) : size_(size) {}
  std::vector<UserPoint> points() const override { return {{"a", Vec3::Zero()}}; }
  double scale() const override { return size_ * size_; }
  double value(double t, Points x) const override {
    return 0.5 * (x[0].squaredNorm() - std::pow(size_ * (2 + std::sin(t)), 2));
  }
  double length_scale() const override { return size_; }

 private:
  double size_;
};

TEST(UserConstraint, DifferencesHoldTheDigitsTheyPromise) {
  for (const double size : {1e-3, 1.0, 1e3})
    for (const double speed : {0.0, 0.1, 30.0}) {
      const BreathingSphere sphere(size);
      const double t = 0.7, s = std::sin(t), c = std::cos(t);
      const std::vector<Vec3> x{size * Vec3(1, 2, 0.5)}, v{size * speed * Vec3(1, -1, 0.3)};
      std::vector<Vec3> g(1);
      sphere.gradient(t, x, g);
      EXPECT_LT((g[0] - x[0]).norm(), 1e-11 * x[0].norm()) << size;
      const double unit = size * size;
      EXPECT_NEAR(sphere.time_derivative(t, x), -unit * (2 + s) * c, 1e-11 * unit);
      const double gamma = v[0].squaredNorm() - unit * (c * c - (2 + s) * s);
      EXPECT_NEAR(sphere.gamma(t, x, v), gamma, 1e-9 * (unit + v[0].squaredNorm())) << size << " " << speed;
    }
}

}  // namespace
}  // namespace trammel::mechanism::user_test
