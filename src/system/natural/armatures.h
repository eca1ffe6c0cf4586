// Rotors that turn with joint coordinates: the energy ½ a Ṡ² of a measure S adds
//
//   M += a ∇S∇Sᵀ,   Q −= a (vᵀ∇²S v) ∇S,   Ṁv += a (∇²S v Ṡ + ∇S vᵀ∇²S v)
//
// so that the equations of motion feel −a S̈ along the coordinate. K and C leave out what Q has here: it is
// zero at rest, and of second order in (time step × angular velocity) beside M.
//
// Members of NaturalSystem, for natural_system.cpp, which instantiates them.
#pragma once

#include "system/natural/natural_system.h"

namespace trammel::system {

// The places of M that armatures fill.
template <int D>
void NaturalSystem<D>::declare_armatures(std::map<std::pair<int, int>, double>& sum) const {
  for (const Armature& armature : parts_.armatures) {
    const std::vector<int> columns =
        columns_of<D>(parts_.measures[static_cast<std::size_t>(armature.measure)].elements());
    for (const int row : columns)
      for (const int column : columns)
        if (row >= column) sum.try_emplace({column, row}, 0.0);
  }
}

template <int D>
void NaturalSystem<D>::find_armature_entries() {
  std::map<std::pair<int, int>, std::size_t> entry;
  for (std::size_t k = 0; k < mass_.size(); ++k) entry[{mass_pattern_.row[k], mass_pattern_.column[k]}] = k;
  for (const Armature& armature : parts_.armatures) {
    const std::vector<int> columns =
        columns_of<D>(parts_.measures[static_cast<std::size_t>(armature.measure)].elements());
    for (const int row : columns)
      for (const int column : columns)
        if (row >= column) armature_entries_.push_back(entry.at({row, column}));
  }
}

template <int D>
void NaturalSystem<D>::evaluate_armatures(const Motion<D>& m, unsigned ask, Terms& terms) const {
  std::copy(mass_.begin(), mass_.end(), terms.M.begin());
  if (ask & kAskRates) std::fill(terms.M_dot_v.begin(), terms.M_dot_v.end(), 0.0);
  auto entry = armature_entries_.begin();
  for (const auto& [measure, inertia, joint] : parts_.armatures) {
    const MeasureView<D> s = m.measure(measure);
    const std::vector<int>& elements = m.measures[static_cast<std::size_t>(measure)].elements();
    const double *g = s.gradient(), *r = s.rate_gradient();
    for (int i = 0; i < s.n; ++i) {
      for (int j = 0; j <= i; ++j) terms.M[*entry++] += inertia * g[i] * g[j];
      const auto column = static_cast<std::size_t>(D * elements[static_cast<std::size_t>(i / D)] + i % D);
      if (ask & (kAskForces | kAskTangent)) terms.Q[column] -= inertia * s.curvature() * g[i];
      if (ask & kAskRates) terms.M_dot_v[column] += inertia * (r[i] * s.rate() + g[i] * s.curvature());
    }
  }
}

// What −a S̈ leaves for the joints to give.
template <int D>
void NaturalSystem<D>::take_armatures(Balance& balance, const State& s, const Motion<D>& m) const {
  const Elements<D> a = elements(s.a, false);
  for (const Armature& armature : parts_.armatures) {
    const Measure<D>& measure = m.measures[static_cast<std::size_t>(armature.measure)];
    const SlotJet<D> jet = measure.jet(m.x);
    double acceleration = m.measure(armature.measure).curvature();
    for (std::size_t k = 0; k < measure.slots().size(); ++k) acceleration += jet.g[k].dot(measure.slot(k, a));
    for (std::size_t k = 0; k < measure.slots().size(); ++k)
      for (const auto& side : measure.slots()[k].sides)
        take(balance, side.material, math::Vec<D>(-armature.inertia * acceleration * side.sign * jet.g[k]));
  }
}

}  // namespace trammel::system
