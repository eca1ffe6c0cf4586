// The cubic through a value and its rate at both ends of a step: what the step did between them.
//
//   s(θ) = s0 + v0 θ + b θ² + a θ³,  0 ≤ θ ≤ 1,  a = v0 + v1 − 2 (s1 − s0),  b = 3 (s1 − s0) − 2 v0 − v1
//
// Rates are per step. It errs by at most 1/384 of the fourth derivative.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace trammel::simulation {

class StepCubic {
 public:
  // Up to three parts of the step, in order.
  struct Places {
    std::array<double, 3> theta{};
    std::size_t count = 0;
    const double* begin() const { return theta.data(); }
    const double* end() const { return theta.data() + count; }
    void add(double one) { theta.at(count++) = one; }
  };

  StepCubic(double s0, double v0, double s1, double v1)
      : s0_(s0), v0_(v0), b_(3 * (s1 - s0) - 2 * v0 - v1), a_(v0 + v1 - 2 * (s1 - s0)) {}

  double at(double theta) const { return s0_ + theta * (v0_ + theta * (b_ + theta * a_)); }

  // Where it turns.
  Places turns() const {
    Places out;
    const double square = b_ * b_ - 3 * a_ * v0_;
    if (!(square > 0)) return out;
    // Both roots of v0 + 2 b θ + 3 a θ² without cancellation.
    const double r = -(b_ + std::copysign(std::sqrt(square), b_));
    double one = r / (3 * a_), other = v0_ / r;
    if (other < one) std::swap(one, other);
    for (const double theta : {one, other})
      if (theta > 0 && theta < 1) out.add(theta);
    return out;
  }

  // Where it passes a level.
  Places passes(double level) const {
    Places out;
    Places ends = turns();
    ends.add(1);
    double from = 0;
    for (const double to : ends) {
      if ((at(from) < level) != (at(to) < level)) out.add(pass(level, from, to));
      from = to;
    }
    return out;
  }

 private:
  // Between two places, on whose way it does not turn.
  double pass(double level, double from, double to) const {
    constexpr int kHalves = 52;  // the digits of a double
    const bool rises = at(from) < level;
    for (int k = 0; k < kHalves; ++k) {
      const double middle = 0.5 * (from + to);
      ((at(middle) < level) == rises ? from : to) = middle;
    }
    return to;
  }

  double s0_, v0_, b_, a_;
};

}  // namespace trammel::simulation
