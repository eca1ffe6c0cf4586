// SingularSearch: where σ(t), the smallest singular value of the scaled rows of Φ_v, is zero along a motion.
//
// σ = |s(t)| with s smooth, and s = c (t − t*) near a place where motions cross. Its slope tells a minimum
// between two States:
//
//   dσ/dt = uᵀ (dΦ_v/dt) w,   Φ_v w = σ u
//
// The minimum is narrowed from both sides, so that no step has to pass the crossing. Then the polynomial
// through s at States on both sides has its root at t*.
#pragma once

#include <optional>
#include <vector>

#include "analysis/prescribed_motion.h"

namespace trammel::analysis {

class SingularSearch {
 public:
  // Places are wanted between these times.
  SingularSearch(PrescribedMotion& motion, double first, double last);

  struct Found {
    double t = 0, smallest = 0;
    State state;
  };
  // The next State of the motion, with its rates. Places where σ is zero are added to found(), in order.
  void see(const State& s);
  // A State of the motion that is not next to a singular position, where the first is.
  void know(const State& away) { away_ = look(away); }
  // After the last State: a crossing may be exactly there.
  void finish();
  // After a gap in the motion.
  void forget();

  // What see() and finish() have found since the last call.
  std::vector<Found> take_found();
  // Times next to which σ has a minimum that may be zero or not: the motion could not be followed to it.
  const std::vector<double>& undecided() const { return undecided_; }

 private:
  struct Seen {
    State state;
    double sigma = 0, slope = 0;  // slope: by time
  };
  enum class Result { zero, not_zero, unknown };

  Seen look(State s) const;
  std::optional<Seen> look_at(double t, const Seen& from) const;
  double speed(const State& s) const;
  bool is_near(const Seen& seen) const;
  // Between two States that lie close together; `to` may be replaced by a State that is surely of this
  // motion.
  void search(const Seen& from, Seen& to);
  double expected_zero(const Seen& from, const Seen& to) const;
  Result narrow(Seen from, Seen to, State& beyond);
  // A crossing close to a time, seen from a State of the motion. `unknown`: no polynomial goes through it.
  Result confirm(const State& from, double expected, State& beyond);
  void add(Found found);

  PrescribedMotion& motion_;
  double first_, end_, largest_;  // largest: σ
  bool forward_ = true;
  double narrowed_ = 0;              // where narrow() has come to
  std::optional<Seen> last_, away_;  // the last one, and the last that is not next to a singular position
  std::vector<Found> found_;
  std::vector<double> all_, undecided_;
};

}  // namespace trammel::analysis
