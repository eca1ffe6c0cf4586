// Builds a Tape bottom-up: folds constants, shares equal sub-expressions, drops what the result does not
// need.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "expressions/tape.h"

namespace trammel::expressions {

class TapeBuilder {
 public:
  // Each returns the number of an entry, to be used as an operand.
  int variable(int slot);
  int number(double value);
  int unary(Op op, int a) { return binary(op, a, a); }
  int binary(Op op, int a, int b);
  int power(int base, int exponent);
  int select(int condition, int a, int b);
  int function1(const Function1& f, int a);  // f is copied by finish() and must live until then

  // The value of an entry that depends on no variable.
  std::optional<double> constant(int entry) const;

  Tape finish(int result) const;

 private:
  struct Entry {
    Op op;
    int a = 0, b = 0, c = 0;  // as in Node; a variable's slot is in a
    std::uint64_t bits = 0;   // of a number: ordered even where it is NaN
    bool operator<(const Entry& o) const {
      return std::tie(op, a, b, c, bits) < std::tie(o.op, o.a, o.b, o.c, o.bits);
    }
  };
  const Entry& at(int entry) const { return entries_[static_cast<std::size_t>(entry)]; }
  int add(const Entry& entry);
  std::vector<bool> reachable(int result) const;

  std::vector<Entry> entries_;
  std::map<Entry, int> known_;
  std::vector<const Function1*> functions_;
};

}  // namespace trammel::expressions
