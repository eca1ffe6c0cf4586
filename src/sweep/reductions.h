// How a column of a run becomes one number, or a curve. All work on the rows of the output: what happens
// between two rows is not seen, so that a narrow peak needs a short output interval.
//
// Between rows a column is taken as a straight line: mean, rms, integral and at() follow from it. Rows in
// which the column has no value (NaN) are left out; where none has one, there is no result (NaN).
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace trammel::sweep {

// A column over time.
struct Series {
  std::span<const double> t, x;
};

// Arguments beside the column are numbers.
using Reduce = double (*)(Series series, std::span<const double> arguments);

struct Reducer {
  std::string_view name, usage, meaning;
  std::size_t least, most;  // arguments, the column included
  bool keeps_unit;          // the result has the column's unit
  std::string_view unit;    // else: its own
  Reduce reduce;            // null: a curve (of_curve) or a condition
  // Values at `count` points from the second to the third argument.
  void (*of_curve)(Series series, std::span<const double> points, std::span<double> out) = nullptr;
};

std::span<const Reducer> reducers();
const Reducer* find_reducer(std::string_view name);

// Linear between rows; NaN outside of them.
double value_at(Series series, double t);
// The first time at which the difference is not negative (`strict`: positive), linear between rows.
double first_passage(Series difference, bool strict);
// The time of the first row in which the condition is not zero.
double first_row(Series condition);
// 2|∫w(t)(x − x̄)e^(−i2πft)dt| / ∫w dt with Hann's window over the whole run, by the trapezoidal rule; NaN
// above the Nyquist frequency of the rows, and x̄ for f = 0.
double amplitude(Series series, double frequency);

}  // namespace trammel::sweep
