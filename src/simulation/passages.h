// Passages: smooth pulses that depend on the motion, as exp(-((s.displacement - 5)/0.01)^2), which a step
// could pass unseen, in what acts or in the condition that ends the run. Those of time alone are known before
// a step (peaks.h).
//
// After a step every signal is taken for the cubic through its values and rates at both ends, so that what
// acts becomes a function of time. If it has a narrow peak within the step, the step is repeated: it ends
// where the way to the peak begins, the next one at the peak.
#pragma once

#include <string>
#include <vector>

#include "simulation/peaks.h"
#include "trammel/mechanism.h"

namespace trammel::simulation {

class Passages {
 public:
  explicit Passages(const Mechanism& mechanism);

  // Names of the signals whose values are needed; none: nothing that acts can have such a pulse.
  const std::vector<std::string>& signals() const { return signals_; }

  // Values and rates of the signals at one end of a step.
  struct End {
    double t = 0;
    std::vector<double> values, rates;
  };
  // Where within the step it has to end, s after its beginning; 0: no pulse was passed.
  double within(const End& from, const End& to);

 private:
  struct Term {
    Peaks peaks;
    // Slots of the term's variables, and which signals they are.
    std::vector<std::pair<int, std::size_t>> variables;
  };
  std::vector<Term> terms_;
  std::vector<std::string> signals_;
};

}  // namespace trammel::simulation
