// Two material points (or vectors) that are one: Φ = r_b − r_a, D rows, linear; Φ_v constant, γ = 0.
//
//   λ is the force that b exerts on a.
#pragma once

#include "system/motion.h"
#include "system/terms.h"

namespace trammel::system {

template <int D>
class Coincident {
 public:
  Coincident(const Slot<D>& difference, int free_elements) : slot_(difference) {
    for (const auto& term : slot_.form.terms)
      if (term.element < free_elements && !term.weight.is_zero()) free_.push_back(term);
  }

  static constexpr bool kHolonomic = true;
  static constexpr int rows() { return D; }
  void declare(RowPattern& pattern) const {
    for (int i = 0; i < D; ++i) {
      std::vector<int> columns;
      for (const auto& term : free_)
        for (int k = 0; k < D; ++k)
          if (D == 2 || k == i) columns.push_back(D * term.element + k);
      pattern.add_row(columns);
    }
  }

  void evaluate(const Motion<D>& m, unsigned ask, RowOutput out) const {
    // Φ_v is constant; Φ_t, γ and Φ̇_v stay zero.
    if (ask & kAskPosition) Eigen::Map<math::Vec<D>>(out.Phi) = slot_.form(m.x);
  }
  void fill_jacobian(double* Phi_v) const {
    for (int i = 0; i < D; ++i)
      for (const auto& term : free_) {
        const math::Mat<D> w = term.weight.matrix();
        for (int k = 0; k < D; ++k)
          if (D == 2 || k == i) *Phi_v++ = w(i, k);
      }
  }

  // Φ over any scalar.
  template <class T>
  std::array<T, D> value(const std::vector<std::array<T, D>>& x) const {
    return slot_.form.at(x);
  }

  template <class Give>
  void sides(const Motion<D>&, const double* lambda, Give&& give) const {
    for (const auto& side : slot_.sides)
      give(side.material, math::Vec<D>(-side.sign * Eigen::Map<const math::Vec<D>>(lambda)));
  }

 private:
  Slot<D> slot_;
  std::vector<typename LinearForm<D>::Term> free_;
};

}  // namespace trammel::system
