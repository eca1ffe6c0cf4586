// Inverse dynamics: the efforts of drivers, and all reactions, that a prescribed motion needs.
//
//   Φ_vᵀλ = Q − M v̇                       of the motion q(t), v(t), v̇(t) that the drivers prescribe
//
// Nothing is integrated (analysis/prescribed_motion.h). Where more drivers act than there are freedoms the
// multipliers may change by any y with Φ_vᵀy = 0; then the efforts e are those of least Σ w e², and the
// effort of an idle driver is zero.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trammel/report.h"
#include "trammel/run.h"

namespace trammel::analysis {

struct InverseOptions {
  std::map<std::string, double> weights;  // by driver; the others have 1
  std::vector<std::string> idle;          // drivers that exert nothing
  bool hold = false;                      // freedoms that nothing drives stay at their start values
};

struct InverseDynamics {
  Report report;                  // refused: a freedom is not prescribed, or a name is not there
  Trajectory motion;              // columns of a run, without those that only a run has
  std::vector<std::string> held;  // "A.angle = 0.3 rad"
  bool shared = false;            // more drivers act than there are freedoms, in some row at least
  ReactionSummary reactions;      // which are one choice of many
  std::vector<double> doubtful;   // s, rows next to a singular position: rounding decides on their reactions
  double violation = 0;           // the largest that is left of Φ
};

// Throws std::invalid_argument when the mechanism is not valid.
InverseDynamics inverse_dynamics(const Mechanism& mechanism, const Plan& plan, const InverseOptions& options);

}  // namespace trammel::analysis
