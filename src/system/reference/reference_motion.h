// How reference coordinates move, and what a person sees of them: read from the elements.
//
// Members of ReferenceSystem, for reference_system.cpp, which instantiates them.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>

#include "math/euler_parameters.h"
#include "system/reference/reference_system.h"

namespace trammel::system {

inline constexpr double kRounding = 1e-14;  // of coefficients of order one

template <int D>
void ReferenceSystem<D>::position_rate(std::span<const double> q, std::span<const double> v,
                                       std::span<double> q_dot) const {
  if constexpr (D == 2) return Dynamics::position_rate(q, v, q_dot);
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    const Carrier& own = bodies_[b];
    std::copy_n(v.data() + own.v, D, q_dot.data() + own.q);
    if (own.turns)
      Eigen::Map<math::EulerParameters>(q_dot.data() + own.q + D) =
          math::parameter_rate(Eigen::Map<const math::EulerParameters>(q.data() + own.q + D),
                               Eigen::Map<const Vec3>(v.data() + own.v + D));
  }
}

template <int D>
void ReferenceSystem<D>::retract(std::span<double> q, std::span<const double> delta) const {
  if constexpr (D == 2) return Dynamics::retract(q, delta);
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    const Carrier& own = bodies_[b];
    for (int i = 0; i < D; ++i)
      q[static_cast<std::size_t>(own.q + i)] += delta[static_cast<std::size_t>(own.v + i)];
    if (!own.turns) continue;
    Eigen::Map<math::EulerParameters> e(q.data() + own.q + D);
    e = math::compose(e, math::exponential(Eigen::Map<const Vec3>(delta.data() + own.v + D))).normalized();
  }
}

template <int D>
void ReferenceSystem<D>::difference(std::span<const double> from, std::span<const double> to,
                                    std::span<double> delta) const {
  if constexpr (D == 2) return Dynamics::difference(from, to, delta);
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    const Carrier& own = bodies_[b];
    for (int i = 0; i < D; ++i) {
      const auto k = static_cast<std::size_t>(own.q + i);
      delta[static_cast<std::size_t>(own.v + i)] = to[k] - from[k];
    }
    if (!own.turns) continue;
    math::EulerParameters back = Eigen::Map<const math::EulerParameters>(from.data() + own.q + D);
    back.tail<3>() *= -1;
    Eigen::Map<Vec3>(delta.data() + own.v + D) =
        math::logarithm(math::compose(back, Eigen::Map<const math::EulerParameters>(to.data() + own.q + D)));
  }
}

template <int D>
void ReferenceSystem<D>::difference_rate(std::span<const double> from, std::span<const double> to,
                                         std::span<const double> v, std::span<double> rate) const {
  std::copy(v.begin(), v.end(), rate.begin());
  if constexpr (D == 2) return;
  // The difference first, in the same place.
  difference(from, to, rate);
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    const Carrier& own = bodies_[b];
    std::copy_n(v.data() + own.v, D, rate.data() + own.v);
    if (!own.turns) continue;
    Eigen::Map<Vec3> delta(rate.data() + own.v + D);
    delta = math::logarithm_rate(delta, Eigen::Map<const Vec3>(v.data() + own.v + D));
  }
}

template <int D>
void ReferenceSystem<D>::normalize(std::span<double> q) const {
  if constexpr (D == 2) return;
  for (const Carrier& own : bodies_)
    if (own.turns) Eigen::Map<math::EulerParameters>(q.data() + own.q + D).normalize();
}

template <int D>
std::string ReferenceSystem<D>::accept_angles(State& s, Terms& terms, double step) const {
  if (sizes_.angles == 0 || guided()) return {};
  std::string turned = elements_.accept_angles(map_into(s, false, terms), terms.inner[0], step);
  keep_angles(*terms.inner_state.recall(kAngles), s);
  return turned;
}

template <int D>
std::string ReferenceSystem<D>::out_of_range(const State& s, Terms& terms) const {
  return elements_.out_of_range(map_into(s, false, terms), terms.inner[0]);
}

template <int D>
std::string ReferenceSystem<D>::coordinate_owner(int column) const {
  std::string owner;
  for (const Carrier& own : bodies_)
    if (!own.name.empty() && own.v <= column) owner = "body '" + own.name + "'";
  return owner;
}

template <int D>
std::vector<std::string> ReferenceSystem<D>::coordinate_names() const {
  std::vector<std::string> names(static_cast<std::size_t>(sizes_.v));
  constexpr const char* kAxes[] = {".x", ".y", ".z"};
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    const auto first = static_cast<std::size_t>(bodies_[b].v);
    for (std::size_t i = 0; i < D; ++i) names[first + i] = bodies_[b].name + kAxes[i];
    if (D == 2 && bodies_[b].turns) names[first + D] = bodies_[b].name + ".angle";
  }
  return names;
}

template <int D>
State ReferenceSystem<D>::mapped(const State& s) const {
  Terms scratch;
  scratch.inner_state.memory = s.memory;
  const auto size = static_cast<std::size_t>(elements_.sizes().q);
  for (auto* x : {&scratch.inner_state.q, &scratch.inner_state.v, &scratch.inner_state.a}) x->resize(size);
  scratch.map.resize(2 * D * kTurn * places_.size());
  return map_into(s, true, scratch);
}

