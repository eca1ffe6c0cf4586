// Motion next to singular positions: by least squares, to rounding; and through a crossing by interpolation.
//
// Projections by penalty leave an error of ε/σ along the direction in which the rows of Φ_v are weak, σ their
// smallest singular value, and of ε/σ² in the rates. With ε of rounding that is 1e-10 for σ of 1e-3. Nearer
// to a place where motions cross, the motion goes on smoothly although its equations do not tell how: a
// polynomial of time through States on both sides tells.
#pragma once

#include <optional>

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

// States of a prescribed motion one after the other, each as exact as can be.
class SettledMotion {
 public:
  explicit SettledMotion(PrescribedMotion& motion) : motion_(motion) {}

  // From a State that has its rates; `duration` in seconds.
  void begin(const State& s, double duration);
  struct Seen {
    double sigma = 0;      // before it was settled
    bool is_near = false;  // to a singular position
    bool known = true;     // as settle_near_singular() tells
  };
  Seen settle(State& s);
  // After a gap in the motion.
  void forget() { away_.reset(); }
  // Seconds in which the mechanism moves by its own size.
  double time_scale() const { return scales_.time; }

 private:
  PrescribedMotion& motion_;
  MotionScales scales_;
  std::optional<State> away_;  // the last one that is not next to a singular position, or the first
};

// The multipliers of a State with its accelerations, next to a singular position. Those of the equations of
// index 1 belong to accelerations that rounding changes by ε/σ².
//
//   Φ_vᵀ δλ = Q − M v̇ − Φ_vᵀλ         by least squares; where Φ_v has lost rank, λ stays as it is
//
// False: positions are not known well enough for reactions to 1e-6.
bool settle_multipliers(const system::System& system, State& s);

}  // namespace trammel::analysis
