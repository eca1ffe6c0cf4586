// CurveGap: how far a roller, a point or a flat face is from an outline that is a plane curve c(s).
//
// A roller of radius R about a point, p its coordinates in the outline's axes e₁, e₂, d from their origin:
//
//   p_k = d·e_k,   f = σ w − R,   w = n·(p − c) at the foot point (p − c)·c' = 0,  n left of the curve
//   f_p = σ n,     f_pp = −σ κ/(1 − κ w) t tᵀ,   κ the curvature, positive to the left
//
// σ = 1 where the follower is left of the curve, else −1. Slots: d, e₁, e₂.
//
// A flat face of normal ν, which points to the outline, through a place d from the origin. With N_k = −ν·e_k
// and the support function h(N) = max c·N, whose gradient is the farthest point c and whose Hessian is
// ρ t tᵀ/|N|, ρ the radius of curvature there:
//
//   f = p·N − h(N),   f_p = N,   f_N = p − c,   f_NN = −ρ t tᵀ/|N|
//
// Slots: d, ν, e₁, e₂. The outline is closed and convex.
//
// In space the outline is that of a cylinder along e₁ × e₂: what follows it may move along there.
#pragma once

#include <memory>

#include "mechanism/spline_curve.h"
#include "system/slot_jet.h"

namespace trammel::system {

class CurveGap {
 public:
  using Curve = std::shared_ptr<const mechanism::SplineCurve>;
  static CurveGap of_roller(Curve curve, double radius, double side) {
    return {std::move(curve), radius, side, false};
  }
  static CurveGap of_face(Curve curve) { return {std::move(curve), 0, 0, true}; }

  template <int D>
  SlotJet<D> jet(const SlotValues<D>& x) const {
    return face_ ? face_jet<D>(x) : roller_jet<D>(x);
  }
  // Where they touch, from the origin of the outline's axes, and the normal there from the outline to the
  // follower.
  template <int D>
  struct Contact {
    math::Vec<D> at, normal;
  };
  template <int D>
  Contact<D> contact(const SlotValues<D>& x) const;

 private:
  using Plane = Eigen::Vector2d;
  CurveGap(Curve curve, double radius, double side, bool face)
      : curve_(std::move(curve)), radius_(radius), side_(side), face_(face) {}

  // The curve at a place: c, unit tangent, left normal, curvature.
  struct Foot {
    Plane c, t, n;
    double curvature;
  };
  Foot at(double s) const;
  template <int D>
  static Plane in_plane(const math::Vec<D>& x, const math::Vec<D>& e1, const math::Vec<D>& e2) {
    return {x.dot(e1), x.dot(e2)};
  }
  Foot nearest(const Plane& p) const { return at(curve_->nearest({p.x(), p.y(), 0})); }
  Foot farthest(const Plane& N) const { return at(curve_->farthest({N.x(), N.y(), 0})); }
  template <int D>
  SlotJet<D> roller_jet(const SlotValues<D>& x) const;
  template <int D>
  SlotJet<D> face_jet(const SlotValues<D>& x) const;

  Curve curve_;
  double radius_, side_;
  bool face_;
};

}  // namespace trammel::system
