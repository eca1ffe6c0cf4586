// How far a sweep is, and how long it will take: a line that is rewritten in place, on a terminal only.
#pragma once

#include <chrono>

#include "trammel/sweep.h"

namespace trammel::app {

class SweepBar {
 public:
  explicit SweepBar(bool quiet);
  ~SweepBar() { clear(); }
  SweepBar(const SweepBar&) = delete;
  SweepBar& operator=(const SweepBar&) = delete;

  void show(const SweepProgress& now);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool shown_, drawn_ = false;
  Clock::time_point begun_ = Clock::now(), drawn_at_{};
};

}  // namespace trammel::app
