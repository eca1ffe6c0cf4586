// Passages: smooth pulses that depend on the motion, as exp(-((s.displacement - 5)/0.01)^2), which a step
// could pass unseen, in what acts or in the condition that ends the run. Those of time alone are known before
// a step (peaks.h).
//
// After a step every signal is taken for a polynomial through its values and derivatives at both ends
// (signal_path.h), so that what acts becomes a function of time. If it has a narrow peak within the step, the
// step is repeated: it ends where the way to the peak begins, the next one at the peak. If there is a pulse
// beside these polynomials, so close that the motion may meet it, the step is repeated by halves.
#pragma once

#include <algorithm>
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

  // Whether the second derivative of a signal is known: where accelerations, or for rates their derivatives,
  // are those of the motion.
  bool has_second(std::size_t signal, bool has_jerk) const {
    return of_[signal] == Of::positions || (of_[signal] == Of::rates && has_jerk);
  }
  bool any_rates() const { return std::ranges::count(of_, Of::rates) > 0; }

  // The signals at one end of a step.
  struct End {
    double t = 0;
    std::vector<SignalPath::End> signals;
  };
  // Where a step has to end, s after its beginning; 0: no pulse was passed. The shorter step is to be asked
  // about again, for its path is better known.
  double within(const End& from, const End& to);

 private:
  struct Term {
    Peaks peaks;
    // Slots of the term's variables, and which signals they are.
    std::vector<std::pair<int, std::size_t>> variables;
  };
  std::vector<Term> terms_;
  std::vector<std::string> signals_;
  enum class Of { positions, rates, forces };  // positions: or states, whose rates are known
  std::vector<Of> of_;
};

}  // namespace trammel::simulation
