// timed_run(): the steps of a plan and nothing else, timed, with the motion at a series of times.
#pragma once

#include <functional>
#include <string>

#include "analysis/sampled_motion.h"
#include "trammel/plan.h"

namespace trammel::analysis {

// Called now and then while something is computed; what it throws ends it.
using Ask = std::function<void()>;

// Longer than this nobody waits for one point among many: the run is given up.
inline constexpr double kPatience = 20;  // s of the processor

struct TimedRun {
  SampledMotion motion;  // at t = 0, at every multiple of the interval and at the end
  double seconds = 0;    // of the processor
  long steps = 0;
  std::string status = "ok";  // ok, marked, failed or refused
  std::string reason;         // why it is not ok
};

// The interval must be a whole number of the plan's landing intervals.
TimedRun timed_run(const Mechanism& mechanism, const Plan& plan, double interval, const Ask& ask = {});

}  // namespace trammel::analysis
