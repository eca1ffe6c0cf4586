// Motion next to singular positions: by least squares, to rounding; and through a crossing by interpolation.
//
// Projections by penalty leave an error of ε/σ along the direction in which the rows of Φ_v are weak, σ their
// smallest singular value, and of ε/σ² in the rates. With ε of rounding that is 1e-10 for σ of 1e-3. Nearer
// to a place where motions cross, the motion goes on smoothly although its equations do not tell how: a
// polynomial of time through States on both sides tells.
#pragma once

#include "analysis/prescribed_motion.h"

namespace trammel::analysis {

// The rows of Φ_v in units of what counts as one; a row that vanishes stays small.
Eigen::MatrixXd rows_by_scale(const system::System& system, const system::Terms& terms);

// σ at a State; `direction`, if given: the velocity that belongs to it, in units of the coordinates.
double smallest_singular_value(const system::System& system, const State& s,
                               std::vector<double>* direction = nullptr);

// Positions to rounding, at the State's time.
void polish_positions(const system::System& system, State& s);
// Velocities and accelerations, too.
void polish(const system::System& system, State& s);

// What a motion has: the largest σ among its States, or what mechanisms usually have; and the seconds in
// which it moves by its own size, where it does not rest.
struct MotionScales {
  double sigma = 0.3, time = 1;
};
// Below this part of the largest σ a State is next to a singular position.
inline constexpr double kNearSingular = 0.02;

// A State of a prescribed motion next to a singular position, as exact as can be; `before`, if there is one,
// is a State of the same motion further away. False: rounding, or a kink of a driver, leaves more than 1e-6
// of its rates open.
bool settle_near_singular(PrescribedMotion& motion, const State* before, const MotionScales& scales,
                          State& s);

}  // namespace trammel::analysis
