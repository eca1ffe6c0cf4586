// A signal along a step: the cubic through its values and rates at both ends, in Bernstein form
//
//   s(θ) = Σ_i b_i B_i(θ),  θ = (t − t₀)/h,  b = (s₀, s₀ + hṡ₀/3, s₁ − hṡ₁/3, s₁)
//
// Over a part of the step it lies between the least and the largest of the part's own b_i, its derivative
// between those of their differences (Farin, 2002).
#pragma once

#include "expressions/enclosure.h"

namespace trammel::simulation {

class SignalPath {
 public:
  SignalPath() = default;
  SignalPath(double from, double to, double s0, double rate0, double s1, double rate1);

  double at(double t) const;
  expressions::Enclosure over(double from, double to) const;

 private:
  double blossom(double a, double b, double c) const;

  double from_ = 0, duration_ = 1;
  double b_[4] = {0, 0, 0, 0};
};

}  // namespace trammel::simulation
