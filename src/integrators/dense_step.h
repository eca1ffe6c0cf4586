// DenseStep: the motion within a step of Dormand and Prince's rule, to fourth order.
//
//   y(θ) = r₀ + θ(r₁ + (1−θ)(r₂ + θ(r₃ + (1−θ) r₄))),   θ = (t − t₀)/h
//
// It meets y and ẏ at both ends, before the form projects the end. Shampine (1986); Hairer, Nørsett & Wanner,
// Solving Ordinary Differential Equations I (1993), II.6.
#pragma once

#include <span>
#include <vector>

#include "integrators/explicit_stages.h"

namespace trammel {

class DenseStep {
 public:
  double t0 = 0, h = 0;  // s

  std::size_t size() const { return n_; }
  // y at t0 + θ h, 0 ≤ θ ≤ 1
  void at(double theta, std::span<double> y) const;
  // From the step's ends and the stages of kDormandPrince.
  void set(double t_begin, double step, std::span<const double> y0, std::span<const double> y1,
           const ExplicitStages& k);

 private:
  std::size_t n_ = 0;
  std::vector<double> r_;  // r₀ … r₄, one after the other
};

}  // namespace trammel
