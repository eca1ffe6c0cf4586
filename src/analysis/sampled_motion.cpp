#include "analysis/sampled_motion.h"

#include <algorithm>
#include <cmath>

#include "system/system.h"

namespace trammel::analysis {

void SampledMotion::add(const Simulation& simulation, const State& state) {
  const system::System& system = simulation.system();
  const Mechanism& mechanism = simulation.mechanism();
  const std::size_t before = values_.size();
  const auto push = [&](const Vec3& x, double scale) {
    for (int i = 0; i < (mechanism.is_planar ? 2 : 3); ++i) values_.push_back(scale * x[i]);
  };
  const std::vector<Pose> poses = system.poses(state);
  for (std::size_t b = 0; b < poses.size(); ++b) {
    push(poses[b].position, 1);
    const Body::Kind kind = mechanism.bodies[b].kind;
    const int axes = kind == Body::Kind::point_mass                   ? 0
                     : kind == Body::Kind::rod || mechanism.is_planar ? 1
                                                                      : 3;
    for (int k = 0; k < axes; ++k) push(poses[b].axes.col(k), system.length_scale());
  }
  if (mechanism.generalized)
    for (std::size_t i = 0; i < state.q.size(); ++i)
      values_.push_back(state.q[i] / system.position_scale()[i] * system.length_scale());
  width_ = values_.size() - before;
}

double SampledMotion::extent() const {
  double largest = 0;
  for (std::size_t c = 0; c < width_; ++c) {
    double low = values_[c], high = values_[c];
    for (std::size_t k = c; k < values_.size(); k += width_) {
      low = std::min(low, values_[k]);
      high = std::max(high, values_[k]);
    }
    largest = std::max(largest, high - low);
  }
  return largest;
}

double SampledMotion::largest_difference(const SampledMotion& a, const SampledMotion& b) {
  double largest = 0;
  for (std::size_t k = 0; k < std::min(a.values_.size(), b.values_.size()); ++k)
    largest = std::max(largest, std::abs(a.values_[k] - b.values_[k]));
  return largest;
}

SampledMotion SampledMotion::extrapolated(const SampledMotion& coarse, const SampledMotion& fine) {
  SampledMotion out = fine;
  for (std::size_t k = 0; k < std::min(coarse.values_.size(), fine.values_.size()); ++k)
    out.values_[k] += (fine.values_[k] - coarse.values_[k]) / 3;
  return out;
}

}  // namespace trammel::analysis
