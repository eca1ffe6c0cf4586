// The value of an expression over any scalar that has the functions of <cmath>, and select(condition, a, b),
// less(a, b), less_equal(a, b), equal(a, b) (kernel/graph.h). Tables and splines have none: they throw.
#pragma once

#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

#include "expressions/tape.h"

namespace trammel::expressions {

template <class T>
T apply_over(Op op, const T& a, const T& b) {
  using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp, std::floor,
      std::log, std::max, std::min, std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
  const T one(1.0), zero(0.0);
  switch (op) {
    case Op::kNegate:
      return -a;
    case Op::kSquare:
      return a * a;
    case Op::kSqrt:
      return sqrt(a);
    case Op::kExp:
      return exp(a);
    case Op::kLog:
      return log(a);
    case Op::kLog10:
      return log(a) * T(1 / std::log(10.0));
    case Op::kSin:
      return sin(a);
    case Op::kCos:
      return cos(a);
    case Op::kTan:
      return tan(a);
    case Op::kAsin:
      return asin(a);
    case Op::kAcos:
      return acos(a);
    case Op::kAtan:
      return atan(a);
    case Op::kSinh:
      return sinh(a);
    case Op::kCosh:
      return cosh(a);
    case Op::kTanh:
      return tanh(a);
    case Op::kAbs:
      return abs(a);
    case Op::kSign:
      return select(less(a, zero), -one, select(less(zero, a), one, zero));
    case Op::kFloor:
      return floor(a);
    case Op::kNot:
      return select(equal(a, zero), one, zero);
    case Op::kQuintic: {
      const T u = min(max(a, zero), one);
      return u * u * u * (T(10.0) + u * (T(-15.0) + T(6.0) * u));
    }
    case Op::kAdd:
      return a + b;
    case Op::kSubtract:
      return a - b;
    case Op::kMultiply:
      return a * b;
    case Op::kDivide:
      return a / b;
    case Op::kPowerConstant:
    case Op::kPower:
      return pow(a, b);
    case Op::kAtan2:
      return atan2(a, b);
    case Op::kHypot:
      return sqrt(a * a + b * b);
    case Op::kMin:
      return min(a, b);
    case Op::kMax:
      return max(a, b);
    case Op::kMod:
      return a - b * floor(a / b);
    case Op::kLess:
      return select(less(a, b), one, zero);
    case Op::kLessEqual:
      return select(less_equal(a, b), one, zero);
    case Op::kEqual:
      return select(equal(a, b), one, zero);
    case Op::kAnd:
      return select(equal(a * b, zero), zero, one);
    case Op::kOr:
      return select(equal(abs(a) + abs(b), zero), zero, one);
    default:
      break;
  }
  throw std::domain_error("a table or spline");
}

// x is indexed by slot.
template <class T>
T value_over(const Tape& tape, std::span<const T> x) {
  std::vector<T> values;
  for (const int slot : tape.slots()) values.push_back(x[static_cast<std::size_t>(slot)]);
  for (const double constant : tape.constants()) values.emplace_back(constant);
  for (const Node& node : tape.nodes()) {
    const T a = values[static_cast<std::size_t>(node.a)], b = values[static_cast<std::size_t>(node.b)];
    values.push_back(node.op == Op::kSelect
                         ? select(equal(values[static_cast<std::size_t>(node.c)], T(0.0)), b, a)
                         : apply_over(node.op, a, b));
  }
  return values.back();
}

}  // namespace trammel::expressions
