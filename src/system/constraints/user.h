// A person's own constraint row on material points (trammel/user.h).
//
// γ = vᵀΦ_xx v + 2Φ_xt v + Φ_tt is of second degree in v, so that Φ̇_x = Φ_xx v + Φ_xt = ½ ∂γ/∂v is its
// central difference over any distance: exact but for rounding, without asking for second derivatives.
#pragma once

#include <algorithm>
#include <array>

#include "system/motion.h"
#include "system/terms.h"
#include "trammel/user.h"

namespace trammel::system {

template <int D>
class UserRow {
 public:
  UserRow(UserConstraintPtr law, std::vector<Material<D>> points, int free_elements)
      : law_(std::move(law)), points_(std::move(points)) {
    ElementList<D> list(free_elements);
    for (const auto& point : points_) list.take(point.form);
    elements_ = list.list();
  }

  static constexpr bool kHolonomic = true;
  static constexpr int rows() { return 1; }
  void declare(RowPattern& pattern) const { pattern.add_row(columns_of<D>(elements_)); }

  void evaluate(const Motion<D>& m, unsigned ask, RowOutput out) const {
    const std::size_t n = points_.size();
    const Places x = places(m.x), v = places(m.v);
    if (ask & kAskPosition) {
      *out.Phi = law_->value(m.t, {x.data(), n});
      *out.Phi_t = law_->time_derivative(m.t, {x.data(), n});
      pull(gradient(m), out.Phi_v);
    }
    if (ask & kAskGamma) *out.gamma = law_->gamma(m.t, {x.data(), n}, {v.data(), n});
    if (ask & kAskRates) pull(gradient_rate(m.t, x, v), out.Phi_v_dot);
  }

  template <class Give>
  void sides(const Motion<D>& m, const double* lambda, Give&& give) const {
    const Places g = gradient(m);
    for (std::size_t p = 0; p < points_.size(); ++p)
      give(points_[p], math::Vec<D>(-*lambda * math::narrow<D>(g[p])));
  }

 private:
  using Places = std::array<Eigen::Vector3d, kMaxUserPoints>;

  Places places(const Elements<D>& x) const {
    Places r;
    for (std::size_t p = 0; p < points_.size(); ++p) r[p] = math::widen<D>(points_[p].form(x));
    return r;
  }
  // Forces at the points to the row's coordinates.
  void pull(const Places& g, double* out) const {
    std::fill_n(out, D * elements_.size(), 0.0);
    for (std::size_t p = 0; p < points_.size(); ++p)
      for (const auto& term : points_[p].form.terms) {
        const int c = column_in<D>(elements_, term.element);
        if (c >= 0) Eigen::Map<math::Vec<D>>(out + c) += term.weight.transposed(math::narrow<D>(g[p]));
      }
  }
  Places gradient_rate(double t, const Places& x, Places v) const {
    const std::size_t n = points_.size();
    // A distance of the size of the velocities loses the fewest digits.
    double d = 1e-3;
    for (std::size_t p = 0; p < n; ++p) d = std::max(d, v[p].norm());
    Places g;
    for (std::size_t p = 0; p < n; ++p) {
      g[p].setZero();
      for (int k = 0; k < D; ++k) {
        const double here = v[p][k];
        v[p][k] = here + d;
        const double ahead = law_->gamma(t, {x.data(), n}, {v.data(), n});
        v[p][k] = here - d;
        const double behind = law_->gamma(t, {x.data(), n}, {v.data(), n});
        v[p][k] = here;
        g[p][k] = (ahead - behind) / (4 * d);
      }
    }
    return g;
  }
  Places gradient(const Motion<D>& m) const {
    const std::size_t n = points_.size();
    const Places x = places(m.x);
    Places g;
    law_->gradient(m.t, {x.data(), n}, {g.data(), n});
    return g;
  }

  UserConstraintPtr law_;
  std::vector<Material<D>> points_;
  std::vector<int> elements_;
};

}  // namespace trammel::system
