// Step sizes by proportional-integral control of the local error:
//
//   h₊ = h · 0.8 ε^−(1/k − ¾β) ε₋^β,   0.2 h ≤ h₊ ≤ 5 h
//
// ε is the error relative to the tolerance, ε₋ that of the step before, and the error is of order hᵏ.
// Gustafsson (1991); Hairer & Wanner, Solving Ordinary Differential Equations II (1996), IV.2, whose β is
// 0.04 for low orders.
#pragma once

#include <span>

namespace trammel::integrators {

class StepController {
 public:
  explicit StepController(int error_order, double beta = 0.04) : order_(error_order), beta_(beta) {}

  // What the State remembers: the step proposed (0: none yet) and the last error.
  static constexpr int kMemory = 2;
  void recall(std::span<const double> memory);
  void remember(std::span<double> memory) const;

  double proposed() const { return step_; }  // s
  void propose(double step) { step_ = step; }
  // The step to take with `left` seconds to go: the last two are stretched or halved to land on the end.
  double fitted(double left) const;

  // The next proposal after a step of that size.
  void accept(double used, double error);
  void reject(double used, double error);
  void reject_failed(double used);  // the step could not be evaluated

 private:
  int order_;
  double beta_;
  double step_ = 0, last_error_ = 0;
  bool after_rejection_ = false;
};

}  // namespace trammel::integrators
