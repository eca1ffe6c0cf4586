// Euler parameters e = (e₀, e₁, e₂, e₃), |e| = 1: a rotation by the angle 2 acos e₀.
//
//   R = (2e₀² − 1) 1 + 2(ε εᵀ + e₀ ε̃),   ε = (e₁, e₂, e₃);   ė = ½ e∘(0, ω),  ω in the axes that are turned
//
// Increments δ are of that kind: R exp(δ̃), the product e∘exp(½δ).
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>

namespace trammel::math {

using EulerParameters = Eigen::Vector4d;

inline Eigen::Matrix3d rotation_of(const EulerParameters& e) {
  return Eigen::Quaterniond(e[0], e[1], e[2], e[3]).toRotationMatrix();
}

// The same of e/|e|, without a root: s = 2/|e|² stands for 2.
inline Eigen::Matrix3d rotation_along(const double* e) {
  const double e0 = e[0], e1 = e[1], e2 = e[2], e3 = e[3];
  const double s = 2 / (e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3);
  const double x = s * e1, y = s * e2, z = s * e3;
  const double xx = x * e1, xy = x * e2, xz = x * e3, yy = y * e2, yz = y * e3, zz = z * e3;
  const double wx = x * e0, wy = y * e0, wz = z * e0;
  Eigen::Matrix3d R;
  R << 1 - (yy + zz), xy - wz, xz + wy, xy + wz, 1 - (xx + zz), yz - wx, xz - wy, yz + wx, 1 - (xx + yy);
  return R;
}

inline EulerParameters parameters_of(const Eigen::Matrix3d& rotation) {
  const Eigen::Quaterniond q(rotation);
  return EulerParameters(q.w(), q.x(), q.y(), q.z()).normalized();
}

// a∘b: first b, then a.
inline EulerParameters compose(const EulerParameters& a, const EulerParameters& b) {
  const Eigen::Vector3d u = a.tail<3>(), w = b.tail<3>();
  EulerParameters c;
  c[0] = a[0] * b[0] - u.dot(w);
  c.tail<3>() = a[0] * w + b[0] * u + u.cross(w);
  return c;
}

// exp(½δ): the rotation by |δ| about δ.
inline EulerParameters exponential(const Eigen::Vector3d& delta) {
  const double angle = delta.norm();
  // sin(½x)/x; by its series where the next term is below rounding
  const double s = angle > 1e-4 ? std::sin(0.5 * angle) / angle : 0.5 - angle * angle / 48;
  EulerParameters e;
  e[0] = std::cos(0.5 * angle);
  e.tail<3>() = s * delta;
  return e;
}

// δ with exp(½δ) = ±e, |δ| ≤ π.
inline Eigen::Vector3d logarithm(const EulerParameters& e) {
  const Eigen::Vector3d u = e[0] < 0 ? Eigen::Vector3d(-e.tail<3>()) : Eigen::Vector3d(e.tail<3>());
  const double s = u.norm(), c = std::abs(e[0]);
  // 2 atan(s/c)/s; by its series where the next term is below rounding
  return (s > 1e-4 ? 2 * std::atan2(s, c) / s : 2 / c * (1 - s * s / (3 * c * c))) * u;
}

// The rate of δ while the axes turned by δ turn further at ω, in these axes: ω = J δ̇.
//
//   J⁻¹ = 1 + ½ δ̃ + (1/θ² − (1 + cos θ)/(2θ sin θ)) δ̃²,   θ = |δ| < 2π
inline Eigen::Vector3d logarithm_rate(const Eigen::Vector3d& delta, const Eigen::Vector3d& omega) {
  const double angle = delta.norm();
  // by its series where the next term is below rounding
  const double k = angle > 1e-2 ? 1 / (angle * angle) - (1 + std::cos(angle)) / (2 * angle * std::sin(angle))
                                : 1.0 / 12 + angle * angle / 720;
  const Eigen::Vector3d once = delta.cross(omega);
  return omega + 0.5 * once + k * delta.cross(once);
}

inline EulerParameters parameter_rate(const EulerParameters& e, const Eigen::Vector3d& omega) {
  const Eigen::Vector3d w = 0.5 * omega, u = e.tail<3>();
  EulerParameters rate;
  rate << -u.dot(w), e[0] * w + u.cross(w);
  return rate;
}

}  // namespace trammel::math
