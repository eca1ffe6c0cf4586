// Driver sweep: one coordinate goes through a range while everything else rests as at t = 0.
//
//   coordinate = from ± t,   0 ≤ t ≤ |to − from|
//
// It moves by 1 rad/s or 1 m/s towards `to`, so that speeds and accelerations are the derivatives of
// positions by the coordinate.
#pragma once

#include "trammel/analyses.h"
#include "trammel/simulation.h"

namespace trammel::analysis {

// The mechanism that moves so, with the duration and the rows in its plan. Throws std::invalid_argument where
// nothing of that name has a single coordinate.
Mechanism swept(Mechanism mechanism, const DriverSweep& sweep);

// The value that the coordinate has where a simulation stands.
double swept_value(const Simulation& at, const DriverSweep& sweep);

}  // namespace trammel::analysis
