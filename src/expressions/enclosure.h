// Enclosure: bounds of a value, and of its derivative by one variable, while that variable runs through an
// interval. Every operation of the tape passes them on (Moore, Kearfott & Cloud, 2009): what lies outside
// cannot occur, however narrow; what lies inside need not. Rounding is not counted.
#pragma once

#include <limits>

#include "expressions/function1.h"
#include "expressions/operations.h"

namespace trammel::expressions {

struct Interval {
  double lo = -std::numeric_limits<double>::infinity(), hi = std::numeric_limits<double>::infinity();

  static Interval one(double value) { return {value, value}; }
  bool is_one() const { return lo == hi; }
  bool holds(double value) const { return lo <= value && value <= hi; }
  double width() const { return hi - lo; }
};

struct Enclosure {
  Interval f, d;
};

// All operations but leaves, kSelect and kFunction1. Where a value may jump its derivative may be anything.
Enclosure enclose(Op op, const Enclosure& a, const Enclosure& b);
Enclosure enclose_choice(const Enclosure& condition, const Enclosure& a, const Enclosure& b);
Enclosure enclose(const Function1& function, const Enclosure& a);

}  // namespace trammel::expressions
