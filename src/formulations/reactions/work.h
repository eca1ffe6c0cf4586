// The work done since the start by drivers and by forces that have no potential: what kinetic and potential
// energy differ by.
//
//   power = Σ F·v + λᵀΦ_t,   λᵀΦ_t = v·(M v̇ − Q)
//
// The v̇ of a rule has the rule's order, the λ of an iteration only the first. Kept in the slot kWork: J
// done so far, W now.
#pragma once

#include <span>

#include "system/dynamics.h"

namespace trammel::formulations {

inline constexpr MemorySlot kWork{"work", Lifetime::edit};

// At a state whose forces the terms hold.
double power(const system::Dynamics& system, const system::Terms& terms, const State& state);
// Of impulses at a state whose positions the terms hold: M Δv = −Φ_vᵀ impulse does the work Σ impulse Φ_t in
// rows in which Φ_v v = −Φ_t before and after.
double impulsive_work(const system::Terms& terms, std::span<const double> impulse);
// Adds the work of a step of size h by the trapezoidal rule; h = 0 starts a run. Evaluates forces.
void follow_work(const system::Dynamics& system, system::Terms& terms, State& state, double h);
// The same by Simpson's rule, for a step whose middle is known.
void follow_work(const system::Dynamics& system, system::Terms& terms, const State& middle, State& state,
                 double h);

}  // namespace trammel::formulations
