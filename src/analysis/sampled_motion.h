// SampledMotion: the coordinates of a mechanism at a series of times, to be compared with another run's.
//
// Each coordinate counts in metres: points as they are, unit vectors and angles times the mechanism's length
// scale, so that an error of orientation counts as that of a point at the mechanism's size. A model in
// coordinates of its own counts in their units.
#pragma once

#include <cstddef>
#include <vector>

#include "trammel/simulation.h"

namespace trammel {

class SampledMotion {
 public:
  // Appends where the simulation is now.
  void add(const Simulation& simulation);

  std::size_t samples() const { return width_ == 0 ? 0 : values_.size() / width_; }
  // The largest range of a coordinate.
  double extent() const;

  // Over the samples that both have.
  static double largest_difference(const SampledMotion& a, const SampledMotion& b);
  // Richardson: from two runs of a rule of second order, the second with half the step of the first.
  static SampledMotion extrapolated(const SampledMotion& coarse, const SampledMotion& fine);

 private:
  std::size_t width_ = 0;
  std::vector<double> values_;  // samples × coordinates
};

}  // namespace trammel
