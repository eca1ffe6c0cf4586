// The uncontrolled bicycle of Meijaard, Papadopoulos, Ruina & Schwab (2007): eigenvalues of straight upright
// running, from the motion of the nonlinear model a little off balance.
//
// Lean, steer and their rates x obey, for small deviations, x(t + τ) = X x(t): X is fitted to two motions,
// one that starts leaning and one that starts steering, and an eigenvalue of it is exp(λτ). Left and right
// are alike, so that what is left of the deviation's size ε is ε², and two sizes remove it.
#include "reproduce/bicycle.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "linalg/dense.h"
#include "reproduce/trial.h"
#include "system/system.h"

namespace trammel::reproduce {
namespace {

using Eigen::Matrix4d;
using Eigen::Vector4d;

constexpr double kDeviation = 2e-3;     // rad; its fourth power is below what error control leaves of it
constexpr int kLag = 5, kSamples = 25;  // steps of the model, 10 ms: τ = 50 ms, long enough to see and short
                                        // enough for the fastest mode to be there still

// To first order: the lean, the steer times a constant, and their rates, seen from no heading.
Vector4d deviation(const Trial& trial) {
  const std::vector<Pose> poses = trial.poses();
  const Pose &frame = poses.at(1), &fork = poses.at(2);
  const Vec3 side = frame.axes.col(1), forward = frame.axes.col(0), steered = fork.axes.col(1);
  const Vec3 side_rate = frame.angular_velocity.cross(side),
             forward_rate = frame.angular_velocity.cross(forward),
             steered_rate = fork.angular_velocity.cross(steered);
  return {side.z(), forward.dot(steered), side_rate.z(),
          forward_rate.dot(steered) + forward.dot(steered_rate)};
}

// Each motion is scaled to one before the fit.
void sample(const Item& item, double speed, const std::string& start, double size,
            std::vector<Vector4d>& before, std::vector<Vector4d>& after) {
  Trial trial(
      item, "",
      {fmt::format("parameters.v={:.17g}", speed), fmt::format("parameters.{}={:.17g}", start, size)});
  std::vector<Vector4d> x;
  trial.watch(kSamples * trial.plan().step, [&] { x.push_back(deviation(trial) / size); });
  for (std::size_t k = 0; k + kLag < x.size(); ++k) {
    before.push_back(x[k]);
    after.push_back(x[k + kLag]);
  }
}

Matrix4d fitted_map(const Item& item, double speed, double size) {
  std::vector<Vector4d> before, after;
  sample(item, speed, "lean", size, before, after);
  sample(item, speed, "steer_rate", 10 * size, before, after);
  const auto n = static_cast<Eigen::Index>(before.size());
  Eigen::MatrixXd b(n, 4), a(n, 4);
  for (Eigen::Index i = 0; i < n; ++i) {
    b.row(i) = before[static_cast<std::size_t>(i)].transpose();
    a.row(i) = after[static_cast<std::size_t>(i)].transpose();
  }
  return linalg::least_squares(b, a).transpose();
}

}  // namespace

std::vector<std::complex<double>> bicycle_eigenvalues(const Item& item, double speed) {
  const Matrix4d coarse = fitted_map(item, speed, kDeviation), fine = fitted_map(item, speed, kDeviation / 2);
  const Matrix4d X = fine + (fine - coarse) / 3;
  const double tau = kLag * mechanism_of(item).plan.step;
  std::vector<std::complex<double>> values;
  for (const std::complex<double>& value : linalg::eigenvalues(X)) values.push_back(std::log(value) / tau);
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
    return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
  });
  return values;
}

}  // namespace trammel::reproduce
