// Where a mechanism starts: coordinates that drivers or `initial:` give at t = 0 are met exactly, whatever
// the places in the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel::simulation {

// The mechanism with drivers at rest for the coordinates that `initial:` gives; none where it gives none.
std::optional<Mechanism> held_start(const Mechanism& mechanism);

// A coordinate that is known at t = 0. The driver is one of the model, or stands for `initial:`.
struct GivenCoordinate {
  Driver driver;
  double value;  // rad or m
  bool angle;
  bool initial;  // given by `initial:`
};
std::vector<GivenCoordinate> given_coordinates(const Mechanism& mechanism);
bool gives_coordinate(const Driver& driver);
// The same driver, at rest.
Driver held_at(const Driver& driver, double value);

// Whether other joints turn as it does: it is part of a loop, or something is geared.
bool is_tied(const Mechanism& mechanism, const GivenCoordinate& given);

// Planar angles count turns from Body::angle. A body that starts more than half a turn from where it is drawn
// gets the angle that it starts with instead, and bodies that hang on it alone turn along by whole turns.
// Constants of couplers stay those of the drawn places.
Mechanism with_start_turns(Mechanism mechanism);

}  // namespace trammel::simulation
