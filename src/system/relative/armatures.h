// Rotors that turn with joint coordinates, in relative coordinates. On a joint of the tree the inertia a
// stands on the diagonal of M and nothing else is felt, since S̈ = v̇ there. On a joint that closes a loop,
// with the row g of the reference coordinates, G = Rᵀg and S̈ = G·v̇ + b,
//
//   M += a G Gᵀ,   Q −= a b G,   Ṁv += (Rᵀ a g Ṡ)˙
//
// Members of RelativeSystem, for relative_system.cpp, which instantiates them.
#pragma once

#include <algorithm>

#include "system/relative/relative_system.h"

namespace trammel::system {

template <int D>
void RelativeSystem<D>::find_armatures() {
  const std::vector<Armature>& all = bodies_.elements().armatures();
  for (std::size_t k = 0; k < all.size(); ++k)
    if (std::ranges::count(tree_.joints, all[k].joint, &TreeJoint<D>::joint) == 0)
      loop_armatures_.push_back(k);
}

// What a body has of g, or of its rate, in world axes.
template <int D>
Twist<D> RelativeSystem<D>::row_on_body(int b, const typename ReferenceSystem<D>::ArmatureRow& row, bool rate,
                                        RelativeTerms<D> own) const {
  Twist<D> J = Twist<D>::Zero();
  const int first = bodies_.body_columns(b).first;
  for (std::size_t i = 0; i < row.columns.size(); ++i)
    if (body_of_column_[at(row.columns[i])] == b)
      J[row.columns[i] - first] = rate ? row.rate[i] : row.entry[i];
  const Spin<D> w = J.template tail<kSpin<D>>();
  J.template tail<kSpin<D>>() = turned<D>(own.tree.body(b).R, w);
  return J;
}

template <int D>
void RelativeSystem<D>::read_loop_armatures(RelativeTerms<D> own, Terms& terms) const {
  std::fill(terms.map.begin(), terms.map.end(), 0.0);
  for (std::size_t k = 0; k < loop_armatures_.size(); ++k) {
    const auto row = bodies_.armature_row(loop_armatures_[k], own.bodies, own.terms, false);
    for (int b = 1; b < static_cast<int>(tree_.carrier.size()); ++b)
      own.tree.twist(b) = row_on_body(b, row, false, own);
    own.tree.inwards(1, std::span(terms.map).subspan(k * at(sizes_.v), at(sizes_.v)));
  }
}

// The reference coordinates' Q lacks −a (g·β) g, β the centripetal accelerations of the tree.
template <int D>
void RelativeSystem<D>::add_armature_bias(RelativeTerms<D> own) const {
  for (std::size_t k = 0; k < bodies_.armatures(); ++k) {
    const auto row = bodies_.armature_row(k, own.bodies, own.terms, false);
    double bias = 0;
    for (int b = 1; b < static_cast<int>(tree_.carrier.size()); ++b)
      bias += row_on_body(b, row, false, own).dot(own.tree.body(b).beta);
    for (int b = 1; b < static_cast<int>(tree_.carrier.size()); ++b)
      own.tree.twist(b) -= row.inertia * bias * row_on_body(b, row, false, own);
  }
}

// F = a g Ṡ and its rate, where v̇ = 0.
template <int D>
void RelativeSystem<D>::add_armature_momenta(RelativeTerms<D> own) const {
  for (const std::size_t k : loop_armatures_) {
    const auto row = bodies_.armature_row(k, own.bodies, own.terms, true);
    double rate = 0, acceleration = row.bias;
    for (int b = 1; b < static_cast<int>(tree_.carrier.size()); ++b) {
      const Twist<D> g = row_on_body(b, row, false, own);
      rate += g.dot(own.tree.body(b).V);
      acceleration += g.dot(own.tree.body(b).beta);
    }
    for (int b = 1; b < static_cast<int>(tree_.carrier.size()); ++b) {
      const Twist<D> g = row_on_body(b, row, false, own);
      Twist<D> g_dot = row_on_body(b, row, true, own);
      g_dot.template tail<kSpin<D>>() +=
          turn_spin<D>(own.tree.body(b).V.template tail<kSpin<D>>(), g.template tail<kSpin<D>>());
      own.tree.twist(b) += row.inertia * rate * g;
      own.tree.rate(b) += row.inertia * (rate * g_dot + acceleration * g);
    }
  }
}

}  // namespace trammel::system
