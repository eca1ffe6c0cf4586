// The ways in which reactions can change while the motion stays as it is.
//
// Three kinds: multipliers y with Φ_vᵀy = 0; forces between places of one body that ground holds, whose rows
// are not in the System because nothing in them can move; and flows around joints that share a point or a
// vector.
//
// Members of NaturalSystem, for natural_system.cpp, which instantiates them.
#pragma once

#include <algorithm>

#include "system/natural/natural_system.h"
#include "system/natural/wrench_sum.h"

namespace trammel::system {

// Over all materials; what acts on a unit vector is a torque and counts over the length scale.
template <int D>
double NaturalSystem<D>::largest_force(const Motion<D>& m, const double* lambda) const {
  double largest = 0;
  for_each_part(parts_.constraints, [&](const auto& part) {
    part.sides(m, lambda, [&](const Material<D>& on, const math::Vec<D>& force) {
      largest = std::max(largest, force.norm() / (on.is_point ? 1 : length_scale_));
    });
    lambda += part.rows();
  });
  return largest;
}

template <int D>
ReactionMode NaturalSystem<D>::multiplier_mode(const State& s, const Motion<D>& m,
                                               std::vector<double> y) const {
  const double largest = largest_force(m, y.data());
  if (largest > 0)
    for (double& x : y) x /= largest;
  Balance balance = no_balance();
  take_rows(balance, m, y.data());
  WrenchSum<D> sum(parts_, m);
  act_rows(m, y.data(), sum);
  act_flows(m, y.data(), balance, sum);
  return {reported(s, sum), efforts_of(m, y.data())};
}

template <int D>
ReactionMode NaturalSystem<D>::held_mode(const State& s, const Motion<D>& m, const Dot<D>& row) const {
  const double one = 1;
  double largest = 0;
  row.sides(m, &one, [&](const Material<D>& on, const math::Vec<D>& force) {
    largest = std::max(largest, force.norm() / (on.is_point ? 1 : length_scale_));
  });
  const double lambda = 1 / largest;
  Balance balance = no_balance();
  row.sides(m, &lambda, [&](const Material<D>& on, const math::Vec<D>& force) { take(balance, on, force); });
  const std::vector<double> none(parts_.rows.size(), 0.0);
  WrenchSum<D> sum(parts_, m);
  act_flows(m, none.data(), balance, sum);
  return {reported(s, sum), efforts_of(m, none.data())};
}

template <int D>
ReactionMode NaturalSystem<D>::flow_mode(const State& s, const Motion<D>& m, std::size_t p,
                                         const Eigen::VectorXd& flows, int axis) const {
  const SharedPlace& place = parts_.basis.places()[p];
  const Vec3 at = shared_place(place, m);
  const double size = (place.is_point ? 1 : length_scale_) / flows.cwiseAbs().maxCoeff();
  WrenchSum<D> sum(parts_, m);
  for (std::size_t k = 0; k < flows_[p].flows().size(); ++k)
    sum.act(flows_[p].flows()[k].joint, flows_[p].flows()[k].body, place.is_point, at,
            size * flows[static_cast<Eigen::Index>(k)] * Vec3::Unit(axis));
  const std::vector<double> none(parts_.rows.size(), 0.0);
  return {reported(s, sum), efforts_of(m, none.data())};
}

template <int D>
std::vector<ReactionMode> NaturalSystem<D>::reaction_modes(
    const State& s, Terms& terms, std::span<const std::vector<double>> multipliers) const {
  evaluate_measures(s, terms, false, true);
  const Motion<D> m = motion(s, terms);
  std::vector<ReactionMode> modes;
  for (const std::vector<double>& y : multipliers) modes.push_back(multiplier_mode(s, m, y));
  for (const Dot<D>& row : parts_.held) modes.push_back(held_mode(s, m, row));
  for (std::size_t p = 0; p < flows_.size(); ++p)
    for (const auto& flows : flows_[p].free().colwise())
      for (int axis = 0; axis < D; ++axis) modes.push_back(flow_mode(s, m, p, flows, axis));
  return modes;
}

}  // namespace trammel::system
