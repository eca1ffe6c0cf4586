// AngleTurns: counts the turns of the angles that a State keeps, and looks at them no more often than it
// must.
//
// The slot kAngles holds each angle as it was last looked at, turns included. Then follow: how far elements
// have moved since (m), how far they may move before the angles must be looked at again, how fast the fastest
// was at the end of the last step (m/s), and the largest rate of any angle there (rad/s), if one turned far
// in that step.
//
// An angle of the vector z in the frame (x, y) turns at most at
//
//   (Σ|w_z|/|z| + Σ|w_x|/|x|) max|v|          w: weights of the elements in z and x
//
// A step in which an angle may have turned by half a turn is refused.
#pragma once

#include <string>
#include <vector>

#include "system/measure.h"
#include "trammel/state.h"

namespace trammel::system {

template <int D>
class AngleTurns {
 public:
  // watched: angles that something acts on are looked at in every step.
  void choose(std::span<const Measure<D>> measures, std::span<const int> angles, bool watched);

  // What a State keeps: the angles first.
  std::size_t memory_size() const { return angles_.size() + 4; }
  // Takes the angles of an accepted step of size h; the measure of one that may have turned by half a turn in
  // it, else −1.
  int accept(std::span<const Measure<D>> measures, const Elements<D>& x, const Elements<D>& v, double h,
             std::vector<double>& memory) const;

 private:
  struct Reach {
    int measure;
    double z, x;  // Σ|w| of its slots
  };
  struct Look {
    double raw;   // rad, up to whole turns
    double turn;  // rad by which it may turn while elements move by one metre
  };
  Look look(const Reach& angle, const Measure<D>& measure, const Elements<D>& x) const;

  std::vector<Reach> angles_;
  bool watched_ = false;
};

}  // namespace trammel::system
