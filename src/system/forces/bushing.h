// Bushing: linear springs and dampers coupled over several measures, F = −(K s + C ṡ), Q = Σ F_i ∇s_i.
//
//   −∂Q/∂q = Σ_ij K_ij ∇s_i∇s_jᵀ + C_ij ∇s_i (∇²s_j v)ᵀ − Σ_i F_i ∇²s_i
//   −∂Q/∂v = Σ_ij C_ij ∇s_i∇s_jᵀ
//
// With K symmetric it has the potential ½ sᵀK s.
#pragma once

#include "system/motion.h"
#include "system/terms.h"

namespace trammel::system {

template <int D>
class BushingForce {
 public:
  BushingForce(std::vector<int> measures, Eigen::MatrixXd stiffness, Eigen::MatrixXd damping,
               std::span<const Measure<D>> all)
      : measures_(std::move(measures)), stiffness_(std::move(stiffness)), damping_(std::move(damping)) {
    ElementList<D> list(0);
    for (int k : measures_) list.take(all[static_cast<std::size_t>(k)]);
    elements_ = list.list();
    columns_ = columns_of<D>(elements_);
  }

  bool symmetric() const {
    return stiffness_.isApprox(stiffness_.transpose()) && damping_.isApprox(damping_.transpose());
  }
  bool conservative() const { return damping_.isZero() && symmetric(); }
  static constexpr bool damped() { return true; }
  static constexpr bool reads_signals() { return true; }
  int block_size() const { return static_cast<int>(columns_.size() * columns_.size()); }
  void declare(EntryPattern& K, EntryPattern& C) const { declare_block(columns_, K, C); }

  void evaluate(const Motion<D>& m, ForceOutput& out) const {
    const Law law = force(m);
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      const MeasureView<D> s = m.measure(measures_[i]);
      const auto& elements = m.measures[static_cast<std::size_t>(measures_[i])].elements();
      for (std::size_t e = 0; e < elements.size(); ++e)
        for (int d = 0; d < D; ++d)
          out.Q[D * elements[e] + d] +=
              law.F[static_cast<int>(i)] * s.gradient()[D * static_cast<int>(e) + d];
    }
    // A stiffness that is not symmetric has no potential: all of it counts as power.
    const Small Ks = stiffness_ * law.s, Cr = damping_ * law.rate;
    if (symmetric()) {
      out.potential += 0.5 * law.s.dot(Ks);
      out.power -= law.rate.dot(Cr);
    } else {
      out.power += law.rate.dot(law.F);
    }
    if (out.K) tangent(m, law, out);
  }

  // Along the measure i.
  double force(const Motion<D>& m, int i) const { return force(m).F[i]; }

  template <class Give>
  void sides(const Motion<D>& m, Give&& give) const {
    const Law law = force(m);
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      const Measure<D>& s = m.measures[static_cast<std::size_t>(measures_[i])];
      const SlotJet<D> jet = s.jet(m.x);
      for (std::size_t k = 0; k < s.slots().size(); ++k)
        for (const auto& side : s.slots()[k].sides)
          give(side.material, math::Vec<D>(law.F[static_cast<int>(i)] * side.sign * jet.g[k]));
    }
  }

 private:
  using Small = Eigen::Matrix<double, -1, 1, 0, 6, 1>;
  struct Law {
    Small s, rate, F;
  };
  Law force(const Motion<D>& m) const {
    const auto n = static_cast<Eigen::Index>(measures_.size());
    Law law{Small(n), Small(n), Small(n)};
    for (Eigen::Index i = 0; i < n; ++i) {
      law.s[i] = m.measure(measures_[static_cast<std::size_t>(i)]).value();
      law.rate[i] = m.measure(measures_[static_cast<std::size_t>(i)]).rate();
    }
    law.F = -(stiffness_.lazyProduct(law.s) + damping_.lazyProduct(law.rate));
    return law;
  }
  void tangent(const Motion<D>& m, const Law& law, ForceOutput& out) const;

  std::vector<int> measures_;
  Eigen::MatrixXd stiffness_, damping_;
  std::vector<int> elements_, columns_;
};

template <int D>
void BushingForce<D>::tangent(const Motion<D>& m, const Law& law, ForceOutput& out) const {
  const auto n = static_cast<Eigen::Index>(columns_.size());
  Block K(out.K, n, n), C(out.C, n, n);
  K.setZero();
  C.setZero();
  const auto place = [&](int element) { return column_in<D>(elements_, element); };
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    const MeasureView<D> si = m.measure(measures_[i]);
    const auto& ei = m.measures[static_cast<std::size_t>(measures_[i])].elements();
    const Eigen::Map<const Eigen::MatrixXd> H(si.hessian(), si.n, si.n);
    for (std::size_t e = 0; e < ei.size(); ++e) {
      const int a = D * static_cast<int>(e);
      const Eigen::Map<const math::Vec<D>> g(si.gradient() + a);
      for (std::size_t f = 0; f < ei.size(); ++f)
        K.template block<D, D>(place(ei[e]), place(ei[f])) -=
            law.F[static_cast<int>(i)] * H.template block<D, D>(a, D * static_cast<int>(f));
      for (std::size_t j = 0; j < measures_.size(); ++j) {
        const MeasureView<D> sj = m.measure(measures_[j]);
        const double k = stiffness_(static_cast<int>(i), static_cast<int>(j)),
                     c = damping_(static_cast<int>(i), static_cast<int>(j));
        const auto& ej = m.measures[static_cast<std::size_t>(measures_[j])].elements();
        for (std::size_t f = 0; f < ej.size(); ++f) {
          const int b = D * static_cast<int>(f);
          const Eigen::Map<const math::Vec<D>> gj(sj.gradient() + b), rj(sj.rate_gradient() + b);
          K.template block<D, D>(place(ei[e]), place(ej[f])) += g * (k * gj + c * rj).transpose();
          C.template block<D, D>(place(ei[e]), place(ej[f])) += g * (c * gj).transpose();
        }
      }
    }
  }
}

}  // namespace trammel::system
