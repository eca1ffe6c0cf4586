// Kinks: whether the forces have a derivative at a position.
//
//   kink: g(δ) + g(−δ) − 2 g(0) ∝ δ,   jump: g(δ) − g(−δ) does not vanish with δ
//
// g = (RᵀQ, ẋ) along each independent coordinate. Differences across a kink agree for every δ, and give the
// mean of both slopes as if it were a derivative.
#pragma once

#include <string>
#include <vector>

#include "analysis/local_motion.h"
#include "trammel/mechanism.h"

namespace trammel::analysis {

// Along the positions, and in Regime::motion along the velocities too.
bool has_kink(LocalMotion& motion);

// The forces that have one there, each looked at without the others. Empty: none of them alone has one.
std::vector<std::string> forces_with_kink(const LocalMotion& motion, const Mechanism& mechanism,
                                          const system::Coordinates& coordinates);

}  // namespace trammel::analysis
