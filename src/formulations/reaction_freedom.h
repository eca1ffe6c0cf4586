// ReactionFreedom: which reactions belong to a motion of necessity, and which are one choice of many.
//
// The multipliers of M v̇ + Φ_vᵀλ = Q may change by any y with Φ_vᵀy = 0 without a change of v̇; forces in
// places that joints share may change in ways that λ does not know of (System::reaction_modes). A reaction is
// unique when none of these changes it.
#pragma once

#include "system/system.h"

namespace trammel {

struct ReactionFreedom {
  bool examined = true;  // false: more rows than the dense factorization is worth
  std::vector<ReactionMode> modes;
};

// A run asks at every row it writes, a check once.
inline constexpr int kRowsPerOutput = 300, kRowsPerCheck = 1500;

ReactionFreedom reaction_freedom(const System& system, const State& state, Terms& terms, int most_rows);

}  // namespace trammel
