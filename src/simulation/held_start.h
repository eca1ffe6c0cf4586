// Where a mechanism starts: coordinates that drivers or `initial:` give at t = 0 are met exactly, whatever
// the places in the model.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trammel/mechanism.h"
#include "trammel/motion.h"

namespace trammel::simulation {

// The mechanism with drivers at rest for the coordinates that `initial:` gives; none where it gives none.
std::optional<Mechanism> held_start(const Mechanism& mechanism);

// Planar angles count turns from Body::angle. A body that starts more than half a turn from where it is drawn
// gets the angle that it starts with instead, and bodies that hang on it turn along by whole turns.
Mechanism with_start_turns(Mechanism mechanism);

struct StartPosition {
  std::vector<Pose> poses;              // in order of Mechanism::bodies
  std::map<std::string, double> turns;  // as System::turns()
};

// The start by small parts of the way: from where the joints close while no coordinate is given, to the given
// ones. For starts so far away that Newton's method does not find them at once. None: this way is blocked.
std::optional<StartPosition> lead_to_start(const Mechanism& mechanism);

}  // namespace trammel::simulation
