// A formula a person wrote: parsed once, then evaluated with exact derivatives and without allocating.
//
//   + - * / ^ **   < <= > >= == !=   and or not (1/0 valued)   names such as hinge.angle   pi   1e-3
//   sin cos tan asin acos atan atan2(y, x) sinh cosh tanh exp log (natural) log10 sqrt hypot(x, y): smooth
//   step(x, x0, y0, x1, y1): C2, 10 u^3 - 15 u^4 + 6 u^5 from y0 at x0 to y1 at x1, constant outside
//   smooth_sign(x, width) = tanh(x/width): smooth
//   abs min(a, b, ...) max(a, b, ...) clamp(x, lo, hi): continuous, the slope jumps
//   sign floor mod(a, b) if(condition, a, b): may jump; mod has the sign of b
//   name(x), a Function1: table continuous, monotone spline C1, other splines C2
// At a kink or jump the derivative is that of the branch taken; abs and hypot have zero at 0. Outside a
// function's domain the value is NaN or inf, and at the edge of one a derivative can be (sqrt at 0): the
// caller checks.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "expressions/expression_error.h"
#include "expressions/function1.h"
#include "expressions/symbols.h"
#include "expressions/tape.h"

namespace trammel::expressions {

class Expression {
 public:
  using Taylor = Tape::Taylor;  // value, first and second derivative: f, fd, fdd

  Expression() : Expression(constant(0)) {}
  // definition: the name that the text defines, so that it is not used in it.
  static std::variant<Expression, ExpressionError> parse(std::string_view text, const Symbols& symbols,
                                                         const std::string& definition = {});
  static Expression constant(double value);

  const std::string& text() const { return text_; }
  bool is_constant() const { return slots().empty(); }
  // The variables it depends on, ascending; the order of gradient entries.
  const std::vector<int>& slots() const { return tape_.slots(); }
  // Of its terms in the variables from a slot on, as written: what only cancels still counts.
  Tape::Degree degree(int first_slot) const { return tape_.degree(first_slot); }
  const Tape& tape() const { return tape_; }
  // Doubles of scratch that every method below can do with.
  int scratch_size() const { return static_cast<int>(tape_.scratch_size()); }

  // x is indexed by slot.
  double value(std::span<const double> x, std::span<double> scratch) const { return tape_.value(x, scratch); }
  // g[k] = df/dx[slots()[k]]
  double gradient(std::span<const double> x, std::span<double> g, std::span<double> scratch) const {
    return tape_.gradient(x, g, scratch);
  }
  // h: dense symmetric n x n, n = slots().size()
  double hessian(std::span<const double> x, std::span<double> g, std::span<double> h,
                 std::span<double> scratch) const {
    return tape_.hessian(x, g, h, scratch);
  }
  // Derivatives by one variable, the others held.
  Taylor taylor(std::span<const double> x, int slot, std::span<double> scratch) const {
    return tape_.taylor(x, slot, scratch);
  }

  // What in it depends on one variable alone; what in it can have a narrow peak; bounds of it (tape.h).
  std::vector<Expression> parts(int slot) const { return with_text(tape_.parts(slot)); }
  std::vector<Expression> terms_with_peaks() const { return with_text(tape_.terms_with_peaks()); }
  Enclosure enclosure(std::vector<Enclosure>& values) const { return tape_.enclosure(values); }

  // Where it jumps or has a kink, by a variable alone (tape.h).
  std::vector<Tape::Crossing> crossings(int slot) const { return tape_.crossings(slot); }
  // w of one of them, in units of its `unit`.
  Expression crossing_argument(int crossing) const {
    return {text_, tape_.argument(tape_.crossings(0)[static_cast<std::size_t>(crossing)])};
  }
  void decide_by(int crossing, int slot) {
    tape_.decide_by(tape_.crossings(0)[static_cast<std::size_t>(crossing)], slot);
  }
  Taylor crossing_value(const Tape::Crossing& crossing, std::span<const double> x, int slot,
                        std::span<double> scratch) const {
    return tape_.crossing_value(crossing, x, slot, scratch);
  }
  void levels_around(const Tape::Crossing& crossing, double w, double& below, double& above) const {
    tape_.levels_around(crossing, w, below, above);
  }

 private:
  Expression(std::string text, Tape tape) : text_(std::move(text)), tape_(std::move(tape)) {}
  std::vector<Expression> with_text(std::vector<Tape> tapes) const;

  std::string text_;
  Tape tape_;
};

}  // namespace trammel::expressions
