// DenseStep: the motion within a step of a pair of explicit rules, to about the order of the step.
//
//   y(θ) = r₀ + θ(r₁ + (1−θ)(r₂ + θ(r₃ + (1−θ)(r₄ + …)))),   θ = (t − t₀)/h
//
// It meets y and ẏ at both ends, before the form projects the end; the rows of the tableau give r₄ and on.
// Shampine (1986); Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I (1993), II.6.
#pragma once

#include <span>
#include <vector>

#include "integrators/pair_tableaus.h"

namespace trammel::integrators {

class DenseStep {
 public:
  // From the step's ends and all stages of the pair.
  void set(const PairTableau& pair, double h, std::span<const double> y0, std::span<const double> y1,
           const ExplicitStages& k);
  // y at t₀ + θ h, 0 ≤ θ ≤ 1
  void at(double theta, std::span<double> y) const;
  // dy/dθ
  void slope(double theta, std::span<double> y) const;

 private:
  std::size_t n_ = 0, terms_ = 0;
  std::vector<double> r_;  // r₀, r₁, …, one after the other
};

}  // namespace trammel::integrators
