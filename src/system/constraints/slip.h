// No slip: a point of body A, seen from body B, has no velocity along given directions t. Of velocities only.
//
//   A v = t·s,  s = ċ − ṗ + ω_a × r − ω_b × y,  y = c + r − p
//
// c is a material point of A, p one of B, r the arm from c to where they touch:
//
//   none   r = 0                                      knife edge, pursuit
//   ball   r = −R n                                   wheel in the plane, sphere in space
//   disk   r = −R w/|w|,  w = n − (n·u) u             thin disk with axis u
//
// n is a normal fixed in B. ω = ½ Σ e_i × ė_i over a body's orthonormal material vectors: its derivative has
// no term without v̇, as ė_i × ė_i = 0. Hence
//
//   γ = ṫ·s + t·(ω_a × ṙ − ω_b × ẏ)
//
//   A gets the force −λ t at c + r, B the opposite there.
#pragma once

#include <Eigen/Geometry>

#include "system/motion.h"
#include "system/terms.h"

namespace trammel::system {

template <int D>
class Slip {
 public:
  struct Side {
    Material<D> point;               // no terms: at rest
    std::vector<Material<D>> frame;  // D orthonormal vectors, where its rotation counts
  };
  struct Arm {
    double radius = 0;  // zero: none
    LinearForm<D> normal;
    LinearForm<D> axis;  // no terms: a ball
  };
  using Vec3 = Eigen::Vector3d;

  Slip(Side a, Side b, Arm arm, std::vector<LinearForm<D>> directions, int free_elements)
      : a_(std::move(a)), b_(std::move(b)), arm_(std::move(arm)), directions_(std::move(directions)) {
    ElementList<D> list(free_elements);
    for (const Side* side : {&a_, &b_}) {
      list.take(side->point.form);
      for (const Material<D>& e : side->frame) list.take(e.form);
    }
    elements_ = list.list();
  }

  static constexpr bool kHolonomic = false;
  int rows() const { return static_cast<int>(directions_.size()); }
  void declare(RowPattern& pattern) const {
    for (int k = 0; k < rows(); ++k) pattern.add_row(columns_of<D>(elements_));
  }

  // c + r
  Vec3 contact(const Elements<D>& x) const { return math::widen<D>(a_.point.form(x)) + reach(x); }

  void evaluate(const Motion<D>& m, unsigned ask, RowOutput out) const {
    const auto columns = static_cast<std::ptrdiff_t>(D * elements_.size());
    for (std::size_t k = 0; k < directions_.size(); ++k) {
      const auto pull_to = [&](double* row) {
        std::fill_n(row, columns, 0.0);
        return [this, row](const Material<D>& on, const math::Vec<D>& lever) {
          for (const auto& term : on.form.terms)
            if (const int c = column_in<D>(elements_, term.element); c >= 0)
              Eigen::Map<math::Vec<D>>(row + c) += term.weight.transposed(lever);
        };
      };
      const auto row = static_cast<std::ptrdiff_t>(k) * columns;
      if (ask & kAskPosition) {
        out.Phi[k] = out.Phi_t[k] = 0;
        for_each_lever(m.x, k, pull_to(out.Phi_v + row));
      }
      if (ask & kAskGamma) out.gamma[k] = gamma(m, k);
      if (ask & kAskRates) for_each_lever_rate(m, k, pull_to(out.Phi_v_dot + row));
    }
  }

  template <class Give>
  void sides(const Motion<D>& m, const double* lambda, Give&& give) const {
    for (std::size_t k = 0; k < directions_.size(); ++k)
      for_each_lever(m.x, k, [&](const Material<D>& on, const math::Vec<D>& lever) {
        give(on, math::Vec<D>(-lambda[k] * lever));
      });
  }

