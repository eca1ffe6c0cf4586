// An expression as a flat list of operations, and the sweeps over it: value, gradient (reverse), Hessian
// (forward over reverse), Taylor (second-order forward). Griewank & Walther (2008), ch. 3 and 5.
//
// Values are numbered variables first, then constants, then one per node; a node reads lower numbers only and
// the last value is the result. In a derivative a zero factor makes a zero product whatever the other factor:
// so a branch not taken, or an infinite slope (sqrt at 0) behind a zero, spoils nothing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "expressions/enclosure.h"
#include "expressions/function1.h"
#include "expressions/operations.h"

namespace trammel::expressions {

struct Node {
  Op op;
  int a;  // operands: numbers of values; b = a for operations of one operand
  int b;
  int c;              // kSelect: the condition's number, kFunction1: index of the function, else 0
  int decision = -1;  // slot of the w by which it takes its branch; −1, or where that is a NaN: its own
};

class Tape {
 public:
  struct Taylor {
    double f, fd, fdd;
  };

  // slots ascending; the result is the last value.
  Tape(std::vector<int> slots, std::vector<double> constants, std::vector<Node> nodes,
       std::vector<Function1> functions);

  // The degrees of the terms in some variables, as written: x + 1 has 0 and 1. Two stands for all that is not
  // linear.
  struct Degree {
    int low, high;
    bool is_linear() const { return high < 2; }
  };

  // Where the tape jumps or has a kink: where w = (a − b)/unit, of the values numbered so, meets a level.
  struct Crossing {
    enum class Levels { zero, zero_and_one, whole, knots };
    int node = 0;       // where
    int a = 0, b = -1;  // −1: a alone
    double unit = 1;
    Levels levels = Levels::zero;
    int function = -1;  // whose knots
    bool alone = true;  // w depends on one variable alone, the one asked for
    bool affine = false;
    bool spline = false;  // the knots are those of a function whose slope is continuous
  };

  const std::vector<int>& slots() const { return slots_; }
  const std::vector<double>& constants() const { return constants_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  std::size_t scratch_size() const;
  // In the variables from a slot on.
  Degree degree(int first_slot) const;

  double value(std::span<const double> x, std::span<double> scratch) const;
  double gradient(std::span<const double> x, std::span<double> g, std::span<double> scratch) const;
  double hessian(std::span<const double> x, std::span<double> g, std::span<double> h,
                 std::span<double> scratch) const;
  Taylor taylor(std::span<const double> x, int slot, std::span<double> scratch) const;

  // The values that depend on the variable of this slot alone, and not along a straight line, as tapes; those
  // that are part of a larger one are left out, but for the terms that make it.
  std::vector<Tape> parts(int slot) const;
  // The result, and the terms that make it: those that can have a narrow peak because of another variable
  // than that of slot 0, as a product of sums, sines and squares cannot.
  std::vector<Tape> terms_with_peaks() const;
  // Of the result. `values` has the enclosures of the variables, in the order of slots(); the others are
  // added.
  Enclosure enclosure(std::vector<Enclosure>& values) const;

  // All, and whether w depends on the variable of this slot alone.
  std::vector<Crossing> crossings(int slot) const;
  // There the tape takes from now on the branch of a w that stands in this slot, whatever its own; a step(),
  // which is smooth, does not.
  void decide_by(const Crossing& crossing, int slot);
  // w as a tape of the same variables.
  Tape argument(const Crossing& crossing) const { return ending_at(crossing.a, crossing.b); }
  // w, and its derivatives by that variable.
  Taylor crossing_value(const Crossing& crossing, std::span<const double> x, int slot,
                        std::span<double> scratch) const;
  // The levels on both sides of w; infinite where there is none. A level belongs to what is above it.
  void levels_around(const Crossing& crossing, double w, double& below, double& above) const;

 private:
  // How a value depends on one variable, as written.
  enum class Depends { no, affinely, otherwise };
  struct Dependence {
    Depends on;
    bool others;  // whether it depends on other variables
  };

  std::size_t leaves() const { return slots_.size() + constants_.size(); }
  std::size_t size() const { return leaves() + nodes_.size(); }
  void forward(std::span<const double> x, double* v) const;
  static Degree degree_of(const Node& node, const std::vector<Degree>& of);
  static Depends depends(Op op, Depends a, Depends b);
  // Of the leaves; node by node it goes on.
  std::vector<Dependence> dependence_of_leaves(int slot) const;
  static Dependence dependence_of(const Node& node, const std::vector<Dependence>& of);
  bool may_have_peaks() const;
  bool is_number(int value) const;
  // The terms that make a value; of_a_sum: by sums and multiples alone.
  struct Terms {
    std::vector<std::size_t> all;
    bool of_a_sum = true;
  };
  Terms terms_of(std::size_t value) const;
  // A tape that ends with a value of this one.
  Tape ending_at(int a, int b = -1) const;
  double value_of(const Node& node, const double* v, std::span<const double> x) const;
  Partials partials_of(const Node& node, const double* v, double f, std::span<const double> x) const;
  double decided(const Node& node, const double* v, double w) const;
  Partials decided_partials(const Node& node, const double* v, double w) const;
  void sweep_taylor(std::span<const double> x, int slot, double* v, double* d, double* dd) const;
  void curvature(const double* p, const double* adjoint, double* tangent, double* second) const;

  std::vector<int> slots_;
  std::vector<double> constants_;
  std::vector<Node> nodes_;
  std::vector<Function1> functions_;
};

}  // namespace trammel::expressions
