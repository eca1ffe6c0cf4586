// TreeJoint: how a body moves relative to the one that carries it.
//
// A joint has a frame on each body. The child's stands in the parent's at p(q), turned by R(q):
//
//   R_J = R(q),  ω_J = A(q) v,  ṗ_J = L(q) v,       all in the axes of the parent's frame
//
// with the coordinates q of García de Jalón & Bayo (1994), 5.3.1: one angle (revolute, (5.71)), one
// displacement (prismatic, (5.76)), and so on. Rotations without preferred axes (spherical, free) have Euler
// parameters and the angular velocity in the child's frame, so that q̇ = N(q) v.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "math/small.h"
#include "system/relative/joint_coordinates.h"
#include "trammel/mechanism.h"

namespace trammel::system {

// In the plane an angular velocity is one number.
template <int D>
inline constexpr int kSpin = D == 2 ? 1 : 3;
template <int D>
inline constexpr int kTwist = D + kSpin<D>;
template <int D>
using Spin = math::Vec<kSpin<D>>;
template <int D>
using Twist = math::Vec<kTwist<D>>;  // velocity of the centre of mass, then the angular velocity; world axes

// R x, written out: it stays in registers.
template <int D>
[[gnu::always_inline]] inline math::Vec<D> rotated(const math::Mat<D>& R, const math::Vec<D>& x) {
  if constexpr (D == 2) return R.col(0) * x[0] + R.col(1) * x[1];
  if constexpr (D == 3) return R.col(0) * x[0] + R.col(1) * x[1] + R.col(2) * x[2];
}
// ω × r
template <int D>
math::Vec<D> turn(const Spin<D>& omega, const math::Vec<D>& r) {
  if constexpr (D == 2) return omega[0] * math::quarter_turn(r);
  if constexpr (D == 3) return omega.cross(r);
}
// r × f, a torque
template <int D>
Spin<D> moment(const math::Vec<D>& r, const math::Vec<D>& f) {
  if constexpr (D == 2) return Spin<2>(r.x() * f.y() - r.y() * f.x());
  if constexpr (D == 3) return r.cross(f);
}
// ω₁ × ω₂; the plane has one axis only
template <int D>
Spin<D> turn_spin(const Spin<D>& a, const Spin<D>& b) {
  if constexpr (D == 2) return Spin<2>::Zero();
  if constexpr (D == 3) return a.cross(b);
}
// A vector of spin given in axes R, in world axes.
template <int D>
Spin<D> turned(const math::Mat<D>& R, const Spin<D>& w) {
  if constexpr (D == 2) return w;
  if constexpr (D == 3) return rotated<3>(R, w);
}

enum class TreeKind { fixed, revolute, prismatic, cylindrical, universal, spherical, planar, free, carried };

// Columns of velocities, at most as many as a body has.
template <int D, int Rows>
using Columns = Eigen::Matrix<double, Rows, Eigen::Dynamic, Rows == 1 ? Eigen::RowMajor : Eigen::ColMajor,
                              Rows, kTwist<D>>;

// Of a joint with N velocities, where that is known beforehand.
template <int D, int Rows, int N>
using FixedColumns = std::conditional_t<
    N == Eigen::Dynamic, Columns<D, Rows>,
    Eigen::Matrix<double, Rows, N, Rows == 1 && N != 1 ? Eigen::RowMajor : Eigen::ColMajor>>;

template <int D, int N = Eigen::Dynamic>
struct JointMotion {
  math::Mat<D> R = math::Mat<D>::Identity();
  math::Vec<D> p = math::Vec<D>::Zero();
  FixedColumns<D, kSpin<D>, N> A;
  FixedColumns<D, D, N> L;
  FixedColumns<D, kSpin<D>, N> A_dot;  // L is constant
};

// Calls f with the number of velocities of a joint as a constant.
template <int D, class F>
[[gnu::always_inline]] inline auto with_velocities(int velocities, F&& f) {
  switch (velocities) {
    case 0:
      return f(std::integral_constant<int, 0>{});
    case 1:
      return f(std::integral_constant<int, 1>{});
    case 2:
      return f(std::integral_constant<int, 2>{});
    default:
      if constexpr (D == 3)
        if (velocities == 6) return f(std::integral_constant<int, 6>{});
      return f(std::integral_constant<int, 3>{});
  }
}

template <int D>
class TreeJoint {
 public:
  int parent = 0, child = 0;  // bodies, 0 is ground
  int joint = -1;             // of the Mechanism; −1: the body is free
  std::string name;           // of the joint, or of a free body
  TreeKind kind = TreeKind::free;
  Frame parent_frame, child_frame;  // in the bodies' axes
  bool turns = true;                // the child has an orientation
  int q = 0, v = 0;                 // its first position and velocity
  double armature = 0;              // kg.m² or kg, on its only velocity

  int spin() const { return v + (kind == TreeKind::free ? 3 : 0); }  // the first velocity of a free rotation
  int positions() const;
  int velocities() const;

  // N: its velocities, where they are known beforehand.
  template <int N = Eigen::Dynamic>
  JointMotion<D, N> motion(const double* q_all, const double* v_all) const;
  // What a joint that does not turn keeps, of the ways to put it together: the one nearest to R.
  void hold(const math::Mat<D>& R);
  // Positions at which the child's frame stands in the parent's as nearly as the joint allows.
  void place(const math::Mat<D>& R, const math::Vec<D>& p, double* q_all) const;
  JointCoordinates coordinates() const;
  // What counts as one on each velocity and position.
  void scales(double length, std::vector<double>& velocity, std::vector<double>& position,
              std::vector<int>& angles) const;

 private:
  bool has_quaternion() const {
    return D == 3 && (kind == TreeKind::spherical || (kind == TreeKind::free && turns));
  }
  int quaternion() const { return q + (kind == TreeKind::free ? 3 : 0); }

  // What holds the frames together where they do not turn: half turns about an axis satisfy the same joint.
  math::Mat<D> held_ = math::Mat<D>::Identity();
};

}  // namespace trammel::system
