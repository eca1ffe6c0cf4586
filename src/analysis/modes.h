// Modes of a mechanism near its start: where to linearize it, and in which coordinates.
//
// Coordinates of joints stay the same while bodies turn, so that steady motions are steady in them: a start
// that moves is analysed in relative coordinates, whatever the model's own are.
#pragma once

#include <string>
#include <vector>

#include "analysis/vibration.h"

namespace trammel::analysis {

enum class ModesAt {
  equilibrium,  // the steady motion nearest the start, if it moves; else, or if there is none, the
                // equilibrium
  stable,       // the equilibrium that lies downhill
  start         // the start as it is
};

struct Modes {
  Report report;            // why there are none
  std::string about;        // "steady motion", "equilibrium" or "start"
  bool not_steady = false;  // the start moves, but not steadily: about rest instead
  std::vector<Pose> poses;
  Vibration vibration;
};

// Throws std::invalid_argument, with everything that is wrong with the mechanism.
Modes find_modes(const Mechanism& mechanism, ModesAt at);

}  // namespace trammel::analysis
