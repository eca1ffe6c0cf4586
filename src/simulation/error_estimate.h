// What the difference of two runs says of the first one's errors.
//
// The error of a column is judged by its range: its largest less its smallest value, zero counted among them
// where zero means something, as for a speed or a force. A column that hardly moves beside others of its
// unit, as a coordinate that symmetry keeps at zero, is judged by a hundredth of the widest range among them.
// An angle counts as the way at the mechanism's length, a torque as the force there, and the other way round.
#pragma once

#include <vector>

#include "trammel/run.h"

namespace trammel::simulation {

// Sizes of a mechanism and of its motion, below which differences are rounding.
struct MotionScale {
  double length = 1;  // m
  double time = 1;    // s
  double force = 1;   // N
};

// Of these sizes: a range below is no motion.
inline constexpr double kStill = 1e-6;

struct ErrorSettings {
  double factor = 1;       // from differences to errors
  double accuracy = 1e-3;  // of a column's range
  MotionScale scale;
};

// `errors` becomes a table of the first run's size: time, then the error of each value, NaN where it is not
// known. Rows that are marked, and their neighbours, are not judged by their reactions.
ErrorEstimate estimate_errors(const Trajectory& first, const Trajectory& second,
                              const ErrorSettings& settings, std::vector<double>& errors);

}  // namespace trammel::simulation
