// Work against precision: what error each method leaves for how much computing.
//
// Each row of a comparison is run with several steps (4, 2, 1, 1/2, 1/4 of its own) or, where a tolerance
// chooses the steps, with tolerances from 1e-4 to 1e-10. The error is the largest difference from a
// comparison's reference, at the same times for all. The time is that of the processor for the steps alone:
// no assembly, no rows, no energies; the least of several runs where one is short.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare.h"

namespace trammel::analysis {

struct WorkPrecisionPoint {
  double step = 0, tolerance = 0;  // s; the one that was set, the other is 0
  std::optional<double> error;     // m, as far as the run went; none without a reference or a step
  double seconds = 0;              // of the processor; 0: not run
  // ok, marked, lost (the motion is another one: a wrong branch, or errors that grew to its size), failed,
  // refused; with the row's own step or tolerance, what the row is
  std::string status = "ok";
  std::string reason;  // why it is not ok
};

struct WorkPrecisionCurve {
  std::vector<WorkPrecisionPoint> points;   // from coarse to fine; none where the row was refused
  std::optional<WorkPrecisionPoint> as_is;  // with the row's own step or tolerance
};

struct WorkPrecision {
  Reference reference;
  std::vector<WorkPrecisionCurve> curves;  // in order of the rows
};

// `ask` is called within the runs too.
WorkPrecision work_precision(const Mechanism& mechanism, const Comparisons& compared,
                             const Announce& next = {}, const Ask& ask = {});

}  // namespace trammel::analysis
