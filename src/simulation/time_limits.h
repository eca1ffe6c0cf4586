// TimeLimits: times at which a function of time that acts has no finite limit. A driver s = t^1.5 asks for
// the acceleration 0.75/√t, which is infinite at t = 0; the speed and the motion are finite. No effort exists
// there: whatever number a computer finds is that of its rounding of t.
//
// Of a driver the second derivative counts, of its speed and of what a `velocity` joint equals the first, of
// a force its value. At a time t a limit is missing where such a g is not finite, or changes by more than a
// twentieth within a time as short as the rounding of t, and is larger there than a part of an output
// interval away.
#pragma once

#include <string>
#include <vector>

#include "expressions/expression.h"
#include "trammel/mechanism.h"
#include "trammel/state.h"

namespace trammel::simulation {

class TimeLimits {
 public:
  // interval: s, of the output.
  TimeLimits(const Mechanism& mechanism, double interval);

  struct Missing {
    std::string words;  // empty: everything has a limit
    bool of_force = false;
  };
  // What has no limit at the state's time, on its side of a break.
  Missing missing_at(const State& state) const;

 private:
  struct Law {
    expressions::Expression f;  // of time alone
    int derivative;
    std::string words;  // "driver 'd': the second derivative of 't^1.5'"
  };
  double value(const Law& law, double t) const;
  bool has_limit(const Law& law, const State& state) const;

  double interval_;
  std::vector<Law> laws_;
  std::size_t variables_ = 0;
};

}  // namespace trammel::simulation
