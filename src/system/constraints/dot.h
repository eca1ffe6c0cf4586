// Product of two vectors: Φ = f·(u·w − c), with u and w linear in the coordinates.
//
//   u = w = r_b − r_a, f = ½     distance: Φ = ½(|d|² − L²); λ > 0 pulls the points together
//   u, w material vectors        perpendicularity, rigidity of a body
//   u = r_b − r_a, w a vector    point on a plane
//
//   Φ_v = f (wᵀ ∂u + uᵀ ∂w),  γ = 2f u̇·ẇ               García de Jalón & Bayo (1994), ch. 2
//   It is linear in q: Φ̇_v is Φ_v at q̇.
#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>

#include "system/motion.h"
#include "system/terms.h"

namespace trammel::system {

template <int D>
class Dot {
 public:
  static constexpr int kMaxTerms = D == 2 ? 4 : 8;  // two bodies of two (plane) or four (space) elements

  Dot(const Slot<D>& u, const Slot<D>& w, double factor, double constant, int free_elements)
      : factor_(factor), constant_(constant), u_(u), w_(w) {
    LinearForm<D> all = u.form.plus(w.form, 0);
    std::stable_partition(all.terms.begin(), all.terms.end(),
                          [&](const auto& term) { return term.element < free_elements; });
    for (const auto& term : all.terms) {
      const Weight<D> wu = weight(u.form, term.element), ww = weight(w.form, term.element);
      if (wu.is_zero() && ww.is_zero()) continue;
      if (terms_ == kMaxTerms) throw std::logic_error("Dot: more elements than two bodies have");
      term_[static_cast<std::size_t>(terms_++)] = {term.element, wu, ww};
      if (term.element < free_elements) free_terms_ = terms_;
    }
  }

  static constexpr bool kHolonomic = true;
  static constexpr int rows() { return 1; }
  void declare(RowPattern& pattern) const {
    std::vector<int> elements;
    for (int i = 0; i < free_terms_; ++i) elements.push_back(term_[static_cast<std::size_t>(i)].element);
    pattern.add_row(columns_of<D>(elements));
  }

  struct Term {
    int element;
    Weight<D> u, w;
  };
  int free_terms() const { return free_terms_; }
  const Term& term(std::size_t i) const { return term_[i]; }  // the free ones first
  double factor() const { return factor_; }
  double constant() const { return constant_; }
  // u and w are one vector.
  bool is_square() const {
    return std::all_of(term_.begin(), term_.begin() + terms_,
                       [](const Term& t) { return t.u.alpha == t.w.alpha && t.u.beta == t.w.beta; });
  }
  // No quarter turns.
  bool is_plain() const {
    return std::all_of(term_.begin(), term_.begin() + terms_,
                       [](const Term& t) { return t.u.beta == 0 && t.w.beta == 0; });
  }
  // What ground's elements give to u and w.
  std::pair<math::Vec<D>, math::Vec<D>> vectors_of_ground(const Elements<D>& x) const {
    return vectors(x, free_terms_);
  }

  void evaluate(const Elements<D>& x, const Elements<D>& v, unsigned ask, RowOutput out) const {
    if (ask & kAskPosition) {
      const auto [u, w] = vectors(x);
      *out.Phi = factor_ * (u.dot(w) - constant_);
      *out.Phi_t = 0;
      gradient(u, w, out.Phi_v);
    }
    if (ask & (kAskGamma | kAskRates)) {
      const auto [ud, wd] = vectors(v);
      *out.gamma = 2 * factor_ * ud.dot(wd);
      if (ask & kAskRates) gradient(ud, wd, out.Phi_v_dot);
    }
  }

  // Φ over any scalar.
  template <class T>
  std::array<T, 1> value(const std::vector<std::array<T, D>>& x) const {
    return {factor_ * (product(u_.form.at(x), w_.form.at(x)) - constant_)};
  }

  // −λ ∂Φ/∂(side): what the constraint does to each material point or vector.
  template <class Give>
  void sides(const Motion<D>& m, const double* lambda, Give&& give) const {
    const auto [u, w] = vectors(m.x);
    for (const auto& side : u_.sides) give(side.material, math::Vec<D>(-*lambda * factor_ * side.sign * w));
    for (const auto& side : w_.sides) give(side.material, math::Vec<D>(-*lambda * factor_ * side.sign * u));
  }

 private:
  static Weight<D> weight(const LinearForm<D>& form, int element) {
    for (const auto& term : form.terms)
      if (term.element == element) return term.weight;
    return {};
  }
  // f (wᵀ ∂u + uᵀ ∂w)
  void gradient(const math::Vec<D>& u, const math::Vec<D>& w, double* out) const {
    for (int i = 0; i < free_terms_; ++i) {
      const Term& term = term_[static_cast<std::size_t>(i)];
      const math::Vec<D> g = factor_ * (term.u.transposed(w) + term.w.transposed(u));
      for (int k = 0; k < D; ++k) *out++ = g[k];
    }
  }
  std::pair<math::Vec<D>, math::Vec<D>> vectors(const Elements<D>& x, int first = 0) const {
    math::Vec<D> u = math::Vec<D>::Zero(), w = math::Vec<D>::Zero();
    for (int i = first; i < terms_; ++i) {
      const Term& term = term_[static_cast<std::size_t>(i)];
      const math::Vec<D> e = x[term.element];
      u += term.u * e;
      w += term.w * e;
    }
    return {u, w};
  }

  int terms_ = 0, free_terms_ = 0;
  double factor_, constant_;
  std::array<Term, kMaxTerms> term_{};
  Slot<D> u_, w_;
};

}  // namespace trammel::system
