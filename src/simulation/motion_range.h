// MotionRange: how far and how fast bodies move over the steps of a run. Its rows alone may not show this:
// rows that fall on every period of an oscillation are all alike.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "simulation/state_reader.h"
#include "system/system.h"

namespace trammel::simulation {

// Over all bodies: the widest range of a centre's coordinate, the farthest turn from the start, the largest
// component of a speed. Of each energy and each reading its own range.
struct Widest {
  double position = 0, angle = 0, velocity = 0, angular_velocity = 0;  // m, rad, m/s, rad/s
  std::array<double, 3> energies{};  // J, zero included: kinetic, potential, work
  std::vector<double> readings;      // in the order of the System
};

class MotionRange {
 public:
  // The start, and the end of every step. The first kAll of them are looked at, then fewer and fewer, so that
  // a long run pays for the logarithm of its steps. Their distance changes, so that it is that of no period.
  void see(StateReader& reader, const State& state) {
    if (steps_++ < next_) return;
    next_ = steps_ + steps_ / kAll;
    const std::vector<Pose> poses = reader.system().poses(state);
    if (start_.size() != poses.size() * kNumbers) start_at(poses);
    for (std::size_t k = 0; k < poses.size(); ++k) see(poses[k], k);
    see(reader.readings(state));
    const Energy energy = reader.energy(state);
    const std::array values{energy.kinetic, energy.potential, energy.work};
    for (std::size_t k = 0; k < values.size(); ++k) {
      least_energy_[k] = std::min(least_energy_[k], values[k]);
      most_energy_[k] = std::max(most_energy_[k], values[k]);
      widest_.energies[k] = most_energy_[k] - least_energy_[k];
    }
  }

  Widest widest() const {
    Widest out = widest_;
    for (std::size_t k = 0; k < lowest_.size(); ++k)
      out.readings.push_back(std::max(0.0, highest_[k] - lowest_[k]));
    return out;
  }

  // For checkpoints.
  template <class Bytes>
  void describe(Bytes& bytes) {
    bytes(steps_), bytes(next_), bytes(start_), bytes(low_), bytes(high_), bytes(lowest_), bytes(highest_);
    bytes(widest_.position), bytes(widest_.angle), bytes(widest_.velocity), bytes(widest_.angular_velocity);
    for (auto* energies : {&widest_.energies, &least_energy_, &most_energy_})
      for (double& one : *energies) bytes(one);
  }

 private:
  static constexpr long kAll = 1024;
  static constexpr std::size_t kNumbers = 9;  // of a body's axes

  void start_at(const std::vector<Pose>& poses) {
    for (auto* values : {&start_, &low_, &high_}) values->clear();
    for (const Pose& pose : poses) {
      start_.insert(start_.end(), pose.axes.data(), pose.axes.data() + kNumbers);
      for (auto* limit : {&low_, &high_})
        limit->insert(limit->end(), pose.position.data(), pose.position.data() + 3);
    }
  }

  void see(const Pose& pose, std::size_t body) {
    for (std::size_t i = 0; i < 3; ++i) {
      double &low = low_[3 * body + i], &high = high_[3 * body + i];
      const double x = pose.position[static_cast<Eigen::Index>(i)];
      low = std::min(low, x), high = std::max(high, x);
      widest_.position = std::max(widest_.position, high - low);
    }
    // |R − R₀| = 2√2 sin(θ/2), Frobenius norm.
    const Eigen::Map<const Mat3> start(&start_[kNumbers * body]);
    const double half = std::min(1.0, (pose.axes - start).norm() / (2 * std::sqrt(2.0)));
    widest_.angle = std::max(widest_.angle, 2 * std::asin(half));
    widest_.velocity = std::max(widest_.velocity, pose.velocity.lpNorm<Eigen::Infinity>());
    widest_.angular_velocity =
        std::max(widest_.angular_velocity, pose.angular_velocity.lpNorm<Eigen::Infinity>());
  }

  void see(const std::vector<system::Reading>& readings) {
    lowest_.resize(readings.size(), INFINITY);
    highest_.resize(readings.size(), -INFINITY);
    for (std::size_t k = 0; k < readings.size(); ++k) {
      if (!std::isfinite(readings[k].value)) continue;
      lowest_[k] = std::min(lowest_[k], readings[k].value);
      highest_[k] = std::max(highest_[k], readings[k].value);
    }
  }

  long steps_ = 0, next_ = 0;
  std::vector<double> start_, low_, high_;  // by body: axes; position
  std::vector<double> lowest_, highest_;    // by reading
  std::array<double, 3> least_energy_{}, most_energy_{};
  Widest widest_;  // but for the readings
};

}  // namespace trammel::simulation
