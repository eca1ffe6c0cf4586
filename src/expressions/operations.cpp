#include "expressions/operations.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace trammel::expressions {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool unknown(double a, double b) { return std::isnan(a) || std::isnan(b); }

double truth(bool holds) { return holds ? 1.0 : 0.0; }

double sign(double a) { return std::isnan(a) ? a : truth(a > 0) - truth(a < 0); }

// u^3 (10 - 15 u + 6 u^2) between 0 and 1, constant outside: C2
double quintic(double u) {
  if (u <= 0) return 0;
  if (u >= 1) return 1;
  return u * u * u * (10 + u * (6 * u - 15));
}

// The remainder has the sign of b, as in a - b floor(a/b).
double mod(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

bool min_takes_a(double a, double b) { return a <= b || std::isnan(a); }
bool max_takes_a(double a, double b) { return a >= b || std::isnan(a); }

// A false operand decides, else NaN is passed on.
double both(double a, double b) {
  if (a == 0 || b == 0) return 0;
  return unknown(a, b) ? kNaN : 1;
}

double negation(double a) { return std::isnan(a) ? a : truth(a == 0); }

double unary(Op op, double a) {
  switch (op) {
    case Op::kNegate:
      return -a;
    case Op::kSquare:
      return a * a;
    case Op::kSqrt:
      return std::sqrt(a);
    case Op::kExp:
      return std::exp(a);
    case Op::kLog:
      return std::log(a);
    case Op::kLog10:
      return std::log10(a);
    case Op::kSin:
      return std::sin(a);
    case Op::kCos:
      return std::cos(a);
    case Op::kTan:
      return std::tan(a);
    case Op::kAsin:
      return std::asin(a);
    case Op::kAcos:
      return std::acos(a);
    case Op::kAtan:
      return std::atan(a);
    case Op::kSinh:
      return std::sinh(a);
    case Op::kCosh:
      return std::cosh(a);
    case Op::kTanh:
      return std::tanh(a);
    case Op::kAbs:
      return std::abs(a);
    case Op::kSign:
      return sign(a);
    case Op::kFloor:
      return std::floor(a);
    case Op::kNot:
      return negation(a);
    case Op::kQuintic:
      return quintic(a);
    default:
      return kNaN;
  }
}

Partials first_and_second(double d, double dd) { return {d, 0, dd, 0, 0}; }

Partials unary_partials(Op op, double a, double f) {
  const auto jet = first_and_second;
  switch (op) {
    case Op::kNegate:
      return jet(-1, 0);
    case Op::kSquare:
      return jet(2 * a, 2);
    // abs: sqrt(-0) is -0, yet the slope there is +inf
    case Op::kSqrt:
      return jet(0.5 / std::abs(f), -0.25 / std::abs(f * a));
    case Op::kExp:
      return jet(f, f);
    case Op::kLog:
      return jet(1 / a, -1 / (a * a));
    case Op::kLog10:
      return jet(std::numbers::log10e / a, -std::numbers::log10e / (a * a));
    case Op::kSin:
      return jet(std::cos(a), -f);
    case Op::kCos:
      return jet(-std::sin(a), -f);
    case Op::kTan:
      return jet(1 + f * f, 2 * f * (1 + f * f));
    case Op::kAsin:
      return jet(1 / std::sqrt(1 - a * a), a / std::pow(1 - a * a, 1.5));
    case Op::kAcos:
      return jet(-1 / std::sqrt(1 - a * a), -a / std::pow(1 - a * a, 1.5));
    case Op::kAtan:
      return jet(1 / (1 + a * a), -2 * a / ((1 + a * a) * (1 + a * a)));
    case Op::kSinh:
      return jet(std::cosh(a), f);
    case Op::kCosh:
      return jet(std::sinh(a), f);
    case Op::kTanh:
      return jet(1 - f * f, -2 * f * (1 - f * f));
    case Op::kAbs:
      return jet(sign(a), 0);
    case Op::kQuintic:
      if (a <= 0 || a >= 1) return {};
      return jet(30 * a * a * (1 - a) * (1 - a), 60 * a * (1 - a) * (1 - 2 * a));
    default:
      return {};
  }
}

Partials quotient_partials(double b, double f) { return {1 / b, -f / b, 0, -1 / (b * b), 2 * f / (b * b)}; }

// a^b, both varying. At a = 0 the limits a -> 0+ stand; for a < 0 the derivatives by b do not exist: NaN.
// Where a^b has no value (a < 0, b not whole) it has no derivatives, although b − 1 may be rounded to a whole
// number.
Partials power_partials(double a, double b, double f) {
  if (std::isnan(f)) return {kNaN, kNaN, kNaN, kNaN, kNaN};
  Partials p;
  if (b != 0) p.a = product(b, std::pow(a, b - 1));
  if (b != 0 && b != 1) p.aa = product(b * (b - 1), std::pow(a, b - 2));
  if (a == 0 && b > 0) {
    p.ab = b > 1 ? 0 : -kInfinity;
    return p;
  }
  const double log_a = std::log(a);
  p.b = product(f, log_a);
  p.bb = product(p.b, log_a);
  p.ab = product(std::pow(a, b - 1), 1 + b * log_a);
  return p;
}

Partials atan2_partials(double y, double x) {
  const double r2 = x * x + y * y;
  const double cross = 2 * x * y / (r2 * r2);
  return {x / r2, -y / r2, -cross, (y * y - x * x) / (r2 * r2), cross};
}

Partials hypot_partials(double a, double b, double f) {
  if (f == 0) return {};
  const double c = a / f, s = b / f;
  return {c, s, s * s / f, -c * s / f, c * c / f};
}

Partials branch(bool takes_a) { return {truth(takes_a), truth(!takes_a), 0, 0, 0}; }

}  // namespace