template <int D>
math::Vec<D> ReferenceSystem<D>::local(const Material<D>& point) const {
  math::Vec<D> at = math::Vec<D>::Zero();
  if (point.body == kGroundBody) {
    for (const auto& term : point.form.terms)
      at += term.weight * math::narrow<D>(elements_.basis().initial(term.element));
    return at;
  }
  const Carrier& own = bodies_[static_cast<std::size_t>(point.body)];
  for (const auto& [element, weight] : point.form.terms) {
    if (element == own.element) continue;
    if constexpr (D == 2)
      at += math::Vec<2>(weight.alpha, weight.beta);
    else
      at[element - own.element - 1] += weight.alpha;
  }
  return at;
}

template <int D>
std::vector<Pose> ReferenceSystem<D>::poses(const State& s) const {
  return elements_.poses(mapped(s));
}

template <int D>
std::vector<Vec3> ReferenceSystem<D>::point_positions(const State& s) const {
  return elements_.point_positions(mapped(s));
}

template <int D>
void ReferenceSystem<D>::place(std::span<const Body>, std::span<const Pose> poses, State& s) const {
  s.q.assign(static_cast<std::size_t>(sizes_.q), 0.0);
  s.v.assign(static_cast<std::size_t>(sizes_.v), 0.0);
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    const Carrier& own = bodies_[b];
    const Pose& pose = poses[b - 1];
    Eigen::Map<math::Vec<D>>(s.q.data() + own.q) = math::narrow<D>(pose.position);
    Eigen::Map<math::Vec<D>>(s.v.data() + own.v) = math::narrow<D>(pose.velocity);
    if (!own.turns) continue;
    if constexpr (D == 2) {
      s.q[static_cast<std::size_t>(own.q + D)] = std::atan2(pose.axes(1, 0), pose.axes(0, 0));
      s.v[static_cast<std::size_t>(own.v + D)] = pose.angular_velocity.z();
    } else {
      Eigen::Map<math::EulerParameters>(s.q.data() + own.q + D) = math::parameters_of(pose.axes);
      Eigen::Map<Vec3>(s.v.data() + own.v + D) = pose.axes.transpose() * pose.angular_velocity;
    }
  }
}

template <int D>
void ReferenceSystem<D>::take_turns(const std::map<std::string, double>& known, State& s) const {
  State elements = mapped(s);
  elements_.take_turns(known, elements);
  if (const std::vector<double>* angles = elements.recall(kAngles)) keep_angles(*angles, s);
}

template <int D>
std::vector<Reading> ReferenceSystem<D>::readings(const State& s, Terms& terms) const {
  return elements_.readings(map_into(s, true, terms), terms.inner[0]);
}

template <int D>
void ReferenceSystem<D>::forces(const State& s, Terms& terms, std::span<double> values) const {
  elements_.forces(map_into(s, false, terms), terms.inner[0], values);
}

template <int D>
void ReferenceSystem<D>::watch(const State& s, Terms& terms, std::span<double> values) const {
  elements_.watch(map_into(s, true, terms), terms.inner[0], values);
}

template <int D>
std::vector<Wrench> ReferenceSystem<D>::reactions(const State& s, Terms& terms) const {
  return elements_.reactions(map_into(s, true, terms), terms.inner[0]);
}

template <int D>
std::vector<Reading> ReferenceSystem<D>::efforts(const State& s, Terms& terms) const {
  return elements_.efforts(map_into(s, true, terms), terms.inner[0]);
}

template <int D>
std::vector<ReactionMode> ReferenceSystem<D>::reaction_modes(
    const State& s, Terms& terms, std::span<const std::vector<double>> multipliers) const {
  return elements_.reaction_modes(map_into(s, true, terms), terms.inner[0], multipliers);
}

// Conditions on the elements' velocities, with ẋ = B v.
template <int D>
std::vector<KnownVelocity> ReferenceSystem<D>::known_velocities(const State& s) const {
  Terms terms = make_terms();
  std::vector<KnownVelocity> known = elements_.known_velocities(map_into(s, true, terms));
  for (KnownVelocity& row : known) {
    std::map<int, double> sum;
    for (std::size_t k = 0; k < row.column.size(); ++k) {
      const int element = row.column[k] / D, i = row.column[k] % D;
      const Place& place = places_[static_cast<std::size_t>(element)];
      if (!place.turns) sum[place.column + i] += row.coefficient[k];
      for (int p = 0; place.turns && p < kTurn; ++p)
        sum[place.column + p] += row.coefficient[k] * lever(terms, element)(i, p);
    }
    // A unit vector that points along a velocity turns across it: what is left there is rounding.
    double largest = 0;
    for (const double coefficient : row.coefficient) largest = std::max(largest, std::abs(coefficient));
    row.column.clear();
    row.coefficient.clear();
    for (const auto& [column, coefficient] : sum) {
      if (std::abs(coefficient) <= kRounding * largest) continue;
      row.column.push_back(column);
      row.coefficient.push_back(coefficient);
    }
  }
  return known;
}

}  // namespace trammel::system
