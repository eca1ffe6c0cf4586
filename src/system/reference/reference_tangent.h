// Stiffness and damping in reference coordinates, along increments R exp(δ̃) of the rotations.
//
//   K = Bᵀ(K_x B + C_x ∂(B v)/∂q) − ∂(BᵀF_x)/∂q|F,   C = BᵀC_x B + ∂(ω × Jω)/∂ω
//
//   ∂(BᵀF)/∂q: space  Σ ẽ_k (Rᵀf_k)~,  plane  −f·u;   ∂(ω × Jω)/∂ω = ω̃ J − (Jω)~
//
// Members of ReferenceSystem, for reference_system.cpp, which instantiates them.
#pragma once

#include <map>

#include "math/euler_parameters.h"
#include "system/reference/reference_system.h"

namespace trammel::system {

// Has ω × Jω some ω for which it is not zero?
template <int D>
bool ReferenceSystem<D>::is_gyroscopic(const Carrier& body) {
  return D == 3 && body.turns && !body.inertia.isApprox(body.inertia(0, 0) * Inertia::Identity());
}

template <int D>
typename ReferenceSystem<D>::Target ReferenceSystem<D>::declare_block(int first_row, int rows,
                                                                      int first_column, int columns) {
  const Target target{stiffness_.size() - columns * first_row - first_column, columns};
  for (EntryPattern* pattern : {&stiffness_, &damping_})
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) {
        pattern->row.push_back(first_row + r);
        pattern->column.push_back(first_column + c);
      }
  return target;
}

template <int D>
void ReferenceSystem<D>::build_tangent() {
  // The elements' K and C have the same entries. Bodies whose elements meet in one get a block.
  const EntryPattern& inner = elements_.stiffness();
  const auto pair = [&](std::size_t k) {
    return std::pair(places_[static_cast<std::size_t>(inner.row[k] / D)].body,
                     places_[static_cast<std::size_t>(inner.column[k] / D)].body);
  };
  std::map<std::pair<int, int>, Target> blocks;
  for (std::size_t k = 0; k < inner.row.size(); ++k) blocks[pair(k)] = {};
  for (auto& [bodies, target] : blocks) {
    const Columns row = body_columns(bodies.first), column = body_columns(bodies.second);
    target = declare_block(row.first, row.count, column.first, column.count);
  }
  for (std::size_t k = 0; k < inner.row.size(); ++k) entry_target_.push_back(blocks[pair(k)]);
  own_target_.resize(bodies_.size());
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    const Carrier& own = bodies_[b];
    const auto shared = blocks.find({static_cast<int>(b), static_cast<int>(b)});
    if (shared != blocks.end())
      own_target_[b] = shared->second;
    else if (is_gyroscopic(own))
      own_target_[b] = declare_block(own.v + D, kTurn, own.v + D, kTurn);
    // Without the antisymmetric part of ∂(ω × Jω)/∂ω the iteration would contract by ½hω only.
    symmetric_tangent_ = symmetric_tangent_ && !is_gyroscopic(own);
  }
  symmetric_tangent_ = symmetric_tangent_ && elements_.symmetric_tangent();
}

// One entry of the elements' K and C.
template <int D>
void ReferenceSystem<D>::carry_entry(int row, int column, Target target, double K, double C,
                                     Terms& terms) const {
  const Place &to = places_[static_cast<std::size_t>(row / D)],
              &by = places_[static_cast<std::size_t>(column / D)];
  // A row of B: one, or the lever of a rotation.
  const auto weights = [&](const Place& place, int entry) -> Turning {
    return place.turns ? Turning(lever(terms, entry / D).row(entry % D).transpose()) : Turning::Ones();
  };
  const Turning left = weights(to, row), right = weights(by, column);
  Turning stiffness = K * right;
  if (by.turns) stiffness += C * lever_rate(terms, column / D).row(column % D).transpose();
  const int rows = to.turns ? kTurn : 1, columns = by.turns ? kTurn : 1;
  const int r = to.turns ? to.column : to.column + row % D, c = by.turns ? by.column : by.column + column % D;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const auto at = static_cast<std::size_t>(target.start + target.stride * (r + i) + c + j);
      terms.K[at] += left[i] * stiffness[j];
      terms.C[at] += left[i] * C * right[j];
    }
}

template <int D>
void ReferenceSystem<D>::add_own_tangent(const Carrier& own, Target target, const State& s,
                                         Terms& terms) const {
  Inertia K = Inertia::Zero(), C = Inertia::Zero();
  for (int k = 0; k < own.directions; ++k) {
    const int e = own.element + 1 + k;
    const Eigen::Map<const math::Vec<D>> f(terms.inner[0].Q.data() + D * e);
    if constexpr (D == 2) {
      K(0, 0) += f.dot(Eigen::Map<const math::Vec<2>>(terms.inner_state.q.data() + 2 * e));
    } else {
      const Mat3 R = math::rotation_of(Eigen::Map<const math::EulerParameters>(s.q.data() + own.q + D));
      K.noalias() -= math::skew(math::Vec<3>::Unit(k)) * math::skew(R.transpose() * f);
    }
  }
  if constexpr (D == 3) {
    const Eigen::Map<const math::Vec<3>> omega(s.v.data() + own.v + D);
    C = math::skew(omega) * own.inertia - math::skew(own.inertia * omega);
  }
  for (int i = 0; i < kTurn; ++i)
    for (int j = 0; j < kTurn; ++j) {
      const auto at =
          static_cast<std::size_t>(target.start + (target.stride + 1) * (own.v + D) + target.stride * i + j);
      terms.K[at] += K(i, j);
      terms.C[at] += C(i, j);
    }
}

template <int D>
void ReferenceSystem<D>::carry_tangent(const State& s, Terms& terms) const {
  std::fill(terms.K.begin(), terms.K.end(), 0.0);
  std::fill(terms.C.begin(), terms.C.end(), 0.0);
  const Terms& inner = terms.inner[0];
  const EntryPattern& pattern = elements_.stiffness();
  for (std::size_t k = 0; k < entry_target_.size(); ++k)
    carry_entry(pattern.row[k], pattern.column[k], entry_target_[k], inner.K[k], inner.C[k], terms);
  for (std::size_t b = 1; b < bodies_.size(); ++b)
    if (bodies_[b].turns && own_target_[b].stride > 0) add_own_tangent(bodies_[b], own_target_[b], s, terms);
}

}  // namespace trammel::system
