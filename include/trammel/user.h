// A person's own force or constraint, written in C++ and added without editing the library.
//
// Both act on material points: the library supplies where the points are and how fast they move, and takes
// back forces (or constraint gradients) at these points. One function is enough: derivatives are found by
// differences unless a class gives them.
//
//   struct Wind : trammel::UserForce {
//     std::vector<trammel::UserPoint> points() const override { return {{"sail", {0, 0, 0}}}; }
//     void force(double, Points, Points v, Forces f) const override { f[0] = -0.5 * v[0].norm() * v[0]; }
//   };
//   builder.force("wind", std::make_shared<Wind>());
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trammel {

// A point fixed to a body, in the body's axes. `ground` is a body too.
struct UserPoint {
  std::string body;
  Eigen::Vector3d at;
};

// At most this many points of one force or constraint.
inline constexpr std::size_t kMaxUserPoints = 16;

// What the library hands over and takes back: one vector per point, world axes, z = 0 in the plane.
using UserVectors = std::span<const Eigen::Vector3d>;

// Forces on points. It must be smooth in x and v for implicit rules to converge.
class UserForce {
 public:
  using Points = UserVectors;
  using Forces = std::span<Eigen::Vector3d>;

  virtual ~UserForce() = default;
  virtual std::vector<UserPoint> points() const = 0;
  // f[i]: the force on point i, N, at x[i] (m), which moves with v[i] (m/s).
  virtual void force(double t, Points x, Points v, Forces f) const = 0;
  // K(3i+r, 3j+c) = ∂f_i,r/∂x_j,c and C likewise for velocities. By default central differences, to about
  // ten digits: they affect how fast implicit rules converge, not what they converge to.
  virtual void derivatives(double t, Points x, Points v, Eigen::Ref<Eigen::MatrixXd> K,
                           Eigen::Ref<Eigen::MatrixXd> C) const;
  // Over which change of position (m) and velocity (m/s) the force changes noticeably: what differences are
  // taken in proportion to.
  virtual double length_scale() const { return 1; }
  virtual double speed_scale() const { return 1; }
};

// One row Φ(x, t) = 0 of the points' positions.
class UserConstraint {
 public:
  using Points = UserVectors;
  using Gradients = std::span<Eigen::Vector3d>;

  virtual ~UserConstraint() = default;
  virtual std::vector<UserPoint> points() const = 0;
  virtual double scale() const = 0;  // the size of Φ that counts as one when violations are judged
  virtual double value(double t, Points x) const = 0;
  // By default differences of fourth order: ∂Φ/∂x and ∂Φ/∂t to about twelve digits, γ to about ten, where Φ
  // is smooth over length_scale() and time_scale().
  virtual void gradient(double t, Points x, Gradients g) const;
  virtual double time_derivative(double t, Points x) const;
  // γ = Σ v_i·(∂²Φ/∂x_i∂x_j) v_j + 2 Σ (∂²Φ/∂x_i∂t)·v_i + ∂²Φ/∂t²
  virtual double gamma(double t, Points x, Points v) const;
  virtual double length_scale() const { return 1; }  // m
  virtual double time_scale() const { return 1; }    // s
};

using UserForcePtr = std::shared_ptr<const UserForce>;
using UserConstraintPtr = std::shared_ptr<const UserConstraint>;

}  // namespace trammel
