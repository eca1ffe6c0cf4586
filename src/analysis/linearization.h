// Linearization: small deviations from a steady motion or a position of rest.
//
//   ẏ = A y + B i,   o = C y + D i
//
// y are the deviations of independent positions, velocities and states (analysis/local_motion.h), i those of
// the model's `inputs:`, o those of its `outputs:`. SI units.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "analysis/local_motion.h"
#include "trammel/analyses.h"

namespace trammel::analysis {

struct Linearization : StateSpace {
  Report report;                               // why there is none
  Eigen::Index positions = 0, velocities = 0;  // of y: the first ones
  // How far the State is from steady: the largest rate of y, as a part of what moves the mechanism.
  double drift = 0;
};

Linearization linearize(LocalMotion& motion, const Mechanism& mechanism);

}  // namespace trammel::analysis
