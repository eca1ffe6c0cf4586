// Derivatives of a person's own forces and constraints by differences.
//
//   f'(0)  ≈ [f(h) − f(−h)] / 2h                                      error h², rounding ε/h:  h = ε^⅓
//   f'(0)  ≈ [8 (f(h) − f(−h)) − (f(2h) − f(−2h))] / 12h              error h⁴, rounding ε/h:  h = ε^⅕
//   f''(0) ≈ [16 (f(h) + f(−h)) − (f(2h) + f(−2h)) − 30 f(0)] / 12h²  error h⁴, rounding ε/h²: h = ε^⅙
#include "trammel/user.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trammel {
namespace {

constexpr double kSecondOrder = 6.06e-6;  // ε^⅓
constexpr double kFourthOrder = 7.40e-4;  // ε^⅕
constexpr double kCurvature = 2.46e-3;    // ε^⅙

using Vectors = std::array<Eigen::Vector3d, kMaxUserPoints>;

Vectors copy(UserVectors from) {
  Vectors to;
  std::copy(from.begin(), from.end(), to.begin());
  return to;
}

// f at `at` moved along one component of one point.
template <class F>
auto moved(Vectors& at, std::size_t point, int component, double by, F&& f) {
  const double here = at[point][component];
  at[point][component] = here + by;
  auto value = f();
  at[point][component] = here;
  return value;
}

template <class F>
double slope(double h, F&& f) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

}  // namespace

void UserForce::derivatives(double t, Points x, Points v, Eigen::Ref<Eigen::MatrixXd> K,
                            Eigen::Ref<Eigen::MatrixXd> C) const {
  const std::size_t n = x.size();
  Vectors moved_x = copy(x), moved_v = copy(v);
  const auto force_there = [&] {
    Vectors f;
    std::fill_n(f.begin(), n, Eigen::Vector3d::Zero());
    force(t, {moved_x.data(), n}, {moved_v.data(), n}, {f.data(), n});
    return f;
  };
  const auto fill = [&](Vectors& at, double h, Eigen::Ref<Eigen::MatrixXd>& out) {
    for (std::size_t j = 0; j < n; ++j)
      for (int c = 0; c < 3; ++c) {
        const Vectors ahead = moved(at, j, c, h, force_there), behind = moved(at, j, c, -h, force_there);
        for (std::size_t i = 0; i < n; ++i)
          out.block<3, 1>(3 * static_cast<Eigen::Index>(i), 3 * static_cast<Eigen::Index>(j) + c) =
              (ahead[i] - behind[i]) / (2 * h);
      }
  };
  fill(moved_x, kSecondOrder * length_scale(), K);
  fill(moved_v, kSecondOrder * speed_scale(), C);
}

void UserConstraint::gradient(double t, Points x, Gradients g) const {
  Vectors at = copy(x);
  const auto value_there = [&] { return value(t, {at.data(), x.size()}); };
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int c = 0; c < 3; ++c)
      g[i][c] =
          slope(kFourthOrder * length_scale(), [&](double by) { return moved(at, i, c, by, value_there); });
}

double UserConstraint::time_derivative(double t, Points x) const {
  return slope(kFourthOrder * time_scale(), [&](double by) { return value(t + by, x); });
}

// The second derivative along the motion x + s v, t + s.
double UserConstraint::gamma(double t, Points x, Points v) const {
  double fastest = length_scale() / time_scale();
  for (const Eigen::Vector3d& velocity : v) fastest = std::max(fastest, velocity.norm());
  const double h = kCurvature * length_scale() / fastest;
  const auto along = [&](double s) {
    Vectors at = copy(x);
    for (std::size_t i = 0; i < v.size(); ++i) at[i] += s * v[i];
    return value(t + s, {at.data(), x.size()});
  };
  const double near = along(h) + along(-h), far = along(2 * h) + along(-2 * h);
  return (16 * near - far - 30 * along(0)) / (12 * h * h);
}

}  // namespace trammel
