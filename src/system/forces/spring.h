// A linear spring and damper between two points, the commonest force: Q = F n on b, −F n on a.
//
//   d = r_b − r_a,  S = |d|,  n = d/S,  F = −(k (S − S₀) + c Ṡ + p),  Ṡ = n·ḋ
//   ∂(F n)/∂d = n (−k n − c (ḋ − Ṡ n)/S)ᵀ + (F/S)(1 − n nᵀ),   ∂(F n)/∂ḋ = −c n nᵀ
//
// The same as an Effort on the distance (effort.h), without the detour over a measure.
#pragma once

#include <array>
#include <stdexcept>

#include "math/unroll.h"
#include "system/forces/law.h"
#include "system/motion.h"

namespace trammel::system {

template <int D>
class Spring {
 public:
  // ground: places of its elements
  Spring(const Slot<D>& gap, const LinearLaw& law, const Elements<D>& ground) : gap_(gap), law_(law) {
    for (const auto& term : gap.form.terms) {
      const bool held = term.element >= ground.free_elements;
      if (held) held_ += term.weight * math::Vec<D>(ground[term.element]);
      if (!held && !term.weight.is_zero()) free_.push_back(term);
    }
    if (free_.size() > kMost) throw std::logic_error("Spring: more elements than two bodies have");
    for (const auto& term : free_)
      for (int i = 0; i < D; ++i) columns_.push_back(D * term.element + i);
  }

  const Slot<D>& gap() const { return gap_; }
  const LinearLaw& law() const { return law_; }

  // A damper's K is not symmetric, by a term that modified Newton may leave out.
  static constexpr bool symmetric() { return true; }
  bool conservative() const { return !damped(); }
  bool damped() const { return law_.damping != 0; }
  static constexpr bool reads_signals() { return false; }
  int block_size() const { return static_cast<int>(columns_.size() * columns_.size()); }
  void declare(EntryPattern& K, EntryPattern& C) const { declare_block(columns_, K, C); }

  void evaluate(const Motion<D>& m, ForceOutput& out) const {
    const math::Vec<D> d = sum(m.x.free, held_);
    const math::Vec<D> d_dot = damped() ? sum(m.v.free, math::Vec<D>::Zero()) : math::Vec<D>::Zero();
    const double S = d.norm();
    const math::Vec<D> n = spring_direction(law_, d, S, d_dot);
    const double rate = n.dot(d_dot);
    const LawValue law = system::evaluate(law_, S, rate);
    // W_eᵀ n: how d grows with each element
    std::array<math::Vec<D>, kMost> g;
    for (std::size_t e = 0; e < free_.size(); ++e) {
      g[e] = free_[e].weight.transposed(n);
      for (int i = 0; i < D; ++i) out.Q[D * free_[e].element + i] += law.F * g[e][i];
    }
    out.potential += law.potential;
    out.power += law.power_factor * rate;
    if (!out.K) return;
    const double pull = S > 0 ? law.F / S : law.F_S;  // per length
    spread(g, pull - law.F_S, -pull, out.K);
    if (damped()) add_damping(g, d_dot - rate * n, law.F_rate, S, out);
  }

  // F of the present length and rate
  double force(const Motion<D>& m) const {
    const math::Vec<D> d = gap_.form(m.x), d_dot = gap_.form(m.v);
    const double S = d.norm();
    return system::evaluate(law_, S, spring_direction(law_, d, S, d_dot).dot(d_dot)).F;
  }

  template <class Give>
  void sides(const Motion<D>& m, Give&& give) const {
    const math::Vec<D> d = gap_.form(m.x);
    const math::Vec<D> n = spring_direction(law_, d, d.norm(), math::Vec<D>(gap_.form(m.v)));
    const double F = force(m);
    for (const auto& side : gap_.sides) give(side.material, math::Vec<D>(F * side.sign * n));
  }

 private:
  // d, or its rate; what ground holds stands in its place, and still
  math::Vec<D> sum(const double* x, math::Vec<D> d) const {
    for (const auto& term : free_)
      d += term.weight * math::Vec<D>(Eigen::Map<const math::Vec<D>>(x + D * term.element));
    return d;
  }
  static constexpr std::size_t kMost = 8;  // elements of two bodies
  using Directions = std::array<math::Vec<D>, kMost>;

  // to_ef = along g_e g_fᵀ + across W_eᵀ W_f
  void spread(const Directions& g, double along, double across, double* to) const {
    const std::size_t elements = free_.size(), n = columns_.size();
    for (std::size_t e = 0; e < elements; ++e)
      for (std::size_t f = 0; f < elements; ++f) {
        const Weight<D> we = free_[e].weight, wf = free_[f].weight;
        const double same = across * (we.alpha * wf.alpha + we.beta * wf.beta);
        const double turned = across * (we.alpha * wf.beta - we.beta * wf.alpha);  // times J
        double* block = to + D * (e * n + f);
        math::unroll<D>([&](auto i) {
          math::unroll<D>([&](auto k) {
            const double rest = i == k ? same : D == 3 ? 0 : i == 0 ? -turned : turned;
            block[i * n + k] = along * g[e][i] * g[f][k] + rest;
          });
        });
      }
  }
  // C = −F_Ṡ n nᵀ, and the part of K that turns with the damper: −(F_Ṡ/S) n (ḋ − Ṡ n)ᵀ
  void add_damping(const Directions& g, const math::Vec<D>& across, double F_rate, double S,
                   ForceOutput& out) const {
    spread(g, -F_rate, 0, out.C);
    if (S == 0) return;
    const auto n = static_cast<Eigen::Index>(columns_.size());
    Block K(out.K, n, n);
    for (std::size_t f = 0; f < free_.size(); ++f) {
      const math::Vec<D> h = F_rate / S * free_[f].weight.transposed(across);
      for (std::size_t e = 0; e < free_.size(); ++e)
        K.template block<D, D>(D * static_cast<Eigen::Index>(e), D * static_cast<Eigen::Index>(f)) -=
            g[e] * h.transpose();
    }
  }

  Slot<D> gap_;
  LinearLaw law_;
  math::Vec<D> held_ = math::Vec<D>::Zero();  // what ground's elements give to d
  std::vector<typename LinearForm<D>::Term> free_;
  std::vector<int> columns_;
};

}  // namespace trammel::system
