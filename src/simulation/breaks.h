// Breaks: the times at which what acts on a mechanism, or the condition that ends the run, jumps or has a
// kink. Steps end there, so that none passes a short pulse unseen and every rule keeps its order.
//
// An `if`, abs, sign, min, max, floor, mod, step, table or spline breaks where a function w of time alone
// meets a level. Where w is a straight line its times are known at once. Else it is searched: between two
// times in one cell of levels it can meet none if its curvature is too small for it, by the derivatives at
// both ends and in the middle, twice as large; what is left undecided is halved. The State remembers how far
// was searched and what was found: another search of the same stretch would find it with another rounding.
//
// Steps also end where a sampled controller acts, and at narrow peaks of smooth functions of time, which are
// no breaks (peaks.h).
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "expressions/expression.h"
#include "simulation/peaks.h"
#include "trammel/mechanism.h"
#include "trammel/state.h"

namespace trammel::simulation {

// In a State: it is that of the second run of an error estimate. That run takes two steps for one of the
// first, or has a tenth of its tolerance, but both are cut at the same breaks: there the second run takes two
// parts for one. The values are the last cut to which it has done so, and the part of a step of the first run
// that the first of its two steps takes; 0: its plan has the smaller steps.
inline constexpr MemorySlot kSecondRun{"second run", Lifetime::run};

class Breaks {
 public:
  // Those of the mechanism, and the times of a sampled controller.
  struct Samples {
    double first = 0, every = 0;  // s; never: 0
  };
  Breaks(const Mechanism& mechanism, const Samples& samples);

  bool none() const { return watched_.empty() && peaks_.empty() && samples_.every == 0; }
  // Whether a controller acts at this break.
  bool is_sample(double t) const;

  struct Next {
    double t = std::numeric_limits<double>::infinity();
    bool breaks = false;  // false: a peak, or nothing is known of later times

    // Just before it and just after it, by more than rounding.
    double before() const { return t - kRounding * std::abs(t); }
    double after() const { return t + kRounding * std::abs(t); }
  };
  static constexpr double kRounding = 1e-13;
  // The first one after the state's time, as far as `until` at most. What differs from that by rounding has
  // passed. step: of fixed length; 0: by tolerance.
  Next after(State& state, double until, double step);
  // Times up to here are the same as t.
  static double passed(double t) { return t + 4 * kRounding * std::abs(t); }

 private:
  struct Watched {
    expressions::Expression of;
    expressions::Tape::Crossing crossing;
  };
  // Of a crossing that is searched: from here to there; the first break in between, if there is one.
  struct Searched {
    double &from, &to, &found;
  };
  struct Place {
    double t;
    expressions::Tape::Taylor w;
    double below, above;  // the levels around it
  };
  Place at(const Watched& watched, double t);
  double on_line(const Watched& watched, double t);
  Next search(const Watched& watched, const Searched& searched, double t, double until);
  Next break_after(State& state, double until);
  Next sample_after(double t, double until) const;
  Next peak_after(State& state, double until, double step);

  Samples samples_;
  std::vector<Watched> watched_;
  std::vector<Peaks> peaks_;
  std::size_t searches_ = 0;  // crossings that are not straight lines
  std::vector<double> signals_, scratch_;
  std::vector<Place> ahead_;  // of a search: ends of the pieces that are left, the nearest last
};

}  // namespace trammel::simulation
