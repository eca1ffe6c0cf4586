// A person's own force or constraint, written in C++ and added without editing the library.
//
// Both act on material points: the library supplies where the points are and how fast they move, and takes
// back forces (or constraint gradients) at these points. Derivatives are asked for as blocks per point pair.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trammel {

// A point fixed to a body, in the body's axes.
struct UserPoint {
  std::string body;
  Eigen::Vector3d at;
};

// Forces f[i] on points; K(3i+r, 3j+c) = ∂f_i,r/∂x_j,c and C likewise for velocities.
class UserForce {
 public:
  virtual ~UserForce() = default;
  virtual std::vector<UserPoint> points() const = 0;
  virtual void force(double t, std::span<const Eigen::Vector3d> x, std::span<const Eigen::Vector3d> v,
                     std::span<Eigen::Vector3d> f) const = 0;
  virtual void derivatives(double t, std::span<const Eigen::Vector3d> x, std::span<const Eigen::Vector3d> v,
                           Eigen::Ref<Eigen::MatrixXd> K, Eigen::Ref<Eigen::MatrixXd> C) const = 0;
};

// One row Φ(x, t) = 0 of the points' positions.
class UserConstraint {
 public:
  virtual ~UserConstraint() = default;
  virtual std::vector<UserPoint> points() const = 0;
  virtual double scale() const = 0;  // the size of Φ that counts as one when violations are judged
  virtual double value(double t, std::span<const Eigen::Vector3d> x) const = 0;
  virtual void gradient(double t, std::span<const Eigen::Vector3d> x, std::span<Eigen::Vector3d> g) const = 0;
  // ∂Φ/∂t, and γ = Σ v_i·(∂²Φ/∂x_i∂x_j) v_j + 2 Σ (∂²Φ/∂x_i∂t)·v_i + ∂²Φ/∂t²
  virtual double time_derivative(double t, std::span<const Eigen::Vector3d> x) const = 0;
  virtual double gamma(double t, std::span<const Eigen::Vector3d> x,
                       std::span<const Eigen::Vector3d> v) const = 0;
};

using UserForcePtr = std::shared_ptr<const UserForce>;
using UserConstraintPtr = std::shared_ptr<const UserConstraint>;

}  // namespace trammel
