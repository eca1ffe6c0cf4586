// A linear spring and damper between two points, the commonest force: Q = F n on b, −F n on a.
//
//   d = r_b − r_a,  S = |d|,  n = d/S,  F = −(k (S − S₀) + c Ṡ + p),  Ṡ = n·ḋ
//   ∂(F n)/∂d = n (−k n − c (ḋ − Ṡ n)/S)ᵀ + (F/S)(1 − n nᵀ),   ∂(F n)/∂ḋ = −c n nᵀ
//
// The same as an Effort on the distance (effort.h), without the detour over a measure.
#pragma once

#include "system/forces/law.h"
#include "system/motion.h"

namespace trammel {

template <int D>
class Spring {
 public:
  Spring(const Slot<D>& gap, const LinearLaw& law, int free_elements) : gap_(gap), law_(law) {
    for (const auto& term : gap.form.terms)
      if (term.element < free_elements && !term.weight.is_zero()) free_.push_back(term);
    for (const auto& term : free_)
      for (int i = 0; i < D; ++i) columns_.push_back(D * term.element + i);
  }

  // A damper's K is not symmetric, by a term that modified Newton may leave out.
  static constexpr bool symmetric() { return true; }
  bool conservative() const { return law_.damping == 0; }
  int block_size() const { return static_cast<int>(columns_.size() * columns_.size()); }
  void declare(EntryPattern& K, EntryPattern& C) const { declare_block(columns_, K, C); }

  void evaluate(const Motion<D>& m, ForceOutput& out) const {
    const Vec<D> d = gap_.form(m.x), d_dot = gap_.form(m.v);
    const double S = d.norm();
    const Vec<D> n = d / S;
    const double rate = n.dot(d_dot);
    const LawValue law = trammel::evaluate(law_, S, rate);
    const Vec<D> force = law.F * n;
    for (const auto& term : free_)
      Eigen::Map<Vec<D>>(out.Q + D * term.element) += term.weight.transposed(force);
    out.potential += law.potential;
    out.power += law.power_factor * rate;
    if (!out.K) return;
    const Mat<D> nn = n * n.transpose();
    const Mat<D> K = -(law.F_S * nn + law.F_rate / S * n * (d_dot - rate * n).transpose() +
                       law.F / S * (Mat<D>::Identity() - nn));
    spread(K, out.K);
    spread(-law.F_rate * nn, out.C);
  }

  template <class Give>
  void sides(const Motion<D>& m, Give&& give) const {
    const Vec<D> d = gap_.form(m.x);
    const double S = d.norm();
    const double F = trammel::evaluate(law_, S, d.dot(gap_.form(m.v)) / S).F;
    for (const auto& side : gap_.sides) give(side.material, Vec<D>(F / S * side.sign * d));
  }

 private:
  // W_eᵀ block W_f for all pairs of elements
  void spread(const Mat<D>& block, double* to) const {
    const auto n = static_cast<Eigen::Index>(columns_.size());
    Block all(to, n, n);
    for (std::size_t e = 0; e < free_.size(); ++e) {
      const Mat<D> left = free_[e].weight.matrix().transpose() * block;
      for (std::size_t f = 0; f < free_.size(); ++f)
        all.template block<D, D>(D * static_cast<Eigen::Index>(e), D * static_cast<Eigen::Index>(f)) =
            left * free_[f].weight.matrix();
    }
  }

  Slot<D> gap_;
  LinearLaw law_;
  std::vector<typename LinearForm<D>::Term> free_;
  std::vector<int> columns_;
};

}  // namespace trammel
