// Watch: what the steps of a run add up to in its summary, and what makes the whole run doubtful.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "trammel/run.h"

namespace trammel::simulation {

class Watch {
 public:
  Watch(Simulation& simulation, RunSummary& summary);

  void see(const StepResult& step);
  // Of a step's end, or of a row within one.
  void see(const Energy& energy);
  // That the motion has become ever faster, in words; empty: it has not. cause: the expression that makes it
  // so, if one is known.
  std::string growth(const std::string& cause = "") const;
  // The largest kinetic energy by that at half the time, or at the start, or what it takes to cross the
  // mechanism's size in that time or by falling, whichever is most.
  double grown() const;
  // At the end of the run.
  void warn();

  // For checkpoints; the summary's fields are not among them.
  template <class Bytes>
  void describe(Bytes& bytes) {
    bytes(largest_kinetic_), bytes(doubled_), bytes(balance_), bytes(largest_change_), bytes(changed_at_);
    for (std::string& at : doubled_at_) bytes(at);
    for (Range* range : {&potential_, &work_}) bytes(range->low), bytes(range->high);
  }

 private:
  void see_impact(const Event& event);
  void see_change(double balance);
  double total_mass() const;
  double applied_energy() const;

  // Of an energy over the run, J.
  struct Range {
    double low = INFINITY, high = -INFINITY;
    void see(double x) { low = std::min(low, x), high = std::max(high, x); }
    double width() const { return high - low; }
    double size() const { return std::max(std::abs(low), std::abs(high)); }
  };

  Simulation& simulation_;
  RunSummary& summary_;
  double start_ = 0, largest_kinetic_ = 0;  // J
  std::vector<double> doubled_;             // when the kinetic energy had doubled, s, and to what, J
  std::array<std::string, 2> doubled_at_;   // the States of the last time and of the one before
  Range potential_, work_;
  // Of the balance: its last value, its largest change from one step to the next, J, and the State there.
  double balance_ = 0, largest_change_ = 0;
  std::string changed_at_;
};

}  // namespace trammel::simulation
