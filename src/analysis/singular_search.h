// SingularSearch: where σ(t), the smallest singular value of the scaled rows of Φ_v, is zero along a motion.
//
// σ = c|t − t*| near a place where motions cross. A minimum among three times is narrowed by golden section;
// then the polynomial through σ, with its sign changed on one side, has its root at t*.
#pragma once

#include <deque>
#include <optional>

#include "analysis/prescribed_motion.h"

namespace trammel::analysis {

class SingularSearch {
 public:
  explicit SingularSearch(PrescribedMotion& motion) : motion_(motion) {}

  struct Found {
    double t = 0, smallest = 0;
    State state;
    std::vector<double> direction;
  };
  // The next State of the motion, with its σ. A place where σ is zero, if the last three enclose one.
  std::optional<Found> see(const State& s, double sigma);
  // After a gap in the motion.
  void forget() { seen_.clear(); }

 private:
  struct Seen {
    State state;
    double sigma;
  };
  std::optional<double> sigma_at(double t, bool exactly = false) const;
  std::optional<Found> narrow(double from, double to);

  PrescribedMotion& motion_;
  std::deque<Seen> seen_;  // the last three
};

}  // namespace trammel::analysis
