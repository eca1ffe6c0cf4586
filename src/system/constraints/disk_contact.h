// A thin disk of centre c, radius R and axis u on a plane through p with normal n (space):
//
//   Φ = n·d − R h,  d = c − p,  h = √(1 − σ²),  σ = n·u
//   Φ̇ = ṅ·d + n·ḋ + R (σ/h) σ̇,   γ = 2ṅ·ḋ + R (σ̇²/h³ + 2(σ/h) ṅ·u̇)
//
//   Φ_v = n on d, d + (Rσ/h) u on n, (Rσ/h) n on u; (Rσ/h)˙ = R σ̇/h³
//
//   The disk gets the force −λ n at its lowest point. Where it lies flat, h = 0, there is no such point.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "system/motion.h"
#include "system/terms.h"

namespace trammel::system {

class DiskContact {
 public:
  DiskContact(const Slot<3>& from_plane, const Material<3>& normal, const Material<3>& axis, double radius,
              int free_elements)
      : d_(from_plane), n_(normal), u_(axis), radius_(radius) {
    ElementList<3> list(free_elements);
    for (const LinearForm<3>* form : {&d_.form, &n_.form, &u_.form}) list.take(*form);
    elements_ = list.list();
  }

  static constexpr bool kHolonomic = true;
  static constexpr int rows() { return 1; }
  void declare(RowPattern& pattern) const { pattern.add_row(columns_of<3>(elements_)); }

  void evaluate(const Motion<3>& m, unsigned ask, RowOutput out) const {
    const At at = place(m.x);
    if (ask & kAskPosition) {
      *out.Phi = at.n.dot(at.d) - radius_ * at.h;
      *out.Phi_t = 0;
      pull(at.n, at.d + at.lean * at.u, at.lean * at.n, out.Phi_v);
    }
    if (ask & (kAskGamma | kAskRates)) {
      const math::Vec<3> dd = d_.form(m.v), nd = n_.form(m.v), ud = u_.form(m.v);
      const double sigma_rate = nd.dot(at.u) + at.n.dot(ud);
      const double lean_rate = radius_ * sigma_rate / (at.h * at.h * at.h);
      *out.gamma = 2 * nd.dot(dd) + 2 * at.lean * nd.dot(ud) + lean_rate * sigma_rate;
      if (ask & kAskRates)
        pull(nd, dd + lean_rate * at.u + at.lean * ud, lean_rate * at.n + at.lean * nd, out.Phi_v_dot);
    }
  }

  std::string out_of_range(const Elements<3>& x, const std::string& joint) const {
    // In rad: no point of contact to speak of.
    constexpr double kFlat = 1e-3;
    if (place(x).h >= kFlat) return {};
    return "the disk of '" + joint + "' lies flat on its plane, where no single point touches";
  }

  template <class Give>
  void sides(const Motion<3>& m, const double* lambda, Give&& give) const {
    const At at = place(m.x);
    for (const auto& side : d_.sides) give(side.material, math::Vec<3>(-*lambda * side.sign * at.n));
    give(n_, math::Vec<3>(-*lambda * (at.d + at.lean * at.u)));
    give(u_, math::Vec<3>(-*lambda * at.lean * at.n));
  }

 private:
  struct At {
    math::Vec<3> d, n, u;
    double h, lean;  // lean = R σ/h
  };
  // What acts on d, n and u, to the row's coordinates.
  void pull(const math::Vec<3>& on_d, const math::Vec<3>& on_n, const math::Vec<3>& on_u, double* out) const {
    std::fill_n(out, 3 * elements_.size(), 0.0);
    const auto add = [&](const LinearForm<3>& form, const math::Vec<3>& g) {
      for (const auto& term : form.terms)
        if (const int c = column_in<3>(elements_, term.element); c >= 0)
          Eigen::Map<math::Vec<3>>(out + c) += term.weight.transposed(g);
    };
    add(d_.form, on_d);
    add(n_.form, on_n);
    add(u_.form, on_u);
  }
  At place(const Elements<3>& x) const {
    At at{d_.form(x), n_.form(x), u_.form(x), 0, 0};
    const double sigma = at.n.dot(at.u);
    at.h = std::sqrt(1 - sigma * sigma);
    at.lean = radius_ * sigma / at.h;
    return at;
  }

  Slot<3> d_;
  Material<3> n_, u_;
  double radius_;
  std::vector<int> elements_;
};

}  // namespace trammel::system
