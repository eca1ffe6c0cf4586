// Pace: whether steps that a tolerance chooses will ever come to the end of a run.
//
// A force such as exp(100 t) makes a motion ever faster, and its steps ever shorter: each next stretch of the
// time takes twice as many of them. The run is looked at whenever the number of its steps has doubled. At
// constant speed such a doubling comes as far again as all steps before it; where several in a row hardly
// come further than the one before, their number to the end is forecast by the same ratio.
#pragma once

#include <array>
#include <cmath>
#include <optional>

namespace trammel::simulation {

class Pace {
 public:
  // After each step: `steps` in all, at t of `end`. The size of the last steps, s, where the forecast is
  // beyond kMostSteps; else nothing.
  std::optional<double> hopeless(double steps, double t, double end);

  static constexpr double kMostSteps = 1e11;  // weeks, for the smallest mechanism

  // For checkpoints.
  template <class Bytes>
  void describe(Bytes& bytes) {
    bytes(next_), bytes(t_);
    for (double& gain : gains_) bytes(gain);
  }

 private:
  // The first doublings are those of a start, and too short to tell anything.
  static constexpr double kFirst = 8192;

  double next_ = kFirst;  // steps
  double t_ = 0;          // s, at the last look
  // s, of the last doublings, the newest last; not a number: there were none yet.
  std::array<double, 5> gains_ = {NAN, NAN, NAN, NAN, NAN};
};

}  // namespace trammel::simulation
