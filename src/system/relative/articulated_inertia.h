// ArticulatedInertia: what a body and all that it carries feel like at its joint.
//
//   f = M a + H α,   m = Hᵀa + J α        a: acceleration of the joint's point on the body, α: its spin's
//
// M and J are symmetric and kept as their lower triangles, so that rounding cannot make them unsymmetric,
// which would grow from joint to joint.
#pragma once

#include "system/relative/tree_joint.h"

namespace trammel::system {

template <int D>
struct ArticulatedInertia {
  static constexpr int kSpins = kSpin<D>;
  using Coupling = Eigen::Matrix<double, D, kSpins>;

  math::Mat<D> M;  // lower triangle
  Coupling H;
  math::Mat<kSpins> J;  // lower triangle

  // Of a rigid body alone, with its centre of mass at r from the point.
  [[gnu::always_inline]] void set_body(double mass, const math::Vec<D>& r,
                                       const math::Mat<kSpins>& about_com) {
    const math::Vec<D> s = mass * r;
    if constexpr (D == 2) {
      M << mass, 0, 0, mass;
      H = math::quarter_turn(s);
      J(0, 0) = about_com(0, 0) + s.dot(r);
    } else {
      M << mass, 0, 0, 0, mass, 0, 0, 0, mass;
      H << 0, s.z(), -s.y(), -s.z(), 0, s.x(), s.y(), -s.x(), 0;
      const double xx = s.x() * r.x(), yy = s.y() * r.y(), zz = s.z() * r.z();
      J(0, 0) = about_com(0, 0) + (yy + zz);
      J(1, 1) = about_com(1, 1) + (xx + zz);
      J(2, 2) = about_com(2, 2) + (xx + yy);
      J(1, 0) = about_com(1, 0) - s.x() * r.y();
      J(2, 0) = about_com(2, 0) - s.x() * r.z();
      J(2, 1) = about_com(2, 1) - s.y() * r.z();
    }
  }

  void set(const ArticulatedInertia& o) {
    for (int k = 0; k < D; ++k)
      for (int i = k; i < D; ++i) M(i, k) = o.M(i, k);
    H = o.H;
    for (int k = 0; k < kSpins; ++k)
      for (int i = k; i < kSpins; ++i) J(i, k) = o.J(i, k);
  }

  // What has a mass at the point only, seen from there: it moves as a + α × arm.
  [[gnu::always_inline]] void add_point(const math::Mat<D>& mass, const math::Vec<D>& arm) {
    add_moved(mass, symmetric_turn(mass, arm), arm);
  }

  [[gnu::always_inline]] void add(const ArticulatedInertia& o, const math::Vec<D>& arm) {
    const Coupling top = o.H + symmetric_turn(o.M, arm);
    add_moved(o.M, top, arm);
    // armᵀ-turned H and its transpose
    if constexpr (D == 2) {
      J(0, 0) += o.J(0, 0) + math::quarter_turn(arm).dot(o.H.col(0));
    } else {
      const Vec3 x = arm.cross(Vec3(o.H.col(0))), y = arm.cross(Vec3(o.H.col(1))),
                 z = arm.cross(Vec3(o.H.col(2)));
      J(0, 0) += o.J(0, 0) + x.x();
      J(1, 0) += o.J(1, 0) + y.x();
      J(2, 0) += o.J(2, 0) + z.x();
      J(1, 1) += o.J(1, 1) + y.y();
      J(2, 1) += o.J(2, 1) + z.y();
      J(2, 2) += o.J(2, 2) + z.z();
    }
  }

  math::Mat<D + kSpins> whole() const {
    math::Mat<D + kSpins> all;
    all.template topLeftCorner<D, D>() = M;
    all.template bottomLeftCorner<kSpins, D>() = H.transpose();
    all.template bottomRightCorner<kSpins, kSpins>() = J;
    all.template triangularView<Eigen::StrictlyUpper>() = all.transpose();
    return all;
  }

 private:
  // M Q for Q α = α × arm: its rows are arm × (rows of M).
  [[gnu::always_inline]] static Coupling symmetric_turn(const math::Mat<D>& M, const math::Vec<D>& arm) {
    Coupling turned;
    if constexpr (D == 2) {
      const math::Vec<2> q = math::quarter_turn(arm);
      turned << M(0, 0) * q[0] + M(1, 0) * q[1], M(1, 0) * q[0] + M(1, 1) * q[1];
    } else {
      const double x = arm.x(), y = arm.y(), z = arm.z();
      const auto row = [&](int i, double a, double b, double c) {
        turned(i, 0) = y * c - z * b;
        turned(i, 1) = z * a - x * c;
        turned(i, 2) = x * b - y * a;
      };
      row(0, M(0, 0), M(1, 0), M(2, 0));
      row(1, M(1, 0), M(1, 1), M(2, 1));
      row(2, M(2, 0), M(2, 1), M(2, 2));
    }
    return turned;
  }
  // top: H + M Q. Adds M, top and Qᵀ top, whose columns are arm × (columns of top).
  [[gnu::always_inline]] void add_moved(const math::Mat<D>& mass, const Coupling& top,
                                        const math::Vec<D>& arm) {
    for (int k = 0; k < D; ++k)
      for (int i = k; i < D; ++i) M(i, k) += mass(i, k);
    H += top;
    if constexpr (D == 2) {
      J(0, 0) += math::quarter_turn(arm).dot(top.col(0));
    } else {
      const double x = arm.x(), y = arm.y(), z = arm.z();
      J(0, 0) += y * top(2, 0) - z * top(1, 0);
      J(1, 0) += z * top(0, 0) - x * top(2, 0);
      J(2, 0) += x * top(1, 0) - y * top(0, 0);
      J(1, 1) += z * top(0, 1) - x * top(2, 1);
      J(2, 1) += x * top(1, 1) - y * top(0, 1);
      J(2, 2) += x * top(1, 2) - y * top(0, 2);
    }
  }
};

}  // namespace trammel::system
