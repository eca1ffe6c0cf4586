// A point on a curve that is fixed to a body: p are the point's coordinates in the curve's axes,
//
//   p_k = d·e_k,   d from the curve's origin to the point, e_k the curve's axes
//   Φ = u(s)·w,    w = p − c(s),   s(p): w·c' = 0, the foot point
//
// with one vector u across the curve in the plane, u = J c', and two in space (mechanism/spline_curve.h). As
// w has no part along c', u need not be perpendicular to it. With n = |c'|² − c''·w and h(s, p) = u·w
//
//   s_p = c'/n,   Φ_p = u + h_s s_p,   h_s = u'·w − u·c'
//   s_pp ṗ = (ṡ g_ss s_p + ṡ c'' + (c''·ṗ) s_p)/n,   ṡ = s_p·ṗ,   g_ss = c'''·w − 3c''·c'
//   Φ_pp ṗ = h_ss ṡ s_p + ṡ u' + (u'·ṗ) s_p + h_s s_pp ṗ,   h_ss = u''·w − 2u'·c' − u·c''
//   Φ_v = Φ_pᵀ ∂p,   γ = ṗᵀΦ_pp ṗ + 2 Σ_k Φ_p,k ḋ·ė_k
//
// The force on the point is −λ Φ_p, along u on the curve; without friction it is perpendicular to the curve.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "mechanism/spline_curve.h"
#include "system/motion.h"
#include "system/terms.h"

namespace trammel::system {

template <int D>
class OnCurve {
 public:
  using Axes = std::array<Material<D>, D>;

  OnCurve(const Slot<D>& from_origin, const Axes& axes, std::shared_ptr<const mechanism::SplineCurve> curve,
          int free_elements)
      : d_(from_origin), axes_(axes), curve_(std::move(curve)) {
    ElementList<D> list(free_elements);
    list.take(d_.form);
    for (const Material<D>& axis : axes_) list.take(axis.form);
    elements_ = list.list();
  }

  static constexpr bool kHolonomic = true;
  static constexpr int rows() { return D - 1; }
  void declare(RowPattern& pattern) const {
    for (int i = 0; i < rows(); ++i) pattern.add_row(columns_of<D>(elements_));
  }

  void evaluate(const Motion<D>& m, unsigned ask, RowOutput out) const {
    const Local at = place(m.x);
    const Foot foot = foot_of(at);
    const std::size_t n = D * elements_.size();
    for (int i = 0; i < rows(); ++i) {
      const Row row(*curve_, at, foot, i);
      if (ask & kAskPosition) {
        out.Phi[i] = row.Phi;
        out.Phi_t[i] = 0;
        double* Phi_v = out.Phi_v + static_cast<std::size_t>(i) * n;
        std::fill_n(Phi_v, n, 0.0);
        pull(row.Phi_p, at, Phi_v);
      }
      if (!(ask & (kAskGamma | kAskRates))) continue;
      const Local rate = place_rate(m.v, at);
      const math::Vec<D> turn = row.Phi_pp_times(rate.p);
      out.gamma[i] = rate.p.dot(turn);
      for (std::size_t k = 0; k < D; ++k)
        out.gamma[i] += 2 * row.Phi_p[static_cast<int>(k)] * rate.d.dot(rate.e[k]);
      if (ask & kAskRates) {
        double* Phi_v_dot = out.Phi_v_dot + static_cast<std::size_t>(i) * n;
        std::fill_n(Phi_v_dot, n, 0.0);
        pull(turn, at, Phi_v_dot);
        pull(row.Phi_p, rate, Phi_v_dot);
      }
    }
  }

  // −λ ∂Φ/∂(side): Φ_p,k e_k on d, Φ_p,k d on e_k
  template <class Give>
  void sides(const Motion<D>& m, const double* lambda, Give&& give) const {
    const Local at = place(m.x);
    const Foot foot = foot_of(at);
    math::Vec<D> g = math::Vec<D>::Zero(), force = math::Vec<D>::Zero();
    for (int i = 0; i < rows(); ++i) g -= lambda[i] * Row(*curve_, at, foot, i).Phi_p;
    for (std::size_t k = 0; k < D; ++k) force += g[static_cast<int>(k)] * at.e[k];
    for (const auto& side : d_.sides) give(side.material, math::Vec<D>(side.sign * force));
    for (std::size_t k = 0; k < D; ++k) give(axes_[k], math::Vec<D>(g[static_cast<int>(k)] * at.d));
  }

