// StepMap: one step of a method, linearized about a position of rest: u₊ = X u.
//
// u holds the deviations of everything that a step reads: q, v, auxiliary states and, where the rule reads
// them, v̇, the forces of constraints of velocities and its memory. Lengths are in units of the mechanism's
// size, the k-th time derivative in that unit by hᵏ. At each level the coordinates are turned so that the
// first ones lie in the null space of Φ_v, motion that the constraints allow, and the others across it,
// violation of the constraints. At rest Φ̇ and Φ̈ vary with v and v̇ alone, so a consistent state stays
// consistent to first order: X is block triangular, and the eigenvalues of its two diagonal blocks are those
// of the motion and those of the violation.
//
// X is found by differences (analysis/differences.h).
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "simulation/method.h"

namespace trammel::analysis {

enum class Level { position, velocity, acceleration, auxiliary };

struct StepMap {
  Report report;                         // what kept X from being found
  Eigen::MatrixXd X;                     // motion first, then violation
  Eigen::MatrixXd error;                 // bound of the error of each entry, estimated
  std::vector<Level> motion, violation;  // of each row, from the first
  double drift = 0;                      // largest entry of u after a step from u = 0
};

// The map of `steps` steps of size h, that of a method which does something every so many steps.
StepMap step_map(const system::System& system, simulation::Method& method, const State& rest, double h,
                 int steps);

}  // namespace trammel::analysis
