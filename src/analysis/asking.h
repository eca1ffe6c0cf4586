// Asking: whether the caller of an analysis wants it to go on, asked from time to time.
#pragma once

#include <chrono>

#include "trammel/analyses.h"

namespace trammel::analysis {

class Asking {
 public:
  explicit Asking(const GoOn& go_on) : go_on_(go_on) {}

  // False: the analysis ends, with the report interrupted().
  bool goes_on() {
    if (!go_on_) return true;
    const Clock::time_point now = Clock::now();
    if (now < next_) return true;
    next_ = now + kEvery;
    return go_on_();
  }
  static Report interrupted() {
    Report report;
    report.outcome = Outcome::not_converged;
    report.message = "the analysis was interrupted";
    return report;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kEvery{20};
  const GoOn& go_on_;
  Clock::time_point next_ = Clock::now() + kEvery;
};

}  // namespace trammel::analysis
