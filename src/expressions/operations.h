// The operations of the expression tape: values and exact first and second partial derivatives.
//
// Every operation has one or two differentiable operands a, b, so that one set of sweeps (tape.cpp) serves
// all. Logic is 1 / 0 valued. NaN is passed on by every operation, also by comparisons, min, max and sign, so
// that trouble upstream shows in the value; only `0 and NaN` = 0 and `1 or NaN` = 1 hide it. Derivatives at a
// kink are those of the branch taken (a tie takes a); abs and hypot have zero at their tip.
#pragma once

namespace trammel::expressions {

enum class Op {
  // leaves
  kVariable,
  kNumber,
  // one operand
  kNegate,
  kSquare,
  kSqrt,
  kExp,
  kLog,
  kLog10,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAbs,
  kSign,
  kFloor,
  kNot,
  kQuintic,
  // two operands
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kPowerConstant,
  kPower,
  kAtan2,
  kHypot,
  kMin,
  kMax,
  kMod,
  kLess,
  kLessEqual,
  kEqual,
  kAnd,
  kOr,
  // two operands and a condition; one operand and a Function1
  kSelect,
  kFunction1
};

// A factor of derivatives that is zero stays zero beside one that is infinite: what overflows has no part in
// a value that does not depend on it.
inline double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

struct Partials {
  double a = 0, b = 0, aa = 0, ab = 0, bb = 0;
};

// All operations but leaves, kSelect and kFunction1. Operations of one operand ignore b.
double apply(Op op, double a, double b);

// f = apply(op, a, b)
Partials partials(Op op, double a, double b, double f);

}  // namespace trammel::expressions
