// Rotor: the gyroscopic torque −ω × h on the carrier of a rotor of constant relative momentum h.
//
// h is fixed in the carrier, so ω × h = ḣ, linear in the velocities, and with the carrier's axes e_k
//
//   Q = −½ Σ ∂e_kᵀ (ḣ × e_k),   −∂Q/∂q: ½ ∂e_kᵀ [ḣ]ₓ ∂e_k,   −∂Q/∂v: −½ ∂e_kᵀ [e_k]ₓ ∂h
#pragma once

#include <array>

#include "system/motion.h"
#include "system/terms.h"

namespace trammel::system {

class RotorTorque {
 public:
  RotorTorque(Material<3> momentum, std::array<Material<3>, 3> frame, int free_elements)
      : momentum_(std::move(momentum)), frame_(std::move(frame)) {
    ElementList<3> list(free_elements);
    list.take(momentum_.form);
    for (const auto& e : frame_) list.take(e.form);
    elements_ = list.list();
    columns_ = columns_of<3>(elements_);
  }

  static constexpr bool symmetric() { return false; }
  static constexpr bool conservative() { return true; }  // it does no work
  static constexpr bool damped() { return true; }
  static constexpr bool reads_signals() { return true; }
  int block_size() const { return static_cast<int>(columns_.size() * columns_.size()); }
  void declare(EntryPattern& K, EntryPattern& C) const { declare_block(columns_, K, C); }

  void evaluate(const Motion<3>& m, ForceOutput& out) const {
    const math::Vec<3> hd = momentum_.form(m.v);
    for (const auto& e : frame_) {
      const math::Vec<3> f = -0.5 * hd.cross(e.form(m.x));
      for (const auto& term : e.form.terms)
        if (term.element < m.x.free_elements)
          Eigen::Map<math::Vec<3>>(out.Q + 3 * term.element) += term.weight.transposed(f);
    }
    if (!out.K) return;
    const auto n = static_cast<Eigen::Index>(columns_.size());
    Block K(out.K, n, n), C(out.C, n, n);
    K.setZero();
    C.setZero();
    // Adds weight_row · weight_col · block for every pair of free elements of two forms.
    const auto add = [&](Block& to, const LinearForm<3>& rows, const LinearForm<3>& cols,
                         const math::Mat<3>& block) {
      for (const auto& row : rows.terms)
        for (const auto& col : cols.terms) {
          const int r = column_in<3>(elements_, row.element), c = column_in<3>(elements_, col.element);
          if (r >= 0 && c >= 0) to.block<3, 3>(r, c) += row.weight.alpha * col.weight.alpha * block;
        }
    };
    for (const auto& e : frame_) {
      add(K, e.form, e.form, 0.5 * math::skew(hd));
      add(C, e.form, momentum_.form, -0.5 * math::skew(e.form(m.x)));
    }
  }

  template <class Give>
  void sides(const Motion<3>& m, Give&& give) const {
    const math::Vec<3> hd = momentum_.form(m.v);
    for (const auto& e : frame_) give(e, math::Vec<3>(-0.5 * hd.cross(e.form(m.x))));
  }

 private:
  Material<3> momentum_;
  std::array<Material<3>, 3> frame_;
  std::vector<int> elements_, columns_;
};

}  // namespace trammel::system
