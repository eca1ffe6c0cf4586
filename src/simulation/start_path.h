// The way to a start far from the places in the model: from where the joints close while no coordinate is
// given, to the coordinates that drivers or `initial:` give at t = 0, by small parts. And, where that way is
// blocked, which of these coordinates the joints do not allow.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trammel/mechanism.h"
#include "trammel/motion.h"

namespace trammel::simulation {

struct StartPosition {
  std::vector<Pose> poses;              // in order of Mechanism::bodies
  std::map<std::string, double> turns;  // as System::turns()
};

// For angles in loops and of gears that start so far from the places in the model that other joints may have
// made turns on the way. None: no angle does, or the way is blocked.
std::optional<StartPosition> lead_along_turns(const Mechanism& mechanism);

// Why lead_along_turns() does not try; empty where it does, or need not.
std::string too_many_turns(const Mechanism& mechanism);

// For starts so far away that Newton's method does not find them at once. None: both ways are blocked.
std::optional<StartPosition> lead_to_start(const Mechanism& mechanism);

// Of a mechanism that lead_to_start() does not bring together: which given coordinate cannot be reached, and
// the nearest value that can, in words; empty where that is not the cause.
std::string out_of_reach(const Mechanism& mechanism);

}  // namespace trammel::simulation
