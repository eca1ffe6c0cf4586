// Inverses of the few columns of a joint.
#pragma once

#include <cmath>

#include "math/small.h"

namespace trammel::system {

// A pivot this much smaller than the inertia that it came from has lost all its digits.
constexpr double kNoMass = 1e-13;

// By Gauss and Jordan, without choice of pivots; false when a freedom has no mass of its own.
template <int n>
bool invert_symmetric(Eigen::Matrix<double, n, n>& D) {
  const math::Vec<n> mass = D.diagonal();
  for (int k = 0; k < n; ++k) {
    const double pivot = D(k, k);
    if (!(pivot > kNoMass * mass[k]) || !std::isfinite(pivot)) return false;
    const double inverse = 1 / pivot;
    const math::Vec<n> column = D.col(k);
    D.col(k).setZero();
    D(k, k) = 1;
    D.row(k) *= inverse;
    for (int i = 0; i < n; ++i)
      if (i != k) D.row(i) -= column[i] * D.row(k);
  }
  return true;
}

// The same written out for three, from the lower triangle: J = L d Lᵀ, J⁻¹ = L⁻ᵀ d⁻¹ L⁻¹.
inline bool invert_lower(const Eigen::Matrix3d& J, Eigen::Matrix3d& inverse) {
  const double d0 = J(0, 0), i0 = 1 / d0;
  const double l1 = J(1, 0) * i0, l2 = J(2, 0) * i0;
  const double d1 = J(1, 1) - l1 * J(1, 0), rest = J(2, 1) - l2 * J(1, 0), i1 = 1 / d1;
  const double l21 = rest * i1;
  const double d2 = J(2, 2) - l2 * J(2, 0) - l21 * rest, i2 = 1 / d2;
  const double m20 = l21 * l1 - l2;  // of L⁻¹, besides −l1 and −l21
  const double xz = m20 * i2, yz = -l21 * i2, xy = -l1 * i1 + m20 * yz;
  inverse << i0 + l1 * l1 * i1 + m20 * xz, xy, xz, xy, i1 - l21 * yz, yz, xz, yz, i2;
  return d0 > 0 && d1 > kNoMass * J(1, 1) && d2 > kNoMass * J(2, 2) && std::isfinite(d0 + d1 + d2);
}

}  // namespace trammel::system