 private:
  // ∂(t·s)/∂(velocity of each material)
  template <class Visit>
  void for_each_lever(const Elements<D>& x, std::size_t k, Visit&& visit) const {
    const Vec3 t = math::widen<D>(directions_[k](x));
    visit(a_.point, math::narrow<D>(t));
    if (!b_.point.form.terms.empty()) visit(b_.point, math::narrow<D>(-t));
    // t·(ω × r) = ω·g with g = r × t, and ω·g = ½ Σ ė_i·(g × e_i)
    const auto turn = [&](const Side& side, const Vec3& g) {
      for (const Material<D>& e : side.frame)
        visit(e, math::narrow<D>(0.5 * g.cross(math::widen<D>(e.form(x)))));
    };
    if (!a_.frame.empty()) turn(a_, reach(x).cross(t));
    if (!b_.frame.empty()) turn(b_, t.cross(contact(x) - math::widen<D>(b_.point.form(x))));
  }

  // The rates of these levers.
  template <class Visit>
  void for_each_lever_rate(const Motion<D>& m, std::size_t k, Visit&& visit) const {
    const Vec3 t = math::widen<D>(directions_[k](m.x)), td = math::widen<D>(directions_[k](m.v));
    visit(a_.point, math::narrow<D>(td));
    if (!b_.point.form.terms.empty()) visit(b_.point, math::narrow<D>(-td));
    const auto turn = [&](const Side& side, const Vec3& g, const Vec3& gd) {
      for (const Material<D>& e : side.frame)
        visit(e, math::narrow<D>(
                     0.5 * (gd.cross(math::widen<D>(e.form(m.x))) + g.cross(math::widen<D>(e.form(m.v))))));
    };
    const Vec3 r = reach(m.x), rd = reach_rate(m);
    if (!a_.frame.empty()) turn(a_, r.cross(t), rd.cross(t) + r.cross(td));
    if (b_.frame.empty()) return;
    const Vec3 y = contact(m.x) - math::widen<D>(b_.point.form(m.x));
    const Vec3 yd = math::widen<D>(a_.point.form(m.v)) + rd - math::widen<D>(b_.point.form(m.v));
    turn(b_, t.cross(y), td.cross(y) + t.cross(yd));
  }

  double gamma(const Motion<D>& m, std::size_t k) const {
    const Vec3 t = math::widen<D>(directions_[k](m.x)), td = math::widen<D>(directions_[k](m.v));
    const Vec3 cd = math::widen<D>(a_.point.form(m.v)), pd = math::widen<D>(b_.point.form(m.v));
    const Vec3 wa = turning(a_, m), wb = turning(b_, m);
    const Vec3 r = reach(m.x), rd = reach_rate(m);
    const Vec3 y = contact(m.x) - math::widen<D>(b_.point.form(m.x)), yd = cd + rd - pd;
    return td.dot(cd - pd + wa.cross(r) - wb.cross(y)) + t.dot(wa.cross(rd) - wb.cross(yd));
  }

  static Vec3 turning(const Side& side, const Motion<D>& m) {
    Vec3 w = Vec3::Zero();
    for (const Material<D>& e : side.frame)
      w += 0.5 * math::widen<D>(e.form(m.x)).cross(math::widen<D>(e.form(m.v)));
    return w;
  }

  Vec3 reach(const Elements<D>& x) const {
    if (arm_.radius == 0) return Vec3::Zero();
    const Vec3 n = math::widen<D>(arm_.normal(x));
    if (arm_.axis.terms.empty()) return -arm_.radius * n;
    const Vec3 u = math::widen<D>(arm_.axis(x));
    return -arm_.radius * (n - n.dot(u) * u).normalized();
  }
  Vec3 reach_rate(const Motion<D>& m) const {
    if (arm_.radius == 0) return Vec3::Zero();
    const Vec3 n = math::widen<D>(arm_.normal(m.x)), nd = math::widen<D>(arm_.normal(m.v));
    if (arm_.axis.terms.empty()) return -arm_.radius * nd;
    const Vec3 u = math::widen<D>(arm_.axis(m.x)), ud = math::widen<D>(arm_.axis(m.v));
    const Vec3 w = n - n.dot(u) * u, wd = nd - (nd.dot(u) + n.dot(ud)) * u - n.dot(u) * ud;
    const Vec3 unit = w.normalized();
    return -arm_.radius * (wd - unit.dot(wd) * unit) / w.norm();
  }

  Side a_, b_;
  Arm arm_;
  std::vector<LinearForm<D>> directions_;  // t
  std::vector<int> elements_;
};

}  // namespace trammel::system
