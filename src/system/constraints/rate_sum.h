// Rates of measures tied together and to time: A v + b = Σ c_k(q, t) Ṡ_k − f(q, t). Of velocities only: speed
// drivers, couplings of speeds.
//
//   A = Σ c_k ∇S_k,  b = −f,  γ = Σ (ċ_k Ṡ_k + c_k vᵀ∇²S_k v) − ḟ,  Ȧ = Σ (ċ_k ∇S_k + c_k ∇²S_k v)
#pragma once

#include <algorithm>

#include "system/motion.h"
#include "system/terms.h"

namespace trammel::system {

template <int D>
class RateSum {
 public:
  // An expression of time and of measures.
  struct Law {
    expressions::Expression f;
    std::vector<SignalSource> sources;  // of f.slots(): measures, or time

    bool is_zero() const {
      std::vector<double> scratch(static_cast<std::size_t>(f.scratch_size()));
      return f.is_constant() && f.value({}, scratch) == 0;
    }
    double value(const Motion<D>& m) const { return f.value(m.signals, m.scratch); }
    // ḟ = ∂f/∂t + Σ ∂f/∂S Ṡ
    double rate(const Motion<D>& m) const {
      const std::span<double> g = m.scratch.first(sources.size());
      f.gradient(m.signals, g, m.scratch.subspan(sources.size()));
      double sum = 0;
      for (std::size_t k = 0; k < sources.size(); ++k)
        sum += g[k] * (sources[k].measure < 0 ? 1 : m.measure(sources[k].measure).rate());
      return sum;
    }
  };
  struct Part {
    int measure;
    Law coefficient;
  };

  RateSum(std::vector<Part> parts, Law f, std::span<const Measure<D>> measures)
      : parts_(std::move(parts)), f_(std::move(f)) {
    ElementList<D> list(0);
    for (const Part& part : parts_) list.take(measures[static_cast<std::size_t>(part.measure)]);
    elements_ = list.list();
    for (const Part& part : parts_)
      for (int e : measures[static_cast<std::size_t>(part.measure)].elements())
        place_.push_back(column_in<D>(elements_, e));
  }

  static constexpr bool kHolonomic = false;
  static constexpr int rows() { return 1; }
  // It depends on time, or does work: b ≠ 0.
  bool rheonomic() const {
    const auto sees_time = [](const Law& law) {
      return std::any_of(law.sources.begin(), law.sources.end(),
                         [](const SignalSource& source) { return source.measure < 0; });
    };
    return !f_.is_zero() || std::any_of(parts_.begin(), parts_.end(),
                                        [&](const Part& part) { return sees_time(part.coefficient); });
  }
  void declare(RowPattern& pattern) const { pattern.add_row(columns_of<D>(elements_)); }

  void evaluate(const Motion<D>& m, unsigned ask, RowOutput out) const {
    if (ask & kAskPosition) {
      *out.Phi = 0;
      *out.Phi_t = -f_.value(m);
      add_up(m, out.Phi_v, [&](const Law& c) { return Pair{c.value(m), 0}; });
    }
    if (ask & kAskRates) add_up(m, out.Phi_v_dot, [&](const Law& c) { return Pair{c.rate(m), c.value(m)}; });
    if (ask & kAskGamma) {
      *out.gamma = -f_.rate(m);
      for (const Part& part : parts_) {
        const MeasureView<D> s = m.measure(part.measure);
        *out.gamma += part.coefficient.rate(m) * s.rate() + part.coefficient.value(m) * s.curvature();
      }
    }
  }

  // The generalized force along the measure of part k.
  double effort(const Motion<D>& m, double lambda, std::size_t k) const {
    return -lambda * parts_.at(k).coefficient.value(m);
  }

  template <class Give>
  void sides(const Motion<D>& m, const double* lambda, Give&& give) const {
    for (const Part& part : parts_) {
      const Measure<D>& s = m.measures[static_cast<std::size_t>(part.measure)];
      const SlotJet<D> jet = s.jet(m.x);
      const double force = -*lambda * part.coefficient.value(m);
      for (std::size_t k = 0; k < s.slots().size(); ++k)
        for (const auto& side : s.slots()[k].sides)
          give(side.material, math::Vec<D>(force * side.sign * jet.g[k]));
    }
  }

 private:
  // The sum of first·∇S_k + second·∇²S_k v, with the pair that belongs to c_k.
  struct Pair {
    double first, second;
  };
  template <class PairOf>
  void add_up(const Motion<D>& m, double* out, PairOf&& pair_of) const {
    std::fill_n(out, D * elements_.size(), 0.0);
    const int* place = place_.data();
    for (const Part& part : parts_) {
      const MeasureView<D> s = m.measure(part.measure);
      const Pair c = pair_of(part.coefficient);
      for (int i = 0; i < s.n; ++i)
        out[place[i / D] + i % D] += c.first * s.gradient()[i] + c.second * s.rate_gradient()[i];
      place += s.n / D;
    }
  }

  std::vector<Part> parts_;
  Law f_;
  std::vector<int> elements_;
  std::vector<int> place_;  // of each part's elements among the row's columns
};

}  // namespace trammel::system
