// Measures tied together and to time: Φ = Σ c_k S_k(q) − f(t). Drivers, gears, screws, racks.
//
//   Φ_v = Σ c_k ∇S_k,  Φ_t = −ḟ,  γ = Σ c_k vᵀ∇²S_k v − f̈,  Φ̇_v = Σ c_k ∇²S_k v
//
// A measure that other constraints keep constant may have a coefficient of either sign, c_k = σ c, σ as the
// State says which flank of a tooth presses (decisions.h): it gives the force its direction. It is left out
// of Φ, so that Φ does not jump with σ.
#pragma once

#include <algorithm>

#include "system/motion.h"
#include "system/terms.h"

namespace trammel::system {

template <int D>
class Coupled {
 public:
  struct Part {
    int measure;
    double coefficient;
    int flank = -1;  // among the State's; −1: the coefficient has one sign
  };

  Coupled(std::vector<Part> parts, expressions::Expression f, std::span<const Measure<D>> measures)
      : parts_(std::move(parts)), f_(std::move(f)) {
    ElementList<D> list(0);
    for (const Part& part : parts_) list.take(measures[static_cast<std::size_t>(part.measure)]);
    elements_ = list.list();
    for (const Part& part : parts_)
      for (int e : measures[static_cast<std::size_t>(part.measure)].elements())
        place_.push_back(column_in<D>(elements_, e));
  }

  const std::vector<Part>& parts() const { return parts_; }
  const expressions::Expression& f() const { return f_; }
  int first_measure() const { return parts_.front().measure; }
  // A driver: one measure follows f.
  bool is_driver() const { return parts_.size() == 1; }
  double target(std::span<const double> signals, std::span<double> scratch) const {
    return f_.value(signals, scratch);
  }
  // Among the State's flanks; −1: none.
  int flank() const {
    for (const Part& part : parts_)
      if (part.flank >= 0) return part.flank;
    return -1;
  }
  static constexpr bool kHolonomic = true;
  static constexpr int rows() { return 1; }
  void declare(RowPattern& pattern) const { pattern.add_row(columns_of<D>(elements_)); }

  void evaluate(const Motion<D>& m, unsigned ask, RowOutput out) const {
    const expressions::Expression::Taylor f = f_.taylor(m.signals, 0, m.scratch);
    if (ask & kAskPosition) {
      *out.Phi = -f.f;
      *out.Phi_t = -f.fd;
      for (const Part& part : parts_)
        if (part.flank < 0) *out.Phi += part.coefficient * m.measure(part.measure).value();
      add_up(m, &MeasureView<D>::gradient, out.Phi_v);
    }
    if (ask & kAskRates) add_up(m, &MeasureView<D>::rate_gradient, out.Phi_v_dot);
    if (ask & kAskGamma) {
      *out.gamma = -f.fdd;
      for (const Part& part : parts_)
        *out.gamma += coefficient(m, part) * m.measure(part.measure).curvature();
    }
  }

  // The generalized force along the measure of part k.
  double effort(const Motion<D>&, double lambda, std::size_t k) const {
    return -lambda * parts_.at(k).coefficient;
  }

  template <class Give>
  void sides(const Motion<D>& m, const double* lambda, Give&& give) const {
    for (const Part& part : parts_) {
      const Measure<D>& s = m.measures[static_cast<std::size_t>(part.measure)];
      const SlotJet<D> jet = s.jet(m.x);
      for (std::size_t k = 0; k < s.slots().size(); ++k)
        for (const auto& side : s.slots()[k].sides)
          give(side.material, math::Vec<D>(-*lambda * coefficient(m, part) * side.sign * jet.g[k]));
    }
  }

 private:
  static double coefficient(const Motion<D>& m, const Part& part) {
    if (part.flank < 0) return part.coefficient;
    const auto k = static_cast<std::size_t>(part.flank);
    return k < m.flanks.size() ? m.flanks[k] * part.coefficient : 0;
  }
  // The sum of c_k times a gradient of each measure.
  void add_up(const Motion<D>& m, const double* (MeasureView<D>::*gradient)() const, double* out) const {
    std::fill_n(out, D * elements_.size(), 0.0);
    const int* place = place_.data();
    for (const Part& part : parts_) {
      const MeasureView<D> s = m.measure(part.measure);
      const double c = coefficient(m, part);
      for (int i = 0; i < s.n; ++i) out[place[i / D] + i % D] += c * (s.*gradient)()[i];
      place += s.n / D;
    }
  }

  std::vector<Part> parts_;
  expressions::Expression f_;
  std::vector<int> elements_;
  std::vector<int> place_;  // of each part's elements among the row's columns
};

}  // namespace trammel::system
