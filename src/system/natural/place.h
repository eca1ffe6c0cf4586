// Elements from poses: how a motion goes on in natural coordinates.
//
//   min Σ_b (x_b − x_b*)ᵀ M_b (x_b − x_b*),   x_b*: a body's elements as its pose has them
//
// so that what bodies now share moves as little as can be in the metric of mass. With q = q₀ + δ:
// M δ = Σ_b M_b (x_b* − x_b(q₀)). Massless directions stay at q₀, the mean of what the bodies say.
//
// Members of NaturalSystem, for natural_system.cpp, which instantiates them.
#pragma once

#include <algorithm>
#include <map>

#include "linalg/linear_solver.h"
#include "system/natural/natural_system.h"

namespace trammel::system {

// Far below any inertia, far above rounding.
inline constexpr double kMassless = 1e-10;

template <int D>
void NaturalSystem<D>::place(std::span<const Body>, std::span<const Pose> poses, State& s) const {
  const auto& bodies = parts_.basis.bodies();
  const int free = parts_.basis.free_elements();
  // An element as a body has it: where it is, or how fast it moves.
  const auto element = [&](std::size_t b, std::size_t i, bool rate) -> math::Vec<D> {
    const Pose& pose = poses[b - 1];
    Vec3 local = i == 0 ? bodies[b].origin : Vec3(bodies[b].directions.col(static_cast<int>(i) - 1));
    if (i > 0 && bodies[b].is_point[i]) local += bodies[b].origin;
    if (bodies[b].is_point[i]) local -= mechanism_.bodies[b - 1].com;
    const Vec3 turned = pose.axes * local;
    Vec3 value = rate ? Vec3(pose.angular_velocity.cross(turned)) : turned;
    if (bodies[b].is_point[i]) value += rate ? pose.velocity : pose.position;
    return math::narrow<D>(value);
  };

  std::vector<std::vector<int>> pairs;
  for (std::size_t k = 0; k < mass_.size(); ++k)
    pairs.push_back({mass_pattern_.row[k], mass_pattern_.column[k]});
  const linalg::Pattern pattern = linalg::Pattern::from_cliques(sizes_.v, pairs);
  linalg::MatrixValues M = linalg::MatrixValues::zeros(pattern);
  const auto entry = [&](int r, int c) -> double& {
    return M.lower[static_cast<std::size_t>(pattern.find(r, c))];
  };
  for (std::size_t k = 0; k < mass_.size(); ++k)
    entry(mass_pattern_.row[k], mass_pattern_.column[k]) += mass_[k];
  for (int r = 0; r < sizes_.v; ++r) {
    const double scale = inertia_scale_[static_cast<std::size_t>(r)];
    entry(r, r) += kMassless * (scale > 0 ? scale : 1);
  }
  linalg::AutoSolver solver(pattern);
  // If this fails, positions stay at the mean of what the bodies say.
  const bool factored = solver.factor(M) == linalg::FactorStatus::ok;

  const auto fit = [&](bool rate, std::vector<double>& q) {
    std::vector<int> said(static_cast<std::size_t>(free), 0);
    q.assign(static_cast<std::size_t>(sizes_.v), 0.0);
    const auto free_part = [&](int e) { return Eigen::Map<math::Vec<D>>(q.data() + D * e); };
    for (std::size_t b = 1; b < bodies.size(); ++b)
      for (std::size_t i = 0; i < bodies[b].elements.size(); ++i) {
        const int e = bodies[b].elements[i];
        if (e >= free) continue;
        const double share = 1.0 / ++said[static_cast<std::size_t>(e)];
        free_part(e) += share * (element(b, i, rate) - free_part(e));
      }
    Eigen::VectorXd rhs = Eigen::VectorXd::Zero(sizes_.v);
    const Elements<D> mean = elements(q, !rate);
    for (std::size_t b = 1; b < bodies.size(); ++b)
      for (std::size_t j = 0; j < bodies[b].elements.size(); ++j) {
        const math::Vec<D> off = element(b, j, rate) - mean[bodies[b].elements[j]];
        for (std::size_t i = 0; i < bodies[b].elements.size(); ++i)
          if (const int e = bodies[b].elements[i]; e < free)
            rhs.template segment<D>(D * e) += bodies[b].inertia[i][j].matrix() * off;
      }
    if (!factored) return;
    solver.solve({rhs.data(), q.size()});
    for (std::size_t k = 0; k < q.size(); ++k) q[k] += rhs[static_cast<Eigen::Index>(k)];
  };
  fit(false, s.q);
  fit(true, s.v);
}

template <int D>
std::map<std::string, double> NaturalSystem<D>::turns(const State& s) const {
  std::map<std::string, double> all;
  const std::vector<double>* angles = s.recall(kAngles);
  for (const auto& [name, measure] : parts_.measure_by_name)
    if (const auto at = std::ranges::lower_bound(angle_measures_, measure);
        angles && at != angle_measures_.end() && *at == measure)
      all[name] = with_turns(parts_.measures[static_cast<std::size_t>(measure)].angle(elements(s.q, true)),
                             (*angles)[static_cast<std::size_t>(at - angle_measures_.begin())]);
  return all;
}

template <int D>
void NaturalSystem<D>::take_turns(const std::map<std::string, double>& known, State& s) const {
  if (angle_measures_.empty()) return;
  std::vector<double>& angles = s.remember(kAngles, turns_.memory_size());
  std::map<int, double> of_measure;
  for (const auto& [name, angle] : known)
    if (const auto at = parts_.measure_by_name.find(name); at != parts_.measure_by_name.end())
      of_measure[at->second] = angle;
  std::fill(angles.begin(), angles.end(), 0.0);
  for (std::size_t k = 0; k < angle_measures_.size(); ++k) {
    const Measure<D>& m = parts_.measures[static_cast<std::size_t>(angle_measures_[k])];
    const auto given = of_measure.find(angle_measures_[k]);
    const double reference =
        given != of_measure.end() ? given->second : expected_angle(angle_measures_[k], s.t);
    angles[k] = with_turns(m.angle(elements(s.q, true)), reference);
  }
}

}  // namespace trammel::system
