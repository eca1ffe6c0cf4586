// A measure that follows an expression of measures: Φ = S − f(S_1, …, S_n). Couplers.
//
//   Φ_v = Σ c_k ∇S_k,   c_k = ∂(S − f)/∂S_k
//   Φ̇_v = Σ (ċ_k ∇S_k + c_k ∇²S_k v),   γ = Σ (ċ_k Ṡ_k + c_k vᵀ∇²S_k v),   ċ_k = −Σ_l f_kl Ṡ_l
#pragma once

#include <algorithm>

#include "system/motion.h"
#include "system/terms.h"

namespace trammel::system {

template <int D>
class Relation {
 public:
  // variables: the measures of f.slots(), in their order.
  Relation(int follower, expressions::Expression f, const std::vector<int>& variables,
           std::span<const Measure<D>> measures)
      : f_(std::move(f)), measures_(variables) {
    const auto own = std::ranges::find(measures_, follower);
    follower_ = static_cast<std::size_t>(own - measures_.begin());
    if (own == measures_.end()) measures_.push_back(follower);
    ElementList<D> list(0);
    for (const int k : measures_) list.take(measures[static_cast<std::size_t>(k)]);
    elements_ = list.list();
    for (const int k : measures_)
      for (const int e : measures[static_cast<std::size_t>(k)].elements())
        place_.push_back(column_in<D>(elements_, e));
  }

  static constexpr bool kHolonomic = true;
  static constexpr int rows() { return 1; }
  // Doubles that an evaluation takes of the scratch of expressions.
  static std::size_t scratch_size(const expressions::Expression& f) {
    const std::size_t n = f.slots().size();
    return 2 * (n + 1) + n + n * n + static_cast<std::size_t>(f.scratch_size());
  }
  void declare(RowPattern& pattern) const { pattern.add_row(columns_of<D>(elements_)); }

  void evaluate(const Motion<D>& m, unsigned ask, RowOutput out) const {
    const Slopes slope = slopes(m, ask & (kAskRates | kAskGamma));
    if (ask & kAskPosition) {
      *out.Phi = m.measure(measures_[follower_]).value() - slope.f;
      *out.Phi_t = 0;
      add_up(m, out.Phi_v, slope.c, {});
    }
    if (ask & kAskRates) add_up(m, out.Phi_v_dot, slope.c_dot, slope.c);
    if (ask & kAskGamma) {
      *out.gamma = 0;
      for (std::size_t k = 0; k < measures_.size(); ++k) {
        const MeasureView<D> s = m.measure(measures_[k]);
        *out.gamma += slope.c_dot[k] * s.rate() + slope.c[k] * s.curvature();
      }
    }
  }

  // The generalized force along the measure that follows.
  double effort(const Motion<D>& m, double lambda, std::size_t) const {
    return -lambda * slopes(m, false).c[follower_];
  }

  template <class Give>
  void sides(const Motion<D>& m, const double* lambda, Give&& give) const {
    const Slopes slope = slopes(m, false);
    for (std::size_t n = 0; n < measures_.size(); ++n) {
      const Measure<D>& s = m.measures[static_cast<std::size_t>(measures_[n])];
      const SlotJet<D> jet = s.jet(m.x);
      for (std::size_t k = 0; k < s.slots().size(); ++k)
        for (const auto& side : s.slots()[k].sides)
          give(side.material, math::Vec<D>(-*lambda * slope.c[n] * side.sign * jet.g[k]));
    }
  }

 private:
  struct Slopes {
    double f;
    std::span<double> c, c_dot;
  };
  Slopes slopes(const Motion<D>& m, bool with_rates) const {
    const std::size_t all = measures_.size(), n = f_.slots().size();
    Slopes out{0, m.scratch.first(all), m.scratch.subspan(all, all)};
    const std::span<double> g = m.scratch.subspan(2 * all, n), h = m.scratch.subspan(2 * all + n, n * n),
                            rest = m.scratch.subspan(2 * all + n + n * n);
    out.f = with_rates ? f_.hessian(m.signals, g, h, rest) : f_.gradient(m.signals, g, rest);
    std::fill(out.c.begin(), out.c.end(), 0.0);
    std::fill(out.c_dot.begin(), out.c_dot.end(), 0.0);
    out.c[follower_] = 1;
    for (std::size_t k = 0; k < n; ++k) {
      out.c[k] -= g[k];
      for (std::size_t l = 0; with_rates && l < n; ++l)
        out.c_dot[k] -= h[k * n + l] * m.measure(measures_[l]).rate();
    }
    return out;
  }
  // Σ first_k ∇S_k + second_k ∇²S_k v
  void add_up(const Motion<D>& m, double* out, std::span<const double> first,
              std::span<const double> second) const {
    std::fill_n(out, D * elements_.size(), 0.0);
    const int* place = place_.data();
    for (std::size_t k = 0; k < measures_.size(); ++k) {
      const MeasureView<D> s = m.measure(measures_[k]);
      for (int i = 0; i < s.n; ++i)
        out[place[i / D] + i % D] +=
            first[k] * s.gradient()[i] + (second.empty() ? 0.0 : second[k] * s.rate_gradient()[i]);
      place += s.n / D;
    }
  }

  expressions::Expression f_;
  std::vector<int> measures_;  // those of f, then the one that follows, if f does not contain it
  std::size_t follower_ = 0;   // among them
  std::vector<int> elements_;
  std::vector<int> place_;  // of each measure's elements among the row's columns
};

}  // namespace trammel::system
