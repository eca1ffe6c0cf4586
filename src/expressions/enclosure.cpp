#include "expressions/enclosure.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>

namespace trammel::expressions {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr Interval kZero{0, 0}, kAny{}, kTruth{0, 1};

// The least interval with all of these; a NaN may be anything.
Interval hull(std::initializer_list<double> values) {
  Interval out = Interval::one(*values.begin());
  for (const double v : values) {
    if (std::isnan(v)) return kAny;
    out = {std::min(out.lo, v), std::max(out.hi, v)};
  }
  return out;
}
Interval hull(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

// 0 times infinity is 0: the infinity stands for large numbers only.
double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Interval operator+(Interval a, Interval b) { return {a.lo + b.lo, a.hi + b.hi}; }
Interval operator-(Interval a) { return {-a.hi, -a.lo}; }
Interval operator-(Interval a, Interval b) { return a + -b; }
Interval operator*(Interval a, Interval b) {
  return hull({times(a.lo, b.lo), times(a.lo, b.hi), times(a.hi, b.lo), times(a.hi, b.hi)});
}
Interval operator*(double a, Interval b) { return Interval::one(a) * b; }
Interval inverse(Interval a) { return a.holds(0) ? kAny : Interval{1 / a.hi, 1 / a.lo}; }

Interval square(Interval a) {
  const Interval both = hull({a.lo * a.lo, a.hi * a.hi});
  return a.holds(0) ? Interval{0, both.hi} : both;
}
Interval magnitude(Interval a) {
  const Interval both = hull({std::abs(a.lo), std::abs(a.hi)});
  return a.holds(0) ? Interval{0, both.hi} : both;
}

// Of an operation that only rises, or only falls.
Interval monotone(Op op, Interval a) { return hull({apply(op, a.lo, 0), apply(op, a.hi, 0)}); }

// cos over an interval: its maxima are at 2 k pi, its minima half a turn later.
Interval cosine(Interval a) {
  if (!(a.width() < 2 * kPi)) return {-1, 1};
  const auto passes = [&](double angle) {
    return std::floor((a.hi - angle) / (2 * kPi)) > std::floor((a.lo - angle) / (2 * kPi));
  };
  Interval out = hull({std::cos(a.lo), std::cos(a.hi)});
  if (passes(0)) out.hi = 1;
  if (passes(kPi)) out.lo = -1;
  return out;
}
Interval sine(Interval a) { return cosine(a - Interval::one(kPi / 2)); }

// a^c: rises or falls on each side of 0.
Interval power(Interval a, double c) {
  const bool whole = c == std::floor(c);
  if (a.lo < 0 && !whole) return kAny;
  if (a.holds(0) && c < 0) return kAny;
  const Interval ends = hull({std::pow(a.lo, c), std::pow(a.hi, c)});
  return a.holds(0) && c != 0 ? hull(ends, kZero) : ends;
}

Enclosure chain(Interval f, Interval slope, const Enclosure& a) { return {f, slope * a.d}; }

// Jumps, unless its operands stay the same.
Enclosure jumping(Interval f, const Enclosure& a, const Enclosure& b) {
  const bool still = f.is_one() || (a.f.is_one() && b.f.is_one());
  return {f, still ? kZero : kAny};
}

Interval decided(bool surely, bool possibly) { return surely ? Interval::one(1) : possibly ? kTruth : kZero; }

Enclosure unary(Op op, const Enclosure& a) {
  const Interval x = a.f;
  switch (op) {
    case Op::kNegate:
      return {-x, -a.d};
    case Op::kSquare:
      return chain(square(x), 2 * x, a);
    case Op::kSqrt: {
      const Interval f = monotone(op, x);
      return chain(f, f.lo > 0 ? 0.5 * inverse(f) : kAny, a);
    }
    case Op::kExp: {
      const Interval f = monotone(op, x);
      return chain(f, f, a);
    }
    case Op::kLog:
      return chain(x.lo > 0 ? monotone(op, x) : kAny, x.lo > 0 ? inverse(x) : kAny, a);
    case Op::kLog10:
      return chain(x.lo > 0 ? monotone(op, x) : kAny, x.lo > 0 ? std::numbers::log10e * inverse(x) : kAny, a);
    case Op::kSin:
      return chain(sine(x), cosine(x), a);
    case Op::kCos:
      return chain(cosine(x), -sine(x), a);
    case Op::kTan: {
      const bool pole = !(x.width() < kPi) || cosine(x).holds(0);
      const Interval f = pole ? kAny : monotone(op, x);
      return chain(f, Interval::one(1) + square(f), a);
    }
    case Op::kAsin:
    case Op::kAcos: {
      const Interval inner = Interval::one(1) - square(x);
      const Interval slope = inner.lo > 0 ? inverse(monotone(Op::kSqrt, inner)) : kAny;
      return chain(monotone(op, x), op == Op::kAsin ? slope : -slope, a);
    }
    case Op::kAtan:
      return chain(monotone(op, x), inverse(Interval::one(1) + square(x)), a);
    case Op::kSinh:
      return chain(monotone(op, x), monotone(Op::kCosh, magnitude(x)), a);
    case Op::kCosh:
      return chain(monotone(op, magnitude(x)), monotone(Op::kSinh, x), a);
    case Op::kTanh: {
      const Interval f = monotone(op, x);
      return chain(f, Interval::one(1) - square(f), a);
    }
    case Op::kAbs:
      return chain(magnitude(x), monotone(Op::kSign, x), a);
    case Op::kQuintic: {
      const Interval u{std::clamp(x.lo, 0.0, 1.0), std::clamp(x.hi, 0.0, 1.0)};
      return chain(monotone(op, u), 30 * square(u * (Interval::one(1) - u)), a);
    }
    case Op::kSign:
    case Op::kFloor:
      return jumping(monotone(op, x), a, a);
    case Op::kNot:
      return jumping(decided(x.lo == 0 && x.hi == 0, x.holds(0)), a, a);
    default:
      return {};
  }
}

Interval truth_of(Interval a) { return decided(!a.holds(0), a.lo != 0 || a.hi != 0); }

Enclosure power(const Enclosure& a, const Enclosure& b) {
  if (b.f.is_one()) return chain(power(a.f, b.f.lo), b.f.lo * power(a.f, b.f.lo - 1), a);
  if (!(a.f.lo > 0)) return {};
  // a^b = exp(b log a)
  const Interval log = monotone(Op::kLog, a.f), f = monotone(Op::kExp, b.f * log);
  return {f, f * (b.d * log + b.f * inverse(a.f) * a.d)};
}

Enclosure hypotenuse(const Enclosure& a, const Enclosure& b) {
  const Interval f = monotone(Op::kSqrt, square(a.f) + square(b.f));
  if (!(f.lo > 0)) return {f, Interval{-1, 1} * (hull(a.d, -a.d) + hull(b.d, -b.d))};
  return {f, (a.f * a.d + b.f * b.d) * inverse(f)};
}

// The angle of (b, a); cut along the negative axis of b.
Enclosure angle(const Enclosure& a, const Enclosure& b) {
  if (!(b.f.lo > 0)) return {{-kPi, kPi}, kAny};
  const Interval f = hull(hull({std::atan2(a.f.lo, b.f.lo), std::atan2(a.f.lo, b.f.hi)}),
                          hull({std::atan2(a.f.hi, b.f.lo), std::atan2(a.f.hi, b.f.hi)}));
  return {f, (b.f * a.d - a.f * b.d) * inverse(square(a.f) + square(b.f))};
}

Enclosure remainder(const Enclosure& a, const Enclosure& b) {
  if (!b.f.is_one() || b.f.lo == 0) return {};
  const double unit = b.f.lo;
  if (std::floor(a.f.lo / unit) == std::floor(a.f.hi / unit))
    return {hull({apply(Op::kMod, a.f.lo, unit), apply(Op::kMod, a.f.hi, unit)}), a.d};
  return {hull({0, unit}), kAny};
}

// The one that is surely less, or either.
Enclosure least(const Enclosure& a, const Enclosure& b) {
  if (a.f.hi <= b.f.lo) return a;
  if (b.f.hi < a.f.lo) return b;
  return {{std::min(a.f.lo, b.f.lo), std::min(a.f.hi, b.f.hi)}, hull(a.d, b.d)};
}

Enclosure negative(const Enclosure& a) { return {-a.f, -a.d}; }

Enclosure binary(Op op, const Enclosure& a, const Enclosure& b) {
  const Interval x = a.f, y = b.f;
  switch (op) {
    case Op::kAdd:
      return {x + y, a.d + b.d};
    case Op::kSubtract:
      return {x - y, a.d - b.d};
    case Op::kMultiply:
      return {x * y, a.d * y + x * b.d};
    case Op::kDivide: {
      const Interval one_by_y = inverse(y), f = x * one_by_y;
      return {f, (a.d - f * b.d) * one_by_y};
    }
    case Op::kPowerConstant:
    case Op::kPower:
      return power(a, b);
    case Op::kAtan2:
      return angle(a, b);
    case Op::kHypot:
      return hypotenuse(a, b);
    case Op::kMin:
      return least(a, b);
    case Op::kMax:
      return negative(least(negative(a), negative(b)));
    case Op::kMod:
      return remainder(a, b);
    case Op::kLess:
      return jumping(decided(x.hi < y.lo, x.lo < y.hi), a, b);
    case Op::kLessEqual:
      return jumping(decided(x.hi <= y.lo, x.lo <= y.hi), a, b);
    case Op::kEqual:
      return jumping(decided(x.is_one() && y.is_one() && x.lo == y.lo, x.lo <= y.hi && y.lo <= x.hi), a, b);
    case Op::kAnd:
      return jumping(truth_of(x) * truth_of(y), a, b);
    case Op::kOr:
      return jumping({std::max(truth_of(x).lo, truth_of(y).lo), std::max(truth_of(x).hi, truth_of(y).hi)}, a,
                     b);
    default:
      return {};
  }
}

Interval known(Interval a) { return std::isnan(a.lo) || std::isnan(a.hi) ? kAny : a; }
Enclosure known(const Enclosure& a) { return {known(a.f), known(a.d)}; }

}  // namespace

Enclosure enclose(Op op, const Enclosure& a, const Enclosure& b) {
  return known(op < Op::kAdd ? unary(op, a) : binary(op, a, b));
}

Enclosure enclose_choice(const Enclosure& condition, const Enclosure& a, const Enclosure& b) {
  if (!condition.f.holds(0)) return a;
  if (condition.f.is_one()) return b;
  return {hull(a.f, b.f), kAny};
}

// Knot by knot: a cubic lies beside its chord by h^2/8 of its largest curvature, which is at an end, and its
// slope is an end's but for h of it.
Enclosure enclose(const Function1& function, const Enclosure& a) {
  if (!std::isfinite(a.f.width())) return {};
  Enclosure out;
  double left = a.f.lo;
  bool first = true;
  const auto reach = [&](double right) {
    // Just before a knot: the slope of a table jumps there.
    const double h = right - left;
    const Function1::Jet from = function.at(left), to = function.at(std::nextafter(right, left));
    const double curvature = std::max(std::abs(from.dd), std::abs(to.dd));
    const Interval beside = (h * h / 8 * curvature) * Interval{-1, 1},
                   turned = (h * curvature) * Interval{-1, 1};
    const Enclosure piece{hull({from.f, to.f}) + beside, hull({from.d, to.d}) + turned};
    out = first ? piece : Enclosure{hull(out.f, piece.f), hull(out.d, piece.d)};
    first = false;
    left = right;
  };
  // All that a periodic function does it does within a period.
  const double end = function.period() > 0 ? std::min(a.f.hi, a.f.lo + function.period()) : a.f.hi;
  for (double below = left, knot = left; function.knots_around(left, below, knot), knot < end;) reach(knot);
  reach(end);
  return known(chain(out.f, out.d, a));
}

}  // namespace trammel::expressions
