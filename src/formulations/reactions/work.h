// The work done since the start by drivers and by forces that have no potential: what kinetic and potential
// energy differ by.
//
//   power = Σ F·v + λᵀΦ_t,   λᵀΦ_t = v·(M v̇ − Q)
//
// The v̇ of a rule has the rule's order, the λ of an iteration only the first. Kept in the slot kWork: J
// done so far, W now.
#pragma once

#include <span>
#include <vector>

#include "system/dynamics.h"

namespace trammel::formulations {

inline constexpr MemorySlot kWork{"work", Lifetime::edit};

// At a state whose forces the terms hold.
double power(const system::Dynamics& system, const system::Terms& terms, const State& state);
// Of impulses at a state whose positions the terms hold: M Δv = −Φ_vᵀ impulse does the work Σ impulse Φ_t in
// rows in which Φ_v v = −Φ_t before and after.
double impulsive_work(const system::Terms& terms, std::span<const double> impulse);
// At the start of a run, or after a jump. Evaluates forces.
void begin_work(const system::Dynamics& system, system::Terms& terms, State& state);
// Adds the work of a step of size h that ends in `state` and whose middle is known, by Simpson's rule.
// Evaluates forces, last those of `state`.
void add_work(const system::Dynamics& system, system::Terms& terms, const State& middle, State& state,
              double h);

// The same of a step of the trapezoidal rule and its kin, whose ends alone are known, by the midpoint rule:
//
//   q(t + h) − q(t) = h v̄,  M Δv = h F̄,  so that F̄ᵀ h v̄ is the change of ½ vᵀ M v,  v̄ = (v₀ + v₁)/2
//
// A force that is linear in time has the mean F̄ in the middle: its work is exact, and kinetic energy,
// potential energy and work have one error. The mean of both ends' powers would be off by h/4 ΔFᵀΔv.
class StepWork {
 public:
  void follow(const system::Dynamics& system, system::Terms& terms, const State& from, State& state,
              double h);

 private:
  State middle_;
  std::vector<double> way_;
};

}  // namespace trammel::formulations