  std::string out_of_range(const Elements<D>& x, const std::string& joint) const {
    if (!curve_->is_beyond(foot_of(place(x)).s)) return {};
    return "the point of '" + joint +
           "' has left the end of its curve; give the curve more points, or close it";
  }

 private:
  // The point beside the curve: d, e and p; or their rates.
  struct Local {
    math::Vec<D> d, p;
    std::array<math::Vec<D>, D> e;
  };
  struct Foot {
    double s;
    mechanism::VectorSpline::Jet c;
  };
  Local place(const Elements<D>& x) const {
    Local at = vectors(x);
    for (std::size_t k = 0; k < D; ++k) at.p[static_cast<int>(k)] = at.d.dot(at.e[k]);
    return at;
  }
  // ṗ_k = ḋ·e_k + d·ė_k
  Local place_rate(const Elements<D>& v, const Local& at) const {
    Local rate = vectors(v);
    for (std::size_t k = 0; k < D; ++k)
      rate.p[static_cast<int>(k)] = rate.d.dot(at.e[k]) + at.d.dot(rate.e[k]);
    return rate;
  }
  Local vectors(const Elements<D>& x) const {
    Local at;
    at.d = d_.form(x);
    for (std::size_t k = 0; k < D; ++k) at.e[k] = axes_[k].form(x);
    return at;
  }
  Foot foot_of(const Local& at) const {
    const double s = curve_->nearest(math::widen<D>(at.p));
    return {s, curve_->at(s)};
  }

  // One equation there.
  struct Row {
    Row(const mechanism::SplineCurve& curve, const Local& at, const Foot& foot, int i)
        : T(math::narrow<D>(foot.c.d)), A(math::narrow<D>(foot.c.dd)), w(at.p - math::narrow<D>(foot.c.f)) {
      const math::Vec<D> third = math::narrow<D>(foot.c.ddd);
      math::Vec<D> u, u_second;
      if constexpr (D == 2) {
        u = math::quarter_turn(T);
        du = math::quarter_turn(A);
        u_second = math::quarter_turn(third);
      } else {
        const mechanism::VectorSpline::Jet across = curve.across(foot.s)[static_cast<std::size_t>(i)];
        u = across.f;
        du = across.d;
        u_second = across.dd;
      }
      n = T.squaredNorm() - A.dot(w);
      s_p = T / n;
      g_ss = third.dot(w) - 3 * A.dot(T);
      h_s = du.dot(w) - u.dot(T);
      h_ss = u_second.dot(w) - 2 * du.dot(T) - u.dot(A);
      Phi = u.dot(w);
      Phi_p = u + h_s * s_p;
    }
    math::Vec<D> Phi_pp_times(const math::Vec<D>& p_dot) const {
      const double s_dot = s_p.dot(p_dot);
      const math::Vec<D> s_pp = (s_dot * g_ss * s_p + s_dot * A + A.dot(p_dot) * s_p) / n;
      return h_ss * s_dot * s_p + s_dot * du + du.dot(p_dot) * s_p + h_s * s_pp;
    }
    math::Vec<D> T, A, w, du, s_p, Phi_p;
    double n, g_ss, h_s, h_ss, Phi;
  };

  // Adds Σ_k g_k (e_kᵀ ∂d + dᵀ ∂e_k) to the row's coordinates.
  void pull(const math::Vec<D>& g, const Local& at, double* out) const {
    const auto add = [&](const LinearForm<D>& form, const math::Vec<D>& f) {
      for (const auto& term : form.terms)
        if (const int c = column_in<D>(elements_, term.element); c >= 0)
          Eigen::Map<math::Vec<D>>(out + c) += term.weight.transposed(f);
    };
    math::Vec<D> on_d = math::Vec<D>::Zero();
    for (std::size_t k = 0; k < D; ++k) {
      const double own = g[static_cast<int>(k)];
      on_d += own * at.e[k];
      add(axes_[k].form, own * at.d);
    }
    add(d_.form, on_d);
  }

  Slot<D> d_;
  Axes axes_;
  std::shared_ptr<const mechanism::SplineCurve> curve_;
  std::vector<int> elements_;
};

}  // namespace trammel::system
