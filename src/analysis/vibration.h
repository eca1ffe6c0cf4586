// Modes of vibration: the motions near a position of rest, or near a steady motion, that keep their shape.
//
//   y = Re(ŷ e^{λt}),   A ŷ = λ ŷ          λ = −ζω₀ ± iω₀√(1 − ζ²)
//
// About a steady motion, in which bodies turn or travel at constant speed, coordinates must be such that
// nothing but they themselves change: those of joints. The motion is then looked at a second time further on;
// where the equations are others there, it is not steady. Bodies that spin without a joint are seen in
// standing axes where the equations are constant in these (turning_axes.h), else in their own.
#pragma once

#include <vector>

#include "analysis/linearization.h"

namespace trammel::analysis {

struct Vibration {
  Report report;       // refused: neither rest nor steady motion; else what went wrong with the numbers
  bool moves = false;  // about a steady motion, else about rest
  std::vector<std::string> turning;  // bodies in whose own, turning axes the motion is seen
  bool outputs_turn = false;         // B or C is another further on: outputs or inputs that turn with a body
  Linearization linear;
  std::vector<VibrationMode> modes;  // free ones first, then by rising |λ|
};

// About the State as it is; the System has coordinates in which the motion is steady.
Vibration vibration(const std::shared_ptr<const system::System>& system, const Mechanism& mechanism,
                    const State& about);

}  // namespace trammel::analysis
