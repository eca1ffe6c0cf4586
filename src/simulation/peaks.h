// Peaks: extrema of a function of time that a step could pass unseen. Steps end where the way to such a peak
// begins, and at the peak: a force that rests before and after a short pulse would else not be noticed. What
// the function depends on beside the time is known along the last step alone (passages.h).
//
// Between two times at which the derivative cannot be zero the function rises or falls; elsewhere the stretch
// is halved until the function can hardly change in it (enclosure.h). Where it turns it has a peak. A peak is
// narrow where a third of the way to it lies in the last quarter of the time since the extremum before it, or
// in the last half step where steps have a fixed length. By tolerance waves have none: the stages of a step
// see them. Jumps and kinks are no peaks; steps end there anyway (breaks.h).
#pragma once

#include <limits>
#include <vector>

#include "expressions/expression.h"
#include "simulation/signal_path.h"

namespace trammel::simulation {

class Peaks {
 public:
  explicit Peaks(expressions::Expression of);

  const expressions::Expression& of() const { return of_; }
  // From now on the variable of a slot goes along a path; slot 0 is the time.
  void follow_path(int slot, const SignalPath& path);

  struct Point {
    double t = 0, f = 0;
  };
  // What is known of the function from one time to another; goes with the State.
  struct Course {
    double from = 0, to = -std::numeric_limits<double>::infinity();
    // The first narrow peak and the beginning of the way to it; infinite where there is none, or it has
    // passed.
    double begins = std::numeric_limits<double>::infinity(), peak = begins;
    Point extreme, before, base;  // the last extremum so far, and the two that it turned at before
    double direction = 0;         // from `before` to `extreme`
    double range = 0;             // of its values

    bool rests(double change) const;
    // Where a step has to end that begins before the peak; what has passed does not count.
    double next(double passed) const;
  };

  // Where a step has to end after t because of a narrow peak, or because nothing is known of later times;
  // that may be beyond `until`. step: of fixed length; 0: by tolerance.
  double after(double t, double until, double step, Course& course);
  // The same of a step that was taken along the paths: where within it one has to end; infinite: nowhere.
  double within(double from, double to);
  // Whether the motion may pass a peak beside the paths, as far from them as they bend.
  bool may_miss(double from, double to);

 private:
  // Whether the function only rises, or only falls, from one time to another.
  bool is_monotonic(double from, double to);
  double search(double end, double step, double passed, Course& course);
  double value(double t);
  // beside: as far beside the paths as they bend, too; the slope is then that of variables that stay, zero
  // but for a jump.
  expressions::Enclosure over(double from, double to, bool beside = false);
  double beyond(const expressions::Interval& f, double from, double to);
  void begin(double t, Course& course);
  double range(double from, double to);
  bool rises_or_rests(double from, double to, const Course& course);
  bool follow(Course& course, double t);
  double before_peak(const Course& course, double step) const;
  bool is_narrow(const Course& course, double step);
  double way_begins(const Course& course, double step);

  expressions::Expression of_;
  std::vector<SignalPath> paths_;  // by slot; of none: along the time
  std::vector<double> signals_, scratch_;
  std::vector<expressions::Enclosure> enclosures_;
  std::vector<double> ahead_;  // ends of the pieces that are left, the nearest last
};

}  // namespace trammel::simulation
