// Vectors and blocks of fixed size in two and three dimensions.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace trammel::math {

template <int D>
using Vec = Eigen::Matrix<double, D, 1>;
template <int D>
using Mat = Eigen::Matrix<double, D, D>;

// A quarter turn in the plane: J x.
inline Vec<2> quarter_turn(const Vec<2>& x) { return {-x.y(), x.x()}; }

// The first D components of a vector of space.
template <int D>
Vec<D> narrow(const Eigen::Vector3d& x) {
  return x.head<D>();
}

// The vector of space whose first D components are given.
template <int D>
Eigen::Vector3d widen(const Vec<D>& x) {
  Eigen::Vector3d y = Eigen::Vector3d::Zero();
  y.head<D>() = x;
  return y;
}

// x such that x × y = skew(x) y.
inline Eigen::Matrix3d skew(const Eigen::Vector3d& x) {
  Eigen::Matrix3d s;
  s << 0, -x.z(), x.y(), x.z(), 0, -x.x(), -x.y(), x.x(), 0;
  return s;
}

}  // namespace trammel::math
