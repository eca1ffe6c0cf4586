// Mobility check: everything that 'trammel check' tells of the joints of a mechanism in one position.
#pragma once

#include "analysis/joint_remedies.h"
#include "analysis/mobility.h"
#include "analysis/mobility_loops.h"
#include "analysis/singularity_gauge.h"

namespace trammel::analysis {

struct MobilityCheck {
  Mobility mobility;
  std::vector<Loop> loops;
  JointRemedies remedies;                 // of what is redundant in nearby positions too
  std::optional<SingularityGauge> gauge;  // none: coordinates of its own, or too many equations
  SingularWay way;
};

// Where the simulation stands, assembled.
MobilityCheck check_mobility(const Simulation& simulation);

}  // namespace trammel::analysis
