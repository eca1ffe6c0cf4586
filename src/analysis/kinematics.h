// Kinematics: positions, velocities and accelerations that drivers prescribe, and where they do so no longer.
//
// A singular position is one in which Φ_v loses rank: σ(t), the smallest singular value of its scaled rows,
// is zero. Either σ passes through zero, where two motions cross and the drivers do not tell which goes on;
// it is found to 1e-9 s from values on both sides. Or time itself turns back there: a dead position, beyond
// which no position belongs to the drivers' values. The curve of positions then goes on into another assembly
// branch while the drivers go back (analysis/arc_length.h), and so do the rows.
#pragma once

#include "analysis/kinematic_columns.h"
#include "trammel/plan.h"

namespace trammel::analysis {

struct SingularPosition {
  double t = 0;
  std::string joint;        // whose speed is undetermined, or grows without bound
  bool turns_back = false;  // a dead position: else motions cross
  double smallest = 0;      // singular value there
};

struct Kinematics {
  Report report;
  Trajectory motion;
  std::vector<SingularPosition> singular;
  std::vector<std::string> held;
  double violation = 0;  // the largest that is left of Φ
  bool returned =
      false;  // after a dead position the curve came back to the time of the start, and ends there
};

// Freedoms that nothing drives are held at their start values. Throws std::invalid_argument when the
// mechanism is not valid, or a name is not there.
Kinematics kinematics(const Mechanism& mechanism, const Plan& plan, const ColumnChoice& choice);

}  // namespace trammel::analysis
