#include "analysis/sampled_motion.h"

#include <algorithm>
#include <cmath>

#include "system/system.h"

namespace trammel {

void SampledMotion::add(const Simulation& simulation) {
  const System& system = simulation.system();
  const std::vector<double>& q = simulation.state().q;
  const std::vector<double>& scale = system.coordinate_scale();
  width_ = q.size();
  for (std::size_t i = 0; i < width_; ++i) values_.push_back(q[i] / scale[i] * system.length_scale());
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

}  // namespace trammel
