// What the difference of two runs says of the first one's errors.
//
// The error of a column is judged by its range: its largest less its smallest value, zero counted among them
// where zero means something, as for a speed or a force. A column that hardly moves beside others of its
// unit, as a coordinate that symmetry keeps at zero, is judged by a hundredth of the widest range among them.
// An angle counts as the way at the mechanism's length, a torque as the force there, and a force as a torque.
//
// A position that moves by less than the tolerance, by amounts that depend on the tolerance, rests: explicit
// steps of a mechanism in equilibrium grow until its rounding has grown to the tolerance. It is known as
// exactly as was asked for, and neither it nor its velocity is judged by a range that is error alone.
#pragma once

#include <vector>

#include "simulation/motion_range.h"
#include "trammel/executor.h"
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
  double tolerance = 0;  // of a step, relative to the size of the mechanism; 0: steps of one size
  Widest widest;         // between the rows
  // Times of impacts and of jumps of drivers in both runs, ascending: what jumps there has two values in a
  // row at such a time.
  std::vector<double> jumps = {};
  Executor* executor = nullptr;  // null: the calling thread does all
};

struct ErrorTable {
  ErrorEstimate estimate;
  std::vector<double> values;  // of the first run's size: time, then the error of each value; NaN: not known
  std::vector<double> scales;  // by column: the range by which it is judged; infinite for one that rests
};

// A second run without rows tells nothing: no error is known. Rows that are marked, and their neighbours, are
// not judged by their reactions.
ErrorTable estimate_errors(const Trajectory& first, const Trajectory& second, const ErrorSettings& settings);

// A peak with a larger part of it unknown is an accident of the rows, as next to a singular position.
inline constexpr double kPeakKnown = 0.1;

}  // namespace trammel::simulation
