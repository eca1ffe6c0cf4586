// SampledMotion: where the bodies of a mechanism are at a series of times, to be compared with another run's,
// in the same coordinates or in others.
//
// Everything counts in metres: centres of mass as they are, the bodies' axes times the mechanism's length
// scale, so that an error of orientation counts as that of a point at the mechanism's size. A rod counts by
// its own axis alone. A model in coordinates of its own counts in their units.
#pragma once

#include <cstddef>
#include <vector>

#include "trammel/simulation.h"

namespace trammel::analysis {

class SampledMotion {
 public:
  // Appends where the simulation is now.
  void add(const Simulation& simulation) { add(simulation, simulation.state()); }
  // `state`: of that simulation, perhaps within its last step.
  void add(const Simulation& simulation, const State& state);

  std::size_t samples() const { return width_ == 0 ? 0 : values_.size() / width_; }
  // The largest range of one of its numbers.
  double extent() const;

  // Over the samples that both have.
  static double largest_difference(const SampledMotion& a, const SampledMotion& b);
  // Richardson: from two runs of a rule of second order, the second with half the step of the first.
  static SampledMotion extrapolated(const SampledMotion& coarse, const SampledMotion& fine);

 private:
  std::size_t width_ = 0;
  std::vector<double> values_;  // samples × (positions and axes of the bodies, or coordinates)
};

}  // namespace trammel::analysis
