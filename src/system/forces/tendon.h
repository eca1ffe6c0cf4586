// Tendon: a spring and damper on a sum of measures, L = Σ c_k S_k, Q = F ∇L.
//
//   F = −(k (L − L₀) + d L̇ + p),   the tension is −F
//   −∂Q/∂q = k ∇L∇Lᵀ + d ∇L (∇²L v)ᵀ − F ∇²L,   −∂Q/∂v = d ∇L∇Lᵀ
#pragma once

#include "system/forces/law.h"
#include "system/motion.h"
#include "system/terms.h"

namespace trammel::system {

template <int D>
class TendonForce {
 public:
  struct Term {
    int measure;
    double coefficient;
  };
  TendonForce(std::vector<Term> terms, LinearLaw law, std::span<const Measure<D>> measures)
      : terms_(std::move(terms)), law_(law) {
    ElementList<D> list(0);
    for (const Term& term : terms_) list.take(measures[static_cast<std::size_t>(term.measure)]);
    elements_ = list.list();
    columns_ = columns_of<D>(elements_);
  }

  static constexpr bool symmetric() { return true; }  // but for ∇L (∇²L v)ᵀ
  bool conservative() const { return law_.damping == 0; }
  bool damped() const { return law_.damping != 0; }
  static constexpr bool reads_signals() { return true; }
  int block_size() const { return static_cast<int>(columns_.size() * columns_.size()); }
  void declare(EntryPattern& K, EntryPattern& C) const { declare_block(columns_, K, C); }

  double force(const Motion<D>& m) const { return magnitude(m).F; }

  void evaluate(const Motion<D>& m, ForceOutput& out) const {
    double L = 0, rate = 0;
    read(m, L, rate);
    const LawValue law = system::evaluate(law_, L, rate);
    out.potential += law.potential;
    out.power += law.power_factor * rate;
    for (const Term& term : terms_) {
      const MeasureView<D> s = m.measure(term.measure);
      const auto& elements = m.measures[static_cast<std::size_t>(term.measure)].elements();
      for (int i = 0; i < s.n; ++i)
        out.Q[D * elements[static_cast<std::size_t>(i / D)] + i % D] +=
            law.F * term.coefficient * s.gradient()[i];
    }
    if (out.K) tangent(m, law, out);
  }

  template <class Give>
  void sides(const Motion<D>& m, Give&& give) const {
    const double F = force(m);
    for (const Term& term : terms_) {
      const Measure<D>& s = m.measures[static_cast<std::size_t>(term.measure)];
      const SlotJet<D> jet = s.jet(m.x);
      for (std::size_t k = 0; k < s.slots().size(); ++k)
        for (const auto& side : s.slots()[k].sides)
          give(side.material, math::Vec<D>(F * term.coefficient * side.sign * jet.g[k]));
    }
  }

 private:
  void read(const Motion<D>& m, double& L, double& rate) const {
    for (const Term& term : terms_) {
      L += term.coefficient * m.measure(term.measure).value();
      rate += term.coefficient * m.measure(term.measure).rate();
    }
  }
  LawValue magnitude(const Motion<D>& m) const {
    double L = 0, rate = 0;
    read(m, L, rate);
    return system::evaluate(law_, L, rate);
  }
  void tangent(const Motion<D>& m, const LawValue& law, ForceOutput& out) const {
    const auto n = static_cast<Eigen::Index>(columns_.size());
    Block K(out.K, n, n), C(out.C, n, n);
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(n), rate_gradient = gradient;  // ∇L, ∇²L v
    K.setZero();
    for (const Term& term : terms_) {
      const MeasureView<D> s = m.measure(term.measure);
      const auto& elements = m.measures[static_cast<std::size_t>(term.measure)].elements();
      const auto place = [&](int i) {
        return column_in<D>(elements_, elements[static_cast<std::size_t>(i / D)]) + i % D;
      };
      for (int i = 0; i < s.n; ++i) {
        gradient[place(i)] += term.coefficient * s.gradient()[i];
        rate_gradient[place(i)] += term.coefficient * s.rate_gradient()[i];
        for (int j = 0; j < s.n; ++j)
          K(place(i), place(j)) -= law.F * term.coefficient * s.hessian()[i * s.n + j];
      }
    }
    K.noalias() -= gradient * (law.F_S * gradient + law.F_rate * rate_gradient).transpose();
    C.noalias() = -law.F_rate * gradient * gradient.transpose();
  }

  std::vector<Term> terms_;
  LinearLaw law_;
  std::vector<int> elements_, columns_;
};

}  // namespace trammel::system
