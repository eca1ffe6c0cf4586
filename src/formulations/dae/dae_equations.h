// DaeEquations: the mixed system of differential and algebraic equations, stabilized to index 2.
//
//   q̇ − v + W Φ_vᵀ μ = 0         μ holds Φ = 0 besides Φ̇ = 0; it is zero on the exact motion
//   M v̇ + Φ_vᵀ λ − Q = 0         Φ_v, λ with the rows of velocity-level constraints
//   ẋ − f = 0                     auxiliary states
//   Φ_v v + Φ_t = 0,   Φ = 0      all rows; the holonomic ones
//
//   García de Jalón & Bayo (1994), §5.1.3.1; Gear, Gupta & Leimkuhler (1985). Coordinates with q̇ = v.
//
// W = diag(s²), s what counts as one on each coordinate: points and unit vectors then move by like parts
// when Φ is closed, and the system is solvable where the rank watch says so. M in place of W⁻¹ would be the
// invariant choice, but massless directions make it singular.
//
// y = (q, v, x, λ, μ). The Jacobian F_y + c F_ẏ has a fixed pattern, by columns. It leaves out
// (Φ_vᵀλ)_q, (Φ_vᵀμ)_q and the coupling of x with q and v, parts of order h² and h of what they stand beside:
// Newton's method converges linearly, the faster the smaller the step.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "system/dynamics.h"

namespace trammel::formulations {

class DaeEquations {
 public:
  explicit DaeEquations(std::shared_ptr<const system::Dynamics> system);

  std::size_t size() const { return mu_ + holonomic_; }
  std::size_t differential() const { return lambda_; }  // q, v, x come first
  // What counts as one for each of q, v, x.
  const std::vector<double>& scale() const { return scale_; }

  // Inputs, angles and memory travel with the state, not with y: everything is taken with those of the state
  // last carried.
  void carry(const State& s) { work_ = s; }
  void pack(const State& s, std::span<double> y, std::span<double> y_dot);
  void unpack(double t, std::span<const double> y, State& s) const;  // t, q, v, x
  void unpack(double t, std::span<const double> y, std::span<const double> y_dot, State& s) const;  // also a

  // False when a number is not finite.
  [[nodiscard]] bool residual(double t, std::span<const double> y, std::span<const double> y_dot,
                              std::span<double> F);

  // By columns: column j holds entries start[j] … start[j + 1] − 1, rows ascending.
  const std::vector<int>& start() const { return start_; }
  const std::vector<int>& row() const { return row_; }
  [[nodiscard]] bool jacobian(double t, double c, std::span<const double> y, std::span<const double> y_dot,
                              std::span<double> values);

  // Φ, Φ_v, γ, Q, M at the positions and velocities of a state.
  const system::Terms& terms_at(const State& s);
  system::Terms& scratch() { return terms_; }

 private:
  template <class Visit>
  void visit_entries(Visit&& visit) const;
  void take(double t, std::span<const double> y, std::span<const double> y_dot);

  std::shared_ptr<const system::Dynamics> system_;
  std::size_t n_, states_, rows_, holonomic_;
  std::size_t v_, x_, lambda_, mu_;  // where each part of y begins
  std::vector<double> scale_, weight_;
  system::Terms terms_;
  State work_;
  std::vector<int> start_, row_, target_;
};

}  // namespace trammel::formulations
