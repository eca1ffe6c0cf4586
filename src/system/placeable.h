// Placeable: from places to coordinates, as a motion goes on in another System.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "system/place.h"
#include "trammel/motion.h"
#include "trammel/state.h"

namespace trammel::system {

class Placeable {
 public:
  virtual ~Placeable() = default;

  // How these coordinates see a place; nothing where they do not reach it.
  virtual std::unique_ptr<PlaceView> view(const Place&) const { return nullptr; }
  // Coordinates that are places themselves, with as many numbers as there are dimensions for each, in order;
  // none where coordinates are something else.
  virtual std::vector<Place> coordinate_places() const { return {}; }
  // Sets positions and velocities so that bodies stand and move as given, or, where these coordinates cannot
  // say it (bodies that now share a point), as little otherwise as can be in the metric of mass. Joints need
  // not be closed. This is how a motion goes on in another System.
  virtual void place(std::span<const Body> bodies, std::span<const Pose> poses, State&) const = 0;
  // The turns of unwrapped angles as another System counted them, by name.
  virtual void take_turns(const std::map<std::string, double>&, State&) const {}
};

}  // namespace trammel::system
