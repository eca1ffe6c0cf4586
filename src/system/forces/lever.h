// Lever: how a force of unit magnitude acts on the coordinates, Q = F·B(q), and the derivative of B.
//
//   measure    B = ∇S               springs, joint torques: along the measure S
//   directed   B = ∂rᵀ e            at a material point r along a material vector e (a world axis is
//   ground's) torque     B = ½ Σ ∂e_kᵀ (n × e_k)  about a material vector n, on a body with axes e_1, e_2,
//   e_3;
//              in the plane B = ∂eᵀ J e; on a slender rod B = ∂eᵀ (n × e)
//
// The torque's form follows from ½ Σ (n × e_k)·(δφ × e_k) = n·δφ for orthonormal e_k.
#pragma once

#include <array>
#include <variant>

#include "system/motion.h"

namespace trammel::system {

struct MeasureLever {
  int measure;
};
template <int D>
struct DirectedLever {
  Material<D> point, direction;
};
template <int D>
struct TorqueLever {
  Material<D> axis;                // unused in the plane
  std::vector<Material<D>> frame;  // orthonormal material vectors: 1 (plane, rod) or 3
  double weight() const { return frame.size() == 3 ? 0.5 : 1; }
};
template <int D>
using Lever = std::variant<MeasureLever, DirectedLever<D>, TorqueLever<D>>;

// The force per unit magnitude on one material, and its derivative Σ block · δ(form).
template <int D>
struct LeverTerm {
  const Material<D>* on = nullptr;
  math::Vec<D> force;
  struct Derivative {
    const LinearForm<D>* form = nullptr;
    math::Mat<D> block;
  };
  std::array<Derivative, 2> derivative;
};

template <int D>
struct LeverTerms {
  std::array<LeverTerm<D>, 3> term;
  std::size_t count = 0;
  auto begin() const { return term.begin(); }
  auto end() const { return term.begin() + count; }
};

template <int D>
LeverTerms<D> lever_terms(const DirectedLever<D>& lever, const Elements<D>& x) {
  const LinearForm<D>& e = lever.direction.form;
  const math::Mat<D> zero = math::Mat<D>::Zero();
  return {{{{&lever.point, e(x), {{{&e, math::Mat<D>::Identity()}, {&e, zero}}}}}}, 1};
}

template <int D>
LeverTerms<D> lever_terms(const TorqueLever<D>& lever, const Elements<D>& x) {
  LeverTerms<D> terms;
  const double w = lever.weight();
  for (const Material<D>& e : lever.frame) {
    const math::Vec<D> ev = e.form(x);
    LeverTerm<D>& term = terms.term[terms.count++];
    if constexpr (D == 2) {
      math::Mat<2> turn;
      turn << 0, -1, 1, 0;
      term = {&e, math::quarter_turn(ev), {{{&e.form, turn}, {&e.form, math::Mat<2>::Zero()}}}};
    } else {
      const math::Vec<3> n = lever.axis.form(x);
      term = {&e, w * n.cross(ev), {{{&lever.axis.form, -w * math::skew(ev)}, {&e.form, w * math::skew(n)}}}};
    }
  }
  return terms;
}

}  // namespace trammel::system