double apply(Op op, double a, double b) {
  switch (op) {
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
      return unknown(a, b) ? kNaN : std::pow(a, b);
    case Op::kAtan2:
      return std::atan2(a, b);
    case Op::kHypot:
      return unknown(a, b) ? kNaN : std::hypot(a, b);
    case Op::kMin:
      return min_takes_a(a, b) ? a : b;
    case Op::kMax:
      return max_takes_a(a, b) ? a : b;
    case Op::kMod:
      return mod(a, b);
    case Op::kLess:
      return unknown(a, b) ? kNaN : truth(a < b);
    case Op::kLessEqual:
      return unknown(a, b) ? kNaN : truth(a <= b);
    case Op::kEqual:
      return unknown(a, b) ? kNaN : truth(a == b);
    case Op::kAnd:
      return both(a, b);
    case Op::kOr:
      return negation(both(negation(a), negation(b)));
    default:
      return unary(op, a);
  }
}

Partials partials(Op op, double a, double b, double f) {
  switch (op) {
    case Op::kAdd:
      return {1, 1, 0, 0, 0};
    case Op::kSubtract:
      return {1, -1, 0, 0, 0};
    case Op::kMultiply:
      return {b, a, 0, 1, 0};
    case Op::kDivide:
      return quotient_partials(b, f);
    // b is neither 0 nor 1 here: the builder folds those
    case Op::kPowerConstant:
      if (std::isnan(f)) return first_and_second(kNaN, kNaN);
      return first_and_second(b * std::pow(a, b - 1), b * (b - 1) * std::pow(a, b - 2));
    case Op::kPower:
      return power_partials(a, b, f);
    case Op::kAtan2:
      return atan2_partials(a, b);
    case Op::kHypot:
      return hypot_partials(a, b, f);
    case Op::kMin:
      return branch(min_takes_a(a, b));
    case Op::kMax:
      return branch(max_takes_a(a, b));
    case Op::kMod:
      return {1, -std::round((a - f) / b), 0, 0, 0};
    default:
      return unary_partials(op, a, f);
  }
}

}  // namespace trammel::expressions
