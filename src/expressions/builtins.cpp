#include "expressions/builtins.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace trammel::expressions {
namespace {

using Arguments = std::span<const int>;

template <Op op>
int one(TapeBuilder& tape, Arguments x) {
  return tape.unary(op, x[0]);
}

template <Op op>
int two(TapeBuilder& tape, Arguments x) {
  return tape.binary(op, x[0], x[1]);
}

template <Op op>
int chain(TapeBuilder& tape, Arguments x) {
  int result = x[0];
  for (const int next : x.subspan(1)) result = tape.binary(op, result, next);
  return result;
}

int select(TapeBuilder& tape, Arguments x) { return tape.select(x[0], x[1], x[2]); }

int clamp(TapeBuilder& tape, Arguments x) {
  const auto low = tape.constant(x[1]), high = tape.constant(x[2]);
  if (low && high && *low > *high)
    throw std::invalid_argument("clamp(x, lo, hi) has lo above hi: exchange them");
  return tape.binary(Op::kMin, tape.binary(Op::kMax, x[0], x[1]), x[2]);
}

int smooth_sign(TapeBuilder& tape, Arguments x) {
  if (tape.constant(x[1]) == 0.0)
    throw std::invalid_argument("smooth_sign(x, width) has width 0: give a positive width, or use sign(x)");
  return tape.unary(Op::kTanh, tape.binary(Op::kDivide, x[0], x[1]));
}

// y0 + (y1 - y0) s(u),  u = (x - x0)/(x1 - x0)
int step(TapeBuilder& tape, Arguments arguments) {
  const int x = arguments[0], x0 = arguments[1], y0 = arguments[2], x1 = arguments[3], y1 = arguments[4];
  const int width = tape.binary(Op::kSubtract, x1, x0);
  if (tape.constant(width) == 0.0)
    throw std::invalid_argument(
        "step(x, x0, y0, x1, y1) has x0 equal to x1: make them differ, or write if(x < x0, y0, y1)");
  const int u = tape.binary(Op::kDivide, tape.binary(Op::kSubtract, x, x0), width);
  const int rise = tape.binary(Op::kSubtract, y1, y0);
  return tape.binary(Op::kAdd, y0, tape.binary(Op::kMultiply, rise, tape.unary(Op::kQuintic, u)));
}

constexpr Builtin kBuiltins[] = {
    {"sin", "sin(x)", 1, 1, one<Op::kSin>},
    {"cos", "cos(x)", 1, 1, one<Op::kCos>},
    {"tan", "tan(x)", 1, 1, one<Op::kTan>},
    {"asin", "asin(x)", 1, 1, one<Op::kAsin>},
    {"acos", "acos(x)", 1, 1, one<Op::kAcos>},
    {"atan", "atan(x)", 1, 1, one<Op::kAtan>},
    {"atan2", "atan2(y, x)", 2, 2, two<Op::kAtan2>},
    {"sinh", "sinh(x)", 1, 1, one<Op::kSinh>},
    {"cosh", "cosh(x)", 1, 1, one<Op::kCosh>},
    {"tanh", "tanh(x)", 1, 1, one<Op::kTanh>},
    {"exp", "exp(x)", 1, 1, one<Op::kExp>},
    {"log", "log(x)", 1, 1, one<Op::kLog>},
    {"log10", "log10(x)", 1, 1, one<Op::kLog10>},
    {"sqrt", "sqrt(x)", 1, 1, one<Op::kSqrt>},
    {"abs", "abs(x)", 1, 1, one<Op::kAbs>},
    {"sign", "sign(x)", 1, 1, one<Op::kSign>},
    {"floor", "floor(x)", 1, 1, one<Op::kFloor>},
    {"hypot", "hypot(x, y)", 2, 2, two<Op::kHypot>},
    {"mod", "mod(a, b)", 2, 2, two<Op::kMod>},
    {"min", "min(a, b, ...)", 2, Builtin::kAnyNumber, chain<Op::kMin>},
    {"max", "max(a, b, ...)", 2, Builtin::kAnyNumber, chain<Op::kMax>},
    {"clamp", "clamp(x, lo, hi)", 3, 3, clamp},
    {"if", "if(condition, a, b)", 3, 3, select},
    {"step", "step(x, x0, y0, x1, y1)", 5, 5, step},
    {"smooth_sign", "smooth_sign(x, width)", 2, 2, smooth_sign},
};

}  // namespace

std::span<const Builtin> builtins() { return kBuiltins; }

const Builtin* find_builtin(std::string_view name) {
  const auto found = std::find_if(std::begin(kBuiltins), std::end(kBuiltins),
                                  [&](const Builtin& b) { return b.name == name; });
  return found == std::end(kBuiltins) ? nullptr : found;
}

}  // namespace trammel::expressions
