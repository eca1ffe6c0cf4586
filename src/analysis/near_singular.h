// Motion next to singular positions: by least squares, to rounding; and through a crossing by interpolation.
//
// Projections by penalty leave an error of ε/σ along the direction in which the rows of Φ_v are weak, σ their
// smallest singular value, and of ε/σ² in the rates. With ε of rounding that is 1e-10 for σ of 1e-3. Nearer
// to a place where motions cross, the motion goes on smoothly although its equations do not tell how: a
// polynomial of time through States on both sides tells.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/prescribed_motion.h"

namespace trammel::analysis {

// The rows of Φ_v in units of what counts as one; a row that vanishes stays small.
Eigen::MatrixXd rows_by_scale(const system::System& system, const system::Terms& terms);

double smallest_singular_value(const system::System& system, const State& s);
// Below this an assembled start is in a singular position: positions are known to the root of rounding there.
inline constexpr double kSingularStart = 3e-6;
// The velocities that belong to it in a singular position, in units of the coordinates: several where more
// than two motions cross.
std::vector<std::vector<double>> weak_velocities(const system::System& system, const State& s);

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

// States of a motion at equal times apart on both sides of a time, in order from the side of `before`, which
// is one of them. Those beyond are predicted by a polynomial through those before, and closed from there: no
// step ends in a crossing, where motions are not told apart. None where the motion does not go on as
// predicted.
std::optional<std::vector<State>> states_around(PrescribedMotion& motion, const State& before, double apart,
                                                double t);
// The polynomial through such States at the time of `near`.
State interpolated(const system::System& system, std::span<const State> nodes, const State& near);

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
  // A State of the motion that is not next to a singular position.
  void know(const State& away) { away_ = away; }
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
