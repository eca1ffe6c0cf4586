// The times at which a run writes rows: multiples of the output interval, and the end.
#pragma once

#include <algorithm>
#include <cmath>

#include "simulation/plan_check.h"

namespace trammel::simulation {

struct OutputTimes {
  double interval, end;  // s
  long rows;             // after the first

  explicit OutputTimes(const ResolvedPlan& plan)
      : interval(static_cast<double>(output_stride(plan)) * landing_interval(plan)),
        end(plan.duration),
        // A duration that is a whole number of intervals but for rounding is one.
        rows(std::max(1L, std::lround(std::ceil(end / interval - 1e-9)))) {}

  double at(long n) const { return n == rows ? end : static_cast<double>(n) * interval; }
};

}  // namespace trammel::simulation
