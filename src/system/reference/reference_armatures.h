// Rotors that turn with joint coordinates, in reference coordinates: with g = Bᵀ∇S and S̈ = g·v̇ + b,
//
//   M += a g gᵀ,   Q −= a b g,   Ṁv += a (ġ Ṡ + g ġ·v),   b = vᵀ∇²S v + ∇S·β
//
// The elements' own Q has −a (vᵀ∇²S v) ∇S already, so that −a (∇S·β) g is left.
//
// Members of ReferenceSystem, for reference_system.cpp, which instantiates them.
#pragma once

#include <map>

#include "math/euler_parameters.h"
#include "system/reference/reference_system.h"

namespace trammel::system {

template <int D>
void ReferenceSystem<D>::build_armatures() {
  std::map<std::pair<int, int>, std::size_t> entry;
  for (std::size_t k = 0; k < mass_.size(); ++k) entry[{mass_pattern_.row[k], mass_pattern_.column[k]}] = k;
  const auto entry_at = [&](int row, int column) {
    const auto [at, is_new] = entry.try_emplace({row, column}, mass_.size());
    if (is_new) {
      mass_pattern_.row.push_back(row);
      mass_pattern_.column.push_back(column);
      mass_.push_back(0);
    }
    return at->second;
  };
  for (const Armature& armature : elements_.armatures()) {
    ArmatureColumns own;
    std::map<int, int> first;  // of each body's columns
    for (const int element : elements_.measure(armature.measure).elements()) {
      const int body = places_[static_cast<std::size_t>(element)].body;
      const auto [at, is_new] = first.try_emplace(body, static_cast<int>(own.columns.size()));
      const Columns columns = body_columns(body);
      for (int k = 0; is_new && k < columns.count; ++k) own.columns.push_back(columns.first + k);
      own.target.push_back(at->second);
    }
    // From the first column on, whichever body comes first.
    for (std::size_t i = 0; i < own.columns.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j)
        own.entries.push_back(
            entry_at(std::max(own.columns[i], own.columns[j]), std::min(own.columns[i], own.columns[j])));
    armatures_.push_back(std::move(own));
  }
  constant_mass_ = armatures_.empty();
}

template <int D>
typename ReferenceSystem<D>::ArmatureRow ReferenceSystem<D>::armature_row(std::size_t k, const State& s,
                                                                          const Terms& terms,
                                                                          bool with_rates) const {
  const Armature& armature = elements_.armatures()[k];
  const MeasureView<D> view = elements_.measured(armature.measure, terms.inner[0]);
  const std::vector<int>& elements = elements_.measure(armature.measure).elements();
  ArmatureRow row{armature.inertia, armatures_[k].columns, {}, {}, view.curvature()};
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const Place& place = places_[static_cast<std::size_t>(elements[e])];
    const Carrier& own = bodies_[static_cast<std::size_t>(place.body)];
    const int from = D * static_cast<int>(e), to = armatures_[k].target[e];
    const Eigen::Map<const math::Vec<D>> g(view.gradient() + from), g_dot(view.rate_gradient() + from);
    row.bias += g.dot(Eigen::Map<const math::Vec<D>>(terms.inner_state.a.data() + D * elements[e]));
    if (!place.turns) {
      Eigen::Map<math::Vec<D>>(row.entry.data() + to) += g;
      Eigen::Map<math::Vec<D>>(row.rate.data() + to) += g_dot;
      continue;
    }
    const Lever B = lever(terms, elements[e]);
    Eigen::Map<Turning>(row.entry.data() + to + D) += B.transpose() * g;
    if (!with_rates) continue;
    // Ḃ = ω × B: unit vectors turn with their body.
    math::Mat<D> W;
    const double *q = s.q.data() + own.q + D, *v = s.v.data() + own.v + D;
    if constexpr (D == 2)
      W << 0, -v[0], v[0], 0;
    else
      W = math::skew(math::rotation_of(Eigen::Map<const math::EulerParameters>(q)) *
                     Eigen::Map<const math::Vec<3>>(v));
    static_cast<void>(q);
    Eigen::Map<Turning>(row.rate.data() + to + D) += B.transpose() * g_dot + (W * B).transpose() * g;
  }
  return row;
}

template <int D>
void ReferenceSystem<D>::carry_armatures(const State& s, unsigned ask, Terms& terms) const {
  std::copy(mass_.begin(), mass_.end(), terms.M.begin());
  if (ask & kAskRates) std::fill(terms.M_dot_v.begin(), terms.M_dot_v.end(), 0.0);
  for (std::size_t k = 0; k < armatures_.size(); ++k) {
    const ArmatureRow row = armature_row(k, s, terms, ask & kAskRates);
    const auto& [columns, target, entries] = armatures_[k];
    double rate = 0, rate_rate = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      rate += row.entry[i] * s.v[static_cast<std::size_t>(columns[i])];
      rate_rate += row.rate[i] * s.v[static_cast<std::size_t>(columns[i])];
    }
    const double carried =
        row.bias - elements_.measured(elements_.armatures()[k].measure, terms.inner[0]).curvature();
    std::size_t entry = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j)
        terms.M[entries[entry++]] += row.inertia * row.entry[i] * row.entry[j];
      const auto column = static_cast<std::size_t>(columns[i]);
      if (ask & (kAskForces | kAskTangent)) terms.Q[column] -= row.inertia * carried * row.entry[i];
      if (ask & kAskRates)
        terms.M_dot_v[column] += row.inertia * (row.rate[i] * rate + row.entry[i] * rate_rate);
    }
  }
}

}  // namespace trammel::system
