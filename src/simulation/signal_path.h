// A signal along a step: the polynomial of degree five through its values and their first two derivatives at
// both ends, in Bernstein form
//
//   s(θ) = Σ_i b_i B_i(θ),  θ = (t − t₀)/h,  b₀ = s₀, b₁ = s₀ + hṡ₀/5, b₂ = s₀ + 2hṡ₀/5 + h²s̈₀/20, …
//
// or the cubic through values and rates, where second derivatives are not known. Over a part of the step it
// lies between the least and the largest of the part's own b_i, its derivative between those of their
// differences (Farin, 2002).
#pragma once

#include <array>
#include <limits>

#include "expressions/enclosure.h"

namespace trammel::simulation {

class SignalPath {
 public:
  struct End {
    double value = 0, rate = 0;
    double second = std::numeric_limits<double>::quiet_NaN();  // the second derivative; NaN: not known
  };

  SignalPath() = default;
  SignalPath(double from, double to, const End& first, const End& last);

  double at(double t) const;
  expressions::Enclosure over(double from, double to) const;

  // How far it is from the cubic, at most: more than it errs by, if it bends smoothly. 0: it is the cubic.
  double bend() const { return bend_; }

 private:
  static constexpr std::size_t kDegree = 5;
  using Arguments = std::array<double, kDegree>;
  double blossom(const Arguments& theta) const;

  double from_ = 0, duration_ = 1, bend_ = 0;
  std::array<double, kDegree + 1> b_{};
};

}  // namespace trammel::simulation
