// Coordinates from poses where a lowering has no way of its own: Gauss–Newton on poses().
//
// A body's twist is linear in v, so that the twists of unit velocities are the Jacobian J of the poses along
// q ⊕ δ:
//
//   positions:   min Σ_b ‖(x_b* − x_b, rotation from R_b to R_b*) − J_b δ‖²   in the metric of mass, repeated
//   velocities:  min Σ_b ‖twist_b* − J_b v‖²                                  at once
#include <Eigen/Dense>
#include <algorithm>

#include "linalg/dense.h"
#include "system/system.h"

namespace trammel::system {
namespace {

constexpr int kMaxIterations = 100;
constexpr double kPlaced = 1e-14;  // of the length scale: rounding
// No coordinate moves further than this part of what counts as one in an iteration.
constexpr double kLargestMove = 0.5;
// Weight of a direction without mass, against the body's or one.
constexpr double kMassless = 1e-10;

using Twists = Eigen::MatrixXd;  // six rows per body

// Square root of each body's inertia: six rows that turn a twist into what is to be made small.
std::vector<Mat6> metrics(std::span<const Body> bodies, std::span<const Pose> poses, double length) {
  std::vector<Mat6> all;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const double mass = bodies[b].mass > 0 ? bodies[b].mass : kMassless;
    const Mat3 inertia = poses[b].axes * bodies[b].inertia * poses[b].axes.transpose() +
                         kMassless * mass * length * length * Mat3::Identity();
    Mat6 root = Mat6::Zero();
    root.topLeftCorner<3, 3>() = std::sqrt(mass) * Mat3::Identity();
    const linalg::SymmetricEigen principal = linalg::symmetric_eigen(inertia);
    root.bottomRightCorner<3, 3>() =
        principal.vectors * principal.values.cwiseSqrt().asDiagonal() * principal.vectors.transpose();
    all.push_back(root);
  }
  return all;
}

Eigen::VectorXd stack(std::span<const Pose> poses) {
  Eigen::VectorXd twist(6 * static_cast<Eigen::Index>(poses.size()));
  for (std::size_t b = 0; b < poses.size(); ++b)
    twist.segment<6>(6 * static_cast<Eigen::Index>(b)) << poses[b].velocity, poses[b].angular_velocity;
  return twist;
}

}  // namespace

void System::place(std::span<const Body> bodies, std::span<const Pose> poses, State& s) const {
  const std::vector<Mat6> metric = metrics(bodies, poses, length_scale());
  const auto weighted = [&](Eigen::VectorXd twist) {
    for (std::size_t b = 0; b < metric.size(); ++b) {
      auto part = twist.segment<6>(6 * static_cast<Eigen::Index>(b));
      part = (metric[b] * part).eval();
    }
    return twist;
  };
  const auto jacobian = [&] {
    State unit = s;
    Twists J(6 * static_cast<Eigen::Index>(poses.size()), sizes().v);
    std::fill(unit.v.begin(), unit.v.end(), 0.0);
    for (std::size_t k = 0; k < unit.v.size(); ++k) {
      unit.v[k] = 1;
      J.col(static_cast<Eigen::Index>(k)) = weighted(stack(this->poses(unit)));
      unit.v[k] = 0;
    }
    return J;
  };
  for (int i = 0; i < kMaxIterations; ++i) {
    std::vector<Pose> off = this->poses(s);
    for (std::size_t b = 0; b < off.size(); ++b) {
      const Eigen::AngleAxisd turn(Mat3(poses[b].axes * off[b].axes.transpose()));
      off[b].velocity = poses[b].position - off[b].position;
      off[b].angular_velocity = turn.angle() * turn.axis();
    }
    Eigen::VectorXd delta = linalg::least_squares(jacobian(), weighted(stack(off)));
    double largest = 0;
    for (std::size_t k = 0; k < s.v.size(); ++k)
      largest = std::max(largest, std::abs(delta[static_cast<Eigen::Index>(k)]) / coordinate_scale()[k]);
    if (largest > kLargestMove) delta *= kLargestMove / largest;
    retract(s.q, std::span(delta.data(), s.v.size()));
    normalize(s.q);
    if (largest <= kPlaced) break;
  }
  const Eigen::VectorXd v = linalg::least_squares(jacobian(), weighted(stack(poses)));
  std::copy(v.begin(), v.end(), s.v.begin());
}

}  // namespace trammel::system
